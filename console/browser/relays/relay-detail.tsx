import type { AttemptDocument, RelayDetailDocument, ScheduledAttempt } from '../../api/relays';
import { nowMs } from '../shared/clock';
import { Facts, Reading, Unknowns } from '../shared/copy';
import { useFeed } from '../shared/server-connection';
import { type Column, Table } from '../shared/table';
import { ago, counted, formatInstant, formatNumber, roughDuration, shortNumber, UNKNOWN } from '../shared/text';

const WIDTH = 1_000;
const HEIGHT = 130;
const BASE = 104;
const EDGE = 26;

/** Attempts of which the times are written, at most. */
const MOST_LABELS = 9;

/** The attempts on a logarithmic time axis, with a bar for the messages that wait for each. */
function RetryCurve({ schedule }: { readonly schedule: readonly ScheduledAttempt[] }) {
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

/** The schedule of a relay, what waits in it, and its last attempts. */
export function RelayDetail({ name }: { readonly name: string }) {
  const state = useFeed('relay', name);
  const { document } = state;
  if (!document) return <Reading state={state} what="its metrics and its log" />;
  const { schedule, scheduleNote, unknowns } = document;
  return (
    <>
      <Unknowns texts={unknowns} />
      <Facts rows={factsOf(document)} />
      <h3>Retries, and the messages that wait for each</h3>
      {schedule ? (
        <>
          <RetryCurve schedule={schedule} />
          <p class="sub">
            {waitingText(document)} {scheduleNote}
          </p>
        </>
      ) : (
        <p class="empty">Another version of the package wrote its settings: the schedule is unknown.</p>
      )}
      <Attempts document={document} />
    </>
  );
}

function factsOf(document: RelayDetailDocument): readonly (readonly [string, string])[] {
  const { lastHour, latency, deliveredAtMs, failedAtMs, lastFailure } = document;
  const now = nowMs.value;
  const at = (atMs: number | null) =>
    atMs !== null ? `${ago(atMs, now)}, ${formatInstant(atMs)}` : lastHour ? 'none in 14 days' : 'unknown';
  const hour = lastHour
    ? `${counted(lastHour.attempts, 'attempt', 'attempts')}; ${formatNumber(lastHour.delivered)} delivered, ` +
      `${formatNumber(lastHour.retried)} to be retried, ${formatNumber(lastHour.dead)} dead-lettered`
    : 'unknown';
  return [
    ['Last hour', hour],
    ['Last delivery', at(deliveredAtMs)],
    ['Last failure', lastFailure === null ? at(failedAtMs) : `${at(failedAtMs)}: ${lastFailure}`],
    [
      'Latency',
      latency
        ? `median ${formatNumber(latency.medianMs)} ms, 95 % within ${formatNumber(latency.p95Ms)} ms ` +
          `(${counted(latency.attempts, 'answered attempt', 'answered attempts')} in the log)`
        : 'the log has no answered attempt',
    ],
  ];
}

function waitingText({ waitingElsewhere, logSinceMs }: RelayDetailDocument): string {
  if (logSinceMs === null) return 'The log cannot be read, so it is unknown which attempts messages wait for.';
  const since = `By the log since ${formatInstant(logSinceMs)}.`;
  if (waitingElsewhere === null) return `${since} How many messages its queue holds is unknown.`;
  if (waitingElsewhere === 0) return since;
  return `${since} ${counted(waitingElsewhere, 'more message', 'more messages')}: not tried yet, or in delivery.`;
}

const TONES: Readonly<Record<AttemptDocument['verdict'], string>> = { delivered: 'good', retry: 'warn', dead: 'bad' };

/** Attempts that are drawn without a click. */
const MOST_ATTEMPTS = 10;

function Attempts({ document: { attempts, logSinceMs } }: { readonly document: RelayDetailDocument }) {
  if (attempts.length === 0) {
    return <p class="empty">{logSinceMs === null ? '' : `No attempt since ${formatInstant(logSinceMs)}.`}</p>;
  }
  const first = attempts.slice(0, MOST_ATTEMPTS);
  const rest = attempts.slice(MOST_ATTEMPTS);
  return (
    <>
      <h3>Last attempts</h3>
      <AttemptTable attempts={first} />
      {rest.length > 0 && (
        <details>
          <summary>{counted(rest.length, 'earlier attempt', 'earlier attempts')}</summary>
          <AttemptTable attempts={rest} />
        </details>
      )}
    </>
  );
}

const ATTEMPT_COLUMNS: readonly Column<AttemptDocument>[] = [
  { heading: 'At', title: it => formatInstant(it.atMs), cell: it => ago(it.atMs, nowMs.value) },
  { heading: 'Message', title: it => it.messageId, cell: it => <code>{it.messageId.slice(0, 8)}</code> },
  { heading: 'Attempt', isNumber: true, cell: it => it.attempt },
  { heading: 'Result', cell: it => <span class={`tag ${TONES[it.verdict]}`}>{resultText(it)}</span> },
  {
    heading: 'Took',
    isNumber: true,
    cell: it => (Number.isFinite(it.latencyMs) ? `${formatNumber(it.latencyMs)} ms` : UNKNOWN),
  },
  {
    heading: 'Why',
    cell: it => (
      <>
        {it.reason}
        {it.nextRetryInSeconds !== null && (
          <span class="sub">next in {roughDuration(it.nextRetryInSeconds * 1_000)}</span>
        )}
      </>
    ),
  },
];

/** The attempts of a relay, or of an endpoint of a fleet. */
export function AttemptTable({ attempts }: { readonly attempts: readonly AttemptDocument[] }) {
  const keyOf = (it: AttemptDocument) => `${it.messageId} ${it.attempt} ${it.atMs}`;
  return <Table class="attempts" columns={ATTEMPT_COLUMNS} rows={attempts} keyOf={keyOf} />;
}

function resultText({ verdict, statusCode }: AttemptDocument): string {
  const texts = { delivered: 'delivered', retry: 'to be retried', dead: 'dead-lettered' };
  return statusCode === null ? texts[verdict] : `${statusCode}, ${texts[verdict]}`;
}
