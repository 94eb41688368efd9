import type { RetryPolicy } from '../delivery-policy/delivery-policy';
import { totalDelaySeconds } from '../delivery-policy/retry-schedule';

/**
 * The rate, in messages a second, from which on a relay has `messages` in flight one day, if every attempt fails at once and
 * goes on failing: each message is then in flight from its first attempt to its last. Infinite for a policy without delays.
 */
export function failingPerSecond(policy: RetryPolicy, messages: number): number {
  return messages / totalDelaySeconds(policy);
}

/**
 * How long, in seconds, after every attempt has begun to fail a relay has `messages` in flight.
 * @param perSecond how many messages come in
 * @returns undefined where that never is, for as many are given up as come in
 */
export function secondsUntilInFlight(policy: RetryPolicy, messages: number, perSecond: number): number | undefined {
  return perSecond < failingPerSecond(policy, messages) ? undefined : messages / perSecond;
}
