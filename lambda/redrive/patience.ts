import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { FactReading } from './facts';
import type { RedriveEvent } from './redrive-event';
import type { TolerantReader } from './refusal';

/**
 * Our choice: for how long what cannot be read is not held against letters that move. Lambda repeats an invocation that
 * failed after a minute, and once more two minutes later: that one has no patience any more.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export const TOLERATE_UNREAD_MS = 150_000;

const NO_MESSAGES = { visible: 0, inFlight: 0, delayed: 0 };

/** The facts as they would be if all were well that could not be read. */
export function assumingUnreadIsHealthy(facts: RedriveFacts, reading: TolerantReader): RedriveFacts {
  const { killSwitch, destination, alarms, mappings } = facts;
  const hasNoDepth = destination === undefined && reading.hasFailed('GetQueueAttributes');
  return {
    ...facts,
    killSwitch: reading.hasFailed('GetParameter') ? 'on' : killSwitch,
    destination: hasNoDepth ? { depth: NO_MESSAGES } : destination,
    alarms: alarms.map(alarm => (alarm.state === 'unread' ? { ...alarm, state: 'OK' } : alarm)),
    mappings: mappings.map(mapping => (mapping.state === 'unread' ? { ...mapping, state: 'Enabled' } : mapping)),
  };
}

/**
 * What is done by what was gathered. No task is cancelled for what one look could not read, which most often the next can:
 * only what was read speaks against it, until nothing was for a while.
 */
export function planToleratingUnread(
  planOf: (facts: RedriveFacts) => RedrivePlan,
  { facts, unread, ifUnreadWereHealthy }: FactReading,
  { trigger, dueAtMs = facts.nowMs }: RedriveEvent,
): RedrivePlan {
  const plan = planOf(facts);
  const isLate = trigger === 'tick' && facts.nowMs - dueAtMs >= TOLERATE_UNREAD_MS;
  if (plan.decision.kind !== 'cancel' || unread.length === 0 || isLate) return plan;
  const hoped = planOf(ifUnreadWereHealthy);
  if (hoped.decision.kind === 'cancel') return hoped;
  return {
    ...plan,
    decision: { kind: 'wait', reason: `not all could be read, and may be soon: ${plan.decision.reason}` },
  };
}
