import type { InputLogEvent, RejectedLogEventsInfo } from '@aws-sdk/client-cloudwatch-logs';
import { DAY_MS, HOUR_MS } from '../../../policy/time-units';
import type { Constraints } from '../../kernel/constraints';
import { invalidParameter, logsConstraints } from '../errors';
import { eventId, type NewEvent } from '../log-events';
import { type LogsAction, streamNamed } from './logs-action';

/** The returned sequence token has no meaning. AWS still returns one but ignores it in requests. */
export const putLogEvents: LogsAction<'PutLogEvents'> = {
  resourceOf: streamNamed,
  run: (state, { input: { logGroupName = '', logStreamName = '', logEvents } }) => {
    const group = state.get(logGroupName);
    const stream = state.stream(logGroupName, logStreamName);
    const { accepted, rejected } = splitBatch(logEvents, state.nowMs, group.oldestMs(state.nowMs));
    state.store(group, stream, accepted);
    return {
      nextSequenceToken: eventId({ atMs: state.nowMs, sequence: stream.events.size }),
      ...(rejected && { rejectedLogEventsInfo: rejected }),
    };
  },
};

const MAX_EVENTS = 10_000;
const MAX_BYTES = 1_048_576;
/** The size that AWS adds to each message when it counts an event. */
export const EVENT_OVERHEAD_BYTES = 26;

interface Batch {
  readonly accepted: readonly NewEvent[];
  /** Undefined when all events were accepted. */
  readonly rejected: RejectedLogEventsInfo | undefined;
}

/**
 * Splits a batch into accepted and rejected events. Events more than two hours in the future, older than 14 days, or
 * older than the group's retention are rejected, and the response says which.
 *
 * @param oldestMs the oldest instant whose events the group retains
 * @throws AwsError for a batch that is empty, unsorted, too large, or spans more than 24 hours
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
 */
function splitBatch(events: readonly InputLogEvent[] | undefined, nowMs: number, oldestMs: number): Batch {
  const entries = read(events);
  checkSize(entries);
  checkTimes(entries);
  const before = (limitMs: number): number => {
    const index = entries.findIndex(({ atMs }) => atMs >= limitMs);
    return index === -1 ? entries.length : index;
  };
  const tooOld = before(nowMs - 14 * DAY_MS);
  const expired = before(oldestMs);
  const tooNew = before(nowMs + 2 * HOUR_MS + 1);
  const accepted = entries.slice(Math.max(tooOld, expired), tooNew);
  if (accepted.length === entries.length) return { accepted, rejected: undefined };
  return {
    accepted,
    rejected: {
      ...(tooNew < entries.length && { tooNewLogEventStartIndex: tooNew }),
      ...(tooOld > 0 && { tooOldLogEventEndIndex: tooOld }),
      ...(expired > 0 && { expiredLogEventEndIndex: expired }),
    },
  };
}

function read(events: readonly InputLogEvent[] | undefined): readonly NewEvent[] {
  const given = events ?? [];
  const constraints = logsConstraints()
    .notNull('logEvents', events)
    .length('logEvents', events, 1, Number.POSITIVE_INFINITY);
  if (given.length > MAX_EVENTS) {
    // The error names the count instead of the events, which could be megabytes of text.
    const rule = `Member must have length less than or equal to ${MAX_EVENTS}`;
    constraints.breach('logEvents', `${given.length} events`, rule).check();
  }
  const entries = given.map(({ timestamp, message }, i) => {
    // The rules are evaluated only for broken events, because batches are long.
    const isGood = timestamp !== undefined && timestamp >= 0 && message;
    if (!isGood) constrainEvent(constraints, `logEvents.${i + 1}.member`, { timestamp, message });
    return { atMs: timestamp ?? 0, message: message ?? '' };
  });
  constraints.check();
  return entries;
}

function constrainEvent(constraints: Constraints, member: string, { timestamp, message }: InputLogEvent): void {
  constraints
    .notNull(`${member}.timestamp`, timestamp)
    .range(`${member}.timestamp`, timestamp, 0)
    .notNull(`${member}.message`, message)
    .length(`${member}.message`, message, 1, Number.POSITIVE_INFINITY);
}

function checkSize(entries: readonly NewEvent[]): void {
  let bytes = 0;
  for (const { message } of entries) {
    const own = Buffer.byteLength(message) + EVENT_OVERHEAD_BYTES;
    if (own > MAX_BYTES) throw invalidParameter(`Log event too large: ${own} bytes exceeds limit of ${MAX_BYTES}`);
    bytes += own;
  }
  if (bytes > MAX_BYTES) throw invalidParameter(`Upload too large: ${bytes} bytes exceeds limit of ${MAX_BYTES}`);
}

function checkTimes(entries: readonly NewEvent[]): void {
  if (entries.some(({ atMs }, i) => atMs < (entries[i - 1]?.atMs ?? 0))) {
    throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.');
  }
  if ((entries.at(-1)?.atMs ?? 0) - (entries[0]?.atMs ?? 0) > DAY_MS) {
    throw invalidParameter('The batch of log events in a single PutLogEvents request cannot span more than 24 hours.');
  }
}
