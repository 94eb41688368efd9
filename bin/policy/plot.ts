import { type ScaleLinear, scaleLinear } from 'd3-scale';
import type { RetryPolicy } from '../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry, phaseSpans, totalDelaySeconds } from '../../policy/delivery-policy/retry-schedule';
import { formatDuration, formatNumber } from '../../policy/format-text';

/** How many characters of a title fit. */
const MOST_OF_TITLE = 84;

const WIDTH = 860;
const HEIGHT = 420;
const LEFT = 68;
const RIGHT = WIDTH - 28;
const TOP = 84;
const BOTTOM = HEIGHT - 56;

/** How many retries are drawn. Of a longer policy, only the beginning of the last phase is drawn, because it is constant. */
const MOST_DRAWN = 120;
const DRAWN_OF_CUT_PHASE = 20;

/** What is drawn, and where, in pixels. */
interface Frame {
  readonly policy: RetryPolicy;
  /** The number of the last retry drawn. */
  readonly shown: number;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
}

function lastDrawn({ numRetries, numMaxDelayRetries }: RetryPolicy): number {
  const untilCut = numRetries - numMaxDelayRetries + DRAWN_OF_CUT_PHASE;
  return numRetries <= MOST_DRAWN ? numRetries : Math.min(numRetries, untilCut);
}

function frameOf(policy: RetryPolicy): Frame {
  const shown = lastDrawn(policy);
  const x = scaleLinear([0.5, Math.max(shown, 1) + 0.5], [LEFT, RIGHT]);
  const y = scaleLinear([0, policy.maxDelayTarget], [BOTTOM, TOP + 12]).nice(6);
  return { policy, shown, x, y };
}

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

function phaseBands({ policy, x, shown }: Frame): string[] {
  const drawn = phaseSpans(policy).filter(({ retries }) => retries > 0);
  return drawn.flatMap(({ firstRetry, retries }, i) => {
    const left = x(firstRetry - 0.5);
    const width = x(Math.min(firstRetry + retries - 1, shown) + 0.5) - left;
    const band = { class: 'band', x: left, y: TOP, width, height: BOTTOM - TOP };
    return [...(i % 2 === 0 ? [element('rect', band)] : []), rule('edge', left, TOP, left, BOTTOM)];
  });
}

/** The phases in their order, with their numbers of retries. */
function phaseNames(policy: RetryPolicy): string {
  const drawn = phaseSpans(policy).filter(({ retries }) => retries > 0);
  return drawn.map(({ phase, retries }) => `${phase} (${formatNumber(retries)})`).join(' · ');
}

function axes({ x, y, shown }: Frame): string[] {
  const across = y
    .ticks(6)
    .flatMap(tick => [
      rule('grid', LEFT, y(tick), RIGHT, y(tick)),
      label(LEFT - 8, y(tick) + 4, 'muted', formatNumber(tick), 'end'),
    ]);
  const along = x
    .ticks(Math.min(shown, 12))
    .filter(Number.isInteger)
    .flatMap(tick => [
      rule('axis', x(tick), BOTTOM, x(tick), BOTTOM + 5),
      label(x(tick), BOTTOM + 20, 'muted', formatNumber(tick), 'middle'),
    ]);
  const middle = (TOP + BOTTOM) / 2;
  const upright = { x: 18, y: middle, class: 'text', 'text-anchor': 'middle', transform: `rotate(-90 18 ${middle})` };
  return [
    ...across,
    rule('axis', LEFT, BOTTOM, RIGHT, BOTTOM),
    ...along,
    label((LEFT + RIGHT) / 2, BOTTOM + 44, 'text', 'retry number', 'middle'),
    element('text', upright, 'delay before the retry (seconds)'),
  ];
}

function retries({ policy, shown, x, y }: Frame): string[] {
  const points = Array.from({ length: shown }, (_, i) => [x(i + 1), y(delayBeforeRetry(policy, i + 1))] as const);
  const path = points.map(([left, top]) => `${left.toFixed(2)},${top.toFixed(2)}`).join(' ');
  const more = policy.numRetries - shown;
  const text = `… and ${formatNumber(more)} more, ${formatNumber(policy.maxDelayTarget)} s apart`;
  return [
    element('polyline', { class: 'front', points: path }),
    ...points.map(([cx, cy]) => element('circle', { class: 'dot', cx, cy, r: shown > 60 ? 2 : 3 })),
    ...(more === 0 ? [] : [label(RIGHT - 6, y(policy.maxDelayTarget) + 22, 'text', text, 'end')]),
  ];
}

/** A title cut to the width of the picture. */
function shortened(title: string): string {
  return title.length > MOST_OF_TITLE ? `${title.slice(0, MOST_OF_TITLE - 1)}…` : title;
}

/**
 * Draws the delay of each retry. The picture has no background color, and has colors for light and dark pages.
 *
 * @param title the heading of the picture
 */
export function plotSvg(title: string, policy: RetryPolicy): string {
  const frame = frameOf(policy);
  const times = `1 + ${formatNumber(policy.numRetries)} attempts over ${formatDuration(totalDelaySeconds(policy))}`;
  const nothing = label((LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2, 'text', 'no retry', 'middle');
  const parts = [
    element('title', {}, escapeXml(`${title}: delay before each retry`)),
    element('style', {}, PLOT_STYLE),
    label(LEFT, 24, 'text title', shortened(title)),
    label(LEFT, 44, 'muted', times),
    label(LEFT, 66, 'muted', `${policy.backoffFunction}: ${phaseNames(policy)}`),
    ...phaseBands(frame),
    ...axes(frame),
    ...(frame.shown > 0 ? retries(frame) : [nothing]),
  ];
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  const box = { xmlns: 'http://www.w3.org/2000/svg', viewBox, width: WIDTH, height: HEIGHT, role: 'img' };
  return `${element('svg', box, `\n${parts.join('\n')}\n`)}\n`;
}

/** The colors of the plot, for light and dark pages. */
const COLORS = {
  light: { text: '#1f2328', muted: '#59636e', line: '#d1d9e0', front: '#0969da' },
  dark: { text: '#f0f6fc', muted: '#9198a1', line: '#3d444d', front: '#4493f8' },
} as const;

function rules({ text, muted, line, front }: Readonly<Record<'text' | 'muted' | 'line' | 'front', string>>): string {
  return `.text{fill:${text}}.muted,.band{fill:${muted}}.grid{stroke:${line}}.axis,.edge{stroke:${muted}}.front{stroke:${front}}.dot{fill:${front}}`;
}

const SHAPES = [
  'text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}',
  '.title{font-size:15px;font-weight:600}',
  '.edge{stroke-dasharray:2 3}',
  '.band{fill-opacity:.09}',
  '.front{fill:none;stroke-width:2;stroke-linejoin:round}',
].join('');

const PLOT_STYLE = `${SHAPES}${rules(COLORS.light)}@media (prefers-color-scheme:dark){${rules(COLORS.dark)}}`;
