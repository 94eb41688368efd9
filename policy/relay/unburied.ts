import type { ReceivedMessage } from './relay-schedule';

/** How much longer a message waits, as a part of how long the relay has had it. Our choice. */
const SHARE = 1 / 4;

const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = 3_600;

/**
 * How long a message waits that the endpoint was asked about, that is to be given up, and that the dead-letter queue did not
 * take. The relay asks the endpoint anew when it comes back, since a queue keeps no note of what was decided: so the wait
 * grows, from five minutes to an hour. It grows no further, lest the messages behind it in a group wait for half a day
 * because of a second's failure; and since SQS, which may be allowed what the relay is not, moves the message itself once it
 * was received `maxReceiveCount` times.
 */
export function deadLetteringFailedDelaySeconds(
  { firstReceivedAtMs }: Pick<ReceivedMessage, 'firstReceivedAtMs'>,
  nowMs: number,
) {
  const hadSeconds = (nowMs - firstReceivedAtMs) / 1_000;
  return Math.min(Math.max(SHORTEST_SECONDS, Math.round(hadSeconds * SHARE)), LONGEST_SECONDS);
}
