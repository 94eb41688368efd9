import type { CauseRow, Timeline } from '../../api/queue';
import { counted, formatInstant, roughDuration } from '../shared/text';
import { seriesOf } from './causes';

const HEIGHT = 80;
const BAR = 10;

interface TimelineProps {
  readonly timeline: Timeline;
  readonly causes: readonly CauseRow[];
}

/** When the messages were first sent, by cause. */
export function TimelineChart({ timeline: { fromMs, intervalMs, series }, causes }: TimelineProps) {
  const intervals = series[0]?.counts.length ?? 0;
  const totals = Array.from({ length: intervals }, (_, at) =>
    series.reduce((sum, it) => sum + (it.counts[at] ?? 0), 0),
  );
  const most = Math.max(1, ...totals);
  const bottoms = new Array<number>(intervals).fill(HEIGHT);
  const bars = series.flatMap(({ cause, counts }) =>
    counts.flatMap((count, at) => {
      const height = (count / most) * HEIGHT;
      bottoms[at] = (bottoms[at] ?? HEIGHT) - height;
      return count === 0 ? [] : [{ key: `${cause} ${at}`, cause, at, y: bottoms[at] ?? 0, height, count }];
    }),
  );
  const untilMs = fromMs + intervals * intervalMs;
  const each = roughDuration(intervalMs);
  const total = totals.reduce((sum, it) => sum + it, 0);
  const text = `${counted(total, 'message', 'messages')} from ${formatInstant(fromMs)} to ${formatInstant(untilMs)}`;
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">When they were first sent</h2>
      <p class="sub">
        A bar is {each}, the highest {counted(most, 'message', 'messages')}.
      </p>
      <svg
        class="timeline"
        viewBox={`0 0 ${Math.max(intervals, 12) * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        {bars.map(({ key, cause, at, y, height, count }) => (
          <rect key={key} x={at * BAR} y={y} width={BAR - 1} height={height} class={seriesOf(cause)}>
            <title>{`${counted(count, 'message', 'messages')} from ${formatInstant(fromMs + at * intervalMs)}`}</title>
          </rect>
        ))}
      </svg>
      <p class="axis">
        <span>{formatInstant(fromMs)}</span>
        <span>{formatInstant(untilMs)}</span>
      </p>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ cause }) => (
            <li key={cause}>
              <span class={`swatch ${seriesOf(cause)}`} aria-hidden="true" />{' '}
              {causes.find(({ id }) => id === cause)?.says ?? 'without a known cause'}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
