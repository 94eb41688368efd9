import { jitteredDelaySeconds, type ReceivedMessage, type ScheduleSettings } from '../relay/relay-schedule';

/** The shortest wait in the queue: a retry without delay comes after a second. */
export const SHORTEST_WAIT_SECONDS = 1;

/**
 * How many attempts of a message were made before this receive. SQS counts receives, and some of them only waited for a slot or a turn,
 * or ended with a function that crashed. So a receive counts only if the schedule could have reached it by now.
 *
 * @param before attempts before the message was sent to the queue
 */
export function attemptsMade(
  settings: ScheduleSettings,
  before: number,
  { receiveCount, firstReceivedAtMs }: Pick<ReceivedMessage, 'receiveCount' | 'firstReceivedAtMs'>,
  nowMs: number,
): number {
  const { numRetries } = settings.retryPolicy;
  let made = before;
  let earliestMs = firstReceivedAtMs;
  for (let receive = 1; receive < receiveCount && made < numRetries; receive += 1) {
    earliestMs += Math.max(SHORTEST_WAIT_SECONDS, jitteredDelaySeconds(settings, made + 1, 0)) * 1_000;
    if (earliestMs > nowMs) break;
    made += 1;
  }
  return made;
}
