import type { InputLogEvent, RejectedLogEventsInfo } from '@aws-sdk/client-cloudwatch-logs';
import { breaksConstraint, invalidParameter } from './errors';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_EVENTS = 10_000;
const MAX_BYTES = 1_048_576;
/** What each event counts beyond its message. */
export const EVENT_OVERHEAD_BYTES = 26;

interface Entry {
  readonly atMs: number;
  readonly message: string;
}

interface Batch {
  readonly accepted: readonly Entry[];
  /** Undefined when all are accepted. */
  readonly rejected: RejectedLogEventsInfo | undefined;
}

/**
 * Sorts a batch out: events more than two hours ahead, older than fourteen days, or older than the group keeps them are
 * left out, and the sender is told which.
 *
 * @param oldestMs the oldest instant whose events the group keeps
 * @throws AwsError for a batch that is empty, out of order, too large or longer than a day
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
 */
export function sortOut(events: readonly InputLogEvent[] | undefined, nowMs: number, oldestMs: number): Batch {
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

function read(events: readonly InputLogEvent[] | undefined): readonly Entry[] {
  if (!events) throw breaksConstraint('null', 'logEvents', 'not be null');
  if (events.length < 1) throw breaksConstraint('[]', 'logEvents', 'have length greater than or equal to 1');
  if (events.length > MAX_EVENTS) {
    throw breaksConstraint(`${events.length} events`, 'logEvents', `have length less than or equal to ${MAX_EVENTS}`);
  }
  return events.map(({ timestamp, message }, i) => {
    if (timestamp === undefined) throw breaksConstraint('null', `logEvents.${i + 1}.member.timestamp`, 'not be null');
    if (timestamp < 0) {
      const parameter = `logEvents.${i + 1}.member.timestamp`;
      throw breaksConstraint(timestamp, parameter, 'have value greater than or equal to 0');
    }
    if (!message) {
      const parameter = `logEvents.${i + 1}.member.message`;
      throw breaksConstraint(message ?? 'null', parameter, 'have length greater than or equal to 1');
    }
    return { atMs: timestamp, message };
  });
}

function checkSize(entries: readonly Entry[]): void {
  let bytes = 0;
  for (const { message } of entries) {
    const own = Buffer.byteLength(message) + EVENT_OVERHEAD_BYTES;
    if (own > MAX_BYTES) throw invalidParameter(`Log event too large: ${own} bytes exceeds limit of ${MAX_BYTES}`);
    bytes += own;
  }
  if (bytes > MAX_BYTES) throw invalidParameter(`Upload too large: ${bytes} bytes exceeds limit of ${MAX_BYTES}`);
}

function checkTimes(entries: readonly Entry[]): void {
  if (entries.some(({ atMs }, i) => atMs < (entries[i - 1]?.atMs ?? 0))) {
    throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.');
  }
  if ((entries.at(-1)?.atMs ?? 0) - (entries[0]?.atMs ?? 0) > DAY_MS) {
    throw invalidParameter('The batch of log events in a single PutLogEvents request cannot span more than 24 hours.');
  }
}
