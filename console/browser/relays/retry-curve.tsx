import type { ScheduledAttempt } from '../../api/relays';
import { nowMs } from '../shared/clock';
import { counted, roughDuration, shortNumber } from '../shared/text';

const WIDTH = 1_000;
const HEIGHT = 130;
const BASE = 104;
const EDGE = 26;

/** Attempts of which the times are written, at most. */
const MOST_LABELS = 9;

/** The attempts on a logarithmic time axis, with a bar for the messages that wait for each. */
export function RetryCurve({ schedule }: { readonly schedule: readonly ScheduledAttempt[] }) {
  const last = schedule.at(-1)?.atSeconds ?? 0;
  const x = (seconds: number) =>
    EDGE + ((WIDTH - 2 * EDGE) * Math.log(1 + seconds)) / Math.max(Math.log(1 + last), Number.EPSILON);
  const most = Math.max(1, ...schedule.map(it => it.waiting));
  const labelled = withRoom(schedule, it => x(it.atSeconds));
  const waiting = schedule.reduce((sum, it) => sum + it.waiting, 0);
  return (
    <div class="table-scroll">
      <svg
        class="retry-curve"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${counted(schedule.length, 'attempt', 'attempts')} within ${roughDuration(last * 1_000)}; ${counted(waiting, 'message waits', 'messages wait')}`}
      >
        <line x1={EDGE / 2} x2={WIDTH - EDGE / 2} y1={BASE} y2={BASE} class="axis" />
        {schedule.map(it => {
          const at = x(it.atSeconds);
          const height = it.waiting === 0 ? 0 : 8 + (70 * it.waiting) / most;
          return (
            <g key={it.attempt}>
              <title>{titleOf(it)}</title>
              {height > 0 && <rect x={at - 7} y={BASE - height} width={14} height={height} rx={2} class="waiting" />}
              {height > 0 && (
                <text x={at} y={BASE - height - 5} class="count">
                  {shortNumber(it.waiting)}
                </text>
              )}
              <circle cx={at} cy={BASE} r={it.attempt === 1 ? 5 : 3.5} class={`phase-${it.phase}`} />
              {labelled.has(it.attempt) && (
                <text x={at} y={BASE + 19} class={at > WIDTH - 2 * EDGE ? 'when last' : 'when'}>
                  {it.attempt === 1 ? 'first' : `+${roughDuration(it.atSeconds * 1_000)}`}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function titleOf({ attempt, atSeconds, phase, waiting, nextDueMs }: ScheduledAttempt): string {
  const when =
    attempt === 1 ? 'initial attempt' : `attempt ${attempt}, ${phase}, after ${roughDuration(atSeconds * 1_000)}`;
  if (waiting === 0 || nextDueMs === null) return when;
  const inMs = nextDueMs - nowMs.value;
  const due = inMs > 0 ? `in ${roughDuration(inMs)}` : 'now';
  return `${when}: ${counted(waiting, 'message waits', 'messages wait')}, the first is due ${due}`;
}

/** The attempts whose times can be written without touching each other. The last one always is. */
function withRoom(
  schedule: readonly ScheduledAttempt[],
  x: (attempt: ScheduledAttempt) => number,
): ReadonlySet<number> {
  const least = WIDTH / MOST_LABELS;
  const chosen = new Set<number>();
  const last = schedule.at(-1);
  if (!last) return chosen;
  chosen.add(last.attempt);
  let before = Number.NEGATIVE_INFINITY;
  for (const it of schedule) {
    if (x(it) - before < least || (x(last) - x(it) < least && it !== last)) continue;
    chosen.add(it.attempt);
    before = x(it);
  }
  return chosen;
}
