import { line } from 'd3-shape';
import {
  BACKOFF_FUNCTIONS,
  type BackoffFunction,
  type RetryPolicy,
} from '../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry, type PhaseSpan, totalDelaySeconds } from '../../policy/delivery-policy/retry-schedule';
import { formatDuration, formatNumber } from '../../policy/wording';
import { type Frame, frameOf, labelBaseline, PLOT_LEFT, PLOT_RIGHT, PLOT_WIDTH, textWidth } from './plot-frame';
import { PLOT_STYLE } from './plot-style';

/** The characters of a title that fit. */
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

/** The curve of `policy` under another function, from retry `first` to retry `last`. */
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

/** The names of the four curves, each after a piece of its line. */
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
 * Draws delay against retry number: the policy's own curve in front, the other three functions behind over its backoff
 * phase. The picture has no background and brings inks for light and dark pages.
 *
 * @param title what the picture is headed by
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
