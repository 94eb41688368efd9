import type { AttemptDocument, RelayDetailDocument } from '../../api/relays';
import { nowMs } from '../shared/clock';
import { Facts, Unknowns } from '../shared/copy';
import { useFeed } from '../shared/live';
import { Reading } from '../shared/reading';
import { ago, counted, formatInstant, formatNumber, roughDuration, UNKNOWN } from '../shared/text';
import { RetryCurve } from './retry-curve';

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

/** The attempts of a relay, or of an endpoint of a fleet. */
export function AttemptTable({ attempts }: { readonly attempts: readonly AttemptDocument[] }) {
  return (
    <div class="table-scroll">
      <table class="rows attempts">
        <thead>
          <tr>
            <th scope="col">At</th>
            <th scope="col">Message</th>
            <th scope="col" class="number">
              Attempt
            </th>
            <th scope="col">Result</th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(it => (
            <tr key={`${it.messageId} ${it.attempt} ${it.atMs}`}>
              <td data-label="At" title={formatInstant(it.atMs)}>
                {ago(it.atMs, nowMs.value)}
              </td>
              <td data-label="Message" title={it.messageId}>
                <code>{it.messageId.slice(0, 8)}</code>
              </td>
              <td data-label="Attempt" class="number">
                {it.attempt}
              </td>
              <td data-label="Result">
                <span class={`tag ${TONES[it.verdict]}`}>{resultText(it)}</span>
              </td>
              <td data-label="Took" class="number">
                {Number.isFinite(it.latencyMs) ? `${formatNumber(it.latencyMs)} ms` : UNKNOWN}
              </td>
              <td data-label="Why">
                {it.reason}
                {it.nextRetryInSeconds !== null && (
                  <span class="sub">next in {roughDuration(it.nextRetryInSeconds * 1_000)}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function resultText({ verdict, statusCode }: AttemptDocument): string {
  const texts = { delivered: 'delivered', retry: 'to be retried', dead: 'dead-lettered' };
  return statusCode === null ? texts[verdict] : `${statusCode}, ${texts[verdict]}`;
}
