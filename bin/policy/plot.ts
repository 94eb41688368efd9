import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import {
  BACKOFF_FUNCTIONS,
  type BackoffFunction,
  type RetryPolicy,
} from '../../policy/delivery-policy/delivery-policy';
import {
  delayBeforeRetry,
  type PhaseSpan,
  phaseSpans,
  totalDelaySeconds,
} from '../../policy/delivery-policy/retry-schedule';
import { formatDuration, formatNumber } from '../../policy/format-text';

/** How many characters of a title fit. */
const MOST_OF_TITLE = 84;

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

/** One element; numbers are rounded to hundredths of a pixel. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content?: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? Math.round(value * 100) / 100 : escapeXml(value)}"`,
  );
  return `<${name}${written.join('')}${content === undefined ? '/>' : `>${content}</${name}>`}`;
}

type Anchor = 'start' | 'middle' | 'end';

function label(x: number, y: number, className: string, content: string, anchor: Anchor = 'start'): string {
  return element('text', { x, y, class: className, 'text-anchor': anchor }, escapeXml(content));
}

function rule(className: string, x1: number, y1: number, x2: number, y2: number): string {
  return element('line', { class: className, x1, y1, x2, y2 });
}

/** The curve of the policy's delays from retry `first` to retry `last`. */
function curve({ x, y }: Frame, policy: RetryPolicy, first: number, last: number): string {
  const retries = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const path = line<number>(x, retry => y(delayBeforeRetry(policy, retry))).digits(2);
  return path(retries) ?? '';
}

function phases(frame: Frame): string[] {
  const { x, top, bottom, shown, labels } = frame;
  return labels.flatMap(({ span, text, left, row }, i) => {
    const right = x(Math.min(span.firstRetry + span.retries - 1, shown) + 0.5);
    const band = { class: 'band', x: left, y: top, width: right - left, height: bottom - top };
    const baseline = labelBaseline(frame, row);
    return [
      ...(i % 2 === 0 ? [element('rect', band)] : []),
      rule('edge', left, baseline - 10, left, bottom),
      label(left + 4, baseline, 'muted', text),
    ];
  });
}

function axes({ x, y, bottom, top, shown }: Frame): string[] {
  const across = y
    .ticks(6)
    .flatMap(tick => [
      rule('grid', PLOT_LEFT, y(tick), PLOT_RIGHT, y(tick)),
      label(PLOT_LEFT - 8, y(tick) + 4, 'muted', formatNumber(tick), 'end'),
    ]);
  const along = x
    .ticks(Math.min(shown, 12))
    .filter(Number.isInteger)
    .flatMap(tick => [
      rule('axis', x(tick), bottom, x(tick), bottom + 5),
      label(x(tick), bottom + 20, 'muted', formatNumber(tick), 'middle'),
    ]);
  const middle = (top + bottom) / 2;
  const upright = { x: 18, y: middle, class: 'text', 'text-anchor': 'middle', transform: `rotate(-90 18 ${middle})` };
  return [
    ...across,
    rule('axis', PLOT_LEFT, bottom, PLOT_RIGHT, bottom),
    ...along,
    label((PLOT_LEFT + PLOT_RIGHT) / 2, bottom + 44, 'text', 'retry number', 'middle'),
    element('text', upright, 'delay before the retry (seconds)'),
  ];
}

function others(policy: RetryPolicy): BackoffFunction[] {
  return BACKOFF_FUNCTIONS.filter(backoffFunction => backoffFunction !== policy.backoffFunction);
}

function behind(frame: Frame, { firstRetry, retries }: PhaseSpan): string[] {
  return others(frame.policy).map(backoffFunction =>
    element('path', {
      class: `behind ${backoffFunction}`,
      d: curve(frame, { ...frame.policy, backoffFunction }, firstRetry, firstRetry + retries - 1),
    }),
  );
}

function inFront(frame: Frame): string[] {
  const { policy, shown, x, y } = frame;
  const dots = Array.from({ length: shown }, (_, i) =>
    element('circle', { class: 'dot', cx: x(i + 1), cy: y(delayBeforeRetry(policy, i + 1)), r: shown > 60 ? 2 : 3 }),
  );
  return [element('path', { class: 'front', d: curve(frame, policy, 1, shown) }), ...dots];
}

/** The names of the four curves, each with a sample of its line. */
function legend(policy: RetryPolicy): string[] {
  const names = [
    { line: 'front', text: 'frontText', name: `${policy.backoffFunction} (this policy)` },
    ...others(policy).map(name => ({ line: `behind ${name}`, text: 'muted', name })),
  ];
  let left = PLOT_LEFT;
  return names.flatMap(entry => {
    const start = left;
    left += 34 + textWidth(entry.name) + 22;
    return [rule(entry.line, start, 64, start + 28, 64), label(start + 34, 68, entry.text, entry.name)];
  });
}

function rest({ policy, shown, y }: Frame): string[] {
  const more = policy.numRetries - shown;
  if (more === 0) return [];
  const text = `… and ${formatNumber(more)} more, ${formatNumber(policy.maxDelayTarget)} s apart`;
  return [label(PLOT_RIGHT - 6, y(policy.maxDelayTarget) + 22, 'text', text, 'end')];
}

function nothingToDraw({ top, bottom }: Frame): string[] {
  return [label((PLOT_LEFT + PLOT_RIGHT) / 2, (top + bottom) / 2, 'text', 'no retry', 'middle')];
}

/** A title cut to the width of the picture. */
function shortened(title: string): string {
  return title.length > MOST_OF_TITLE ? `${title.slice(0, MOST_OF_TITLE - 1)}…` : title;
}

/**
 * Draws the delay of each retry. The other three backoff functions are drawn in the background of the backoff phase. The picture
 * has no background color, and has colors for light and dark pages.
 *
 * @param title the heading of the picture
 */
export function plotSvg(title: string, policy: RetryPolicy): string {
  const frame = frameOf(policy);
  const backoff = frame.labels.find(({ span }) => span.phase === 'backoff');
  const times = `1 + ${formatNumber(policy.numRetries)} attempts over ${formatDuration(totalDelaySeconds(policy))}`;
  const parts = [
    element('title', {}, escapeXml(`${title}: delay before each retry`)),
    element('style', {}, PLOT_STYLE),
    label(PLOT_LEFT, 24, 'text title', shortened(title)),
    label(PLOT_LEFT, 44, 'muted', times),
    ...phases(frame),
    ...axes(frame),
    ...legend(policy),
    ...(backoff ? behind(frame, backoff.span) : []),
    ...(frame.shown > 0 ? inFront(frame) : nothingToDraw(frame)),
    ...rest(frame),
  ];
  const { height } = frame;
  const box = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${PLOT_WIDTH} ${height}`,
    width: PLOT_WIDTH,
    height,
    role: 'img',
  };
  return `${element('svg', box, `\n${parts.join('\n')}\n`)}\n`;
}

const PLOT_WIDTH = 860;
const PLOT_LEFT = 68;
const PLOT_RIGHT = PLOT_WIDTH - 28;

/** The part of the picture above the phase labels: title, times and legend. */
const HEAD = 84;
const LABEL_ROW = 17;
const BODY = 280;
const FOOT = 56;
const CHARACTER = 6.7;
const LABEL_GAP = 8;

/** How many retries are drawn. Of a longer policy, only the beginning of the last phase is drawn, because it is constant. */
const MOST_DRAWN = 120;
const DRAWN_OF_CUT_PHASE = 20;

/** The label of a phase and its position. Labels of narrow phases are on lower rows, so that they do not overlap. */
interface PhaseLabel {
  readonly span: PhaseSpan;
  readonly text: string;
  /** The left edge of its phase, in pixels. */
  readonly left: number;
  readonly row: number;
}

/** Where everything is drawn, in pixels. */
export interface Frame {
  readonly policy: RetryPolicy;
  /** The number of the last retry drawn. */
  readonly shown: number;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
  readonly labels: readonly PhaseLabel[];
}

/** The approximate width of a label. Fonts are not measured. */
function textWidth(text: string): number {
  return text.length * CHARACTER;
}

function lastDrawn({ numRetries, numMaxDelayRetries }: RetryPolicy): number {
  const untilCut = numRetries - numMaxDelayRetries + DRAWN_OF_CUT_PHASE;
  return numRetries <= MOST_DRAWN ? numRetries : Math.min(numRetries, untilCut);
}

/**
 * Puts each label in the highest row where it overlaps no other, and where its line down to the phase crosses none.
 */
function placeLabels(policy: RetryPolicy, x: ScaleLinear<number, number>): PhaseLabel[] {
  const ends: number[] = [];
  return phaseSpans(policy)
    .filter(({ retries }) => retries > 0)
    .map(span => {
      const left = x(span.firstRetry - 0.5);
      const text = `${span.phase} (${span.retries.toLocaleString('en-US')})`;
      const isFree = (row: number) => ends.slice(row).every(end => end + LABEL_GAP <= left);
      let row = 0;
      while (!isFree(row)) row++;
      ends[row] = left + textWidth(text);
      return { span, text, left, row };
    });
}

/** Computes the layout of the picture. */
export function frameOf(policy: RetryPolicy): Frame {
  const shown = lastDrawn(policy);
  const x = scaleLinear([0.5, Math.max(shown, 1) + 0.5], [PLOT_LEFT, PLOT_RIGHT]);
  const labels = placeLabels(policy, x);
  const top = HEAD + LABEL_ROW * Math.max(0, ...labels.map(({ row }) => row + 1));
  const bottom = top + BODY;
  const y = scaleLinear([0, policy.maxDelayTarget], [bottom, top + 12]).nice(6);
  return { policy, shown, x, y, top, bottom, height: bottom + FOOT, labels };
}

function labelBaseline({ top, labels }: Frame, row: number): number {
  const rows = Math.max(...labels.map(label => label.row + 1));
  return top - (rows - row) * LABEL_ROW + 11;
}

/** The colors of the plot, for light and dark pages. */
const COLORS = {
  light: { text: '#1f2328', muted: '#59636e', line: '#d1d9e0', band: '#59636e', front: '#0969da' },
  dark: { text: '#f0f6fc', muted: '#9198a1', line: '#3d444d', band: '#9198a1', front: '#4493f8' },
} as const;

type Colors = (typeof COLORS)[keyof typeof COLORS];

function rules({ text, muted, line, band, front }: Colors): string {
  return [
    `.text{fill:${text}}`,
    `.muted{fill:${muted}}`,
    `.grid{stroke:${line}}`,
    `.axis,.edge{stroke:${muted}}`,
    `.band{fill:${band}}`,
    `.front{stroke:${front}}`,
    `.dot,.frontText{fill:${front}}`,
    `.behind{stroke:${muted}}`,
  ].join('');
}

const SHAPES = [
  'text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.title{font-size:15px;font-weight:600}',
  '.grid,.axis{stroke-width:1}',
  '.edge{stroke-width:1;stroke-dasharray:2 3}',
  '.band{fill-opacity:.09}',
  '.front{fill:none;stroke-width:2;stroke-linejoin:round}',
  '.behind{fill:none;stroke-width:1.5;stroke-opacity:.75}',
  '.arithmetic{stroke-dasharray:7 3}',
  '.geometric{stroke-dasharray:3 3}',
  '.exponential{stroke-dasharray:8 3 2 3}',
  '.linear{stroke-dasharray:1 3;stroke-linecap:round}',
  '.front{stroke-dasharray:none}',
].join('');

/** The style sheet of the plot: light by default, dark if the reader prefers it. */
const PLOT_STYLE = `${SHAPES}${rules(COLORS.light)}@media (prefers-color-scheme:dark){${rules(COLORS.dark)}}`;
