import { TARGET_EVENT_AGE_SECONDS } from '../../policy/limits/event-age';
import { isKnown } from '../../template/told';
import type { FunctionFacts, Inventory, Resource, TargetFacts } from '../inventory/inventory';
import { functionOf, qualifierOf } from '../inventory/look-ups';

const SIX_HOURS_SECONDS = 21_600;

/**
 * Whether a function says itself for how long an event is of use, by an age below the six hours Lambda keeps one: it wants
 * what is older dropped, as one that is woken by the clock does.
 */
function limitsEvents({ eventInvokes }: FunctionFacts, qualifier: string | undefined): boolean {
  if (!isKnown(eventInvokes)) return true;
  return eventInvokes.some(it => {
    if (it.qualifier !== (qualifier ?? '$LATEST')) return false;
    return !isKnown(it.maximumEventAgeSeconds) || it.maximumEventAgeSeconds < SIX_HOURS_SECONDS;
  });
}

/** Whether a target says itself for how long an event is of use, by an age below the day EventBridge tries for, or may. */
export function limitsTargetEvents({ maximumEventAgeSeconds: age }: TargetFacts): boolean {
  return !isKnown(age) || age < TARGET_EVENT_AGE_SECONDS;
}

/** Whether what an ARN names is a function for which an old event is of no use, or may be. */
export function dropsOldEvents(targetArn: string, inventory: Inventory, by: Resource): boolean {
  const lambda = functionOf(targetArn, inventory, by);
  return lambda !== undefined && limitsEvents(lambda, qualifierOf(targetArn));
}
