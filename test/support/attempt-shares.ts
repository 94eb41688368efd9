import { retryDelays } from '../../policy/delivery-policy/retry-schedule';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { DAY_SECONDS } from '../../policy/time-units';

/**
 * For each attempt of the default policy, the share of the messages of a silent day that make it. Messages that arrive in the
 * last hours of the day do not make an attempt that comes that many hours after the first.
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
