import type { Done } from '../events-actions';
import type { EventsInternals } from '../events-desk';
import type { Rule } from '../rule';

/** What a disabled rule misses, it has missed; a rate counts anew from when it is enabled. */
export function setEnabled({ scheduledRules, context }: EventsInternals, rule: Rule, isEnabled: boolean): Done {
  if (rule.definition.isEnabled === isEnabled) return {};
  rule.enable(isEnabled);
  scheduledRules.changed(rule);
  const type = isEnabled ? 'events.rule-enabled' : 'events.rule-disabled';
  context.trace.record({ type, ruleArn: rule.arn });
  return {};
}
