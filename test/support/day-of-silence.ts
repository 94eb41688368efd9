import { retryDelays } from '../../policy/delivery-policy/retry-schedule';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';

const DAY_SECONDS = 86_400;

/**
 * By what share of the messages that come in the course of a day of silence each attempt of the default policy is made: one that
 * is made so many hours after the first, by none that came in the last of them.
 */
export function chancesOfAttempts(): readonly number[] {
  const { totalTimeoutSeconds } = DEFAULT_RELAY_TERMS;
  let atSeconds = 0;
  const later = retryDelays(DEFAULT_RELAY_POLICY).map(delaySeconds => {
    atSeconds += totalTimeoutSeconds + delaySeconds;
    return Math.max(0, 1 - atSeconds / DAY_SECONDS);
  });
  return [1, ...later];
}
