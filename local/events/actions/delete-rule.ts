import { validationException } from '../errors';
import type { EventsAction } from '../events-actions';

/**
 * A rule that is not there is as good as deleted.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteRule.html
 */
export const deleteRule: EventsAction<'DeleteRule'> = {
  permission: 'events:DeleteRule',
  resourceOf: (internals, { Name, EventBusName }) => internals.ruleAt(Name, EventBusName),
  run: ({ buses, scheduledRules, context }, { input: { Name = '', EventBusName } }) => {
    const bus = buses.get(EventBusName);
    const rule = bus.rules.get(Name);
    if (!rule) return {};
    if (rule.targets.size > 0) throw validationException("Rule can't be deleted since it has targets.");
    scheduledRules.stop(rule);
    bus.rules.delete(Name);
    context.trace.record({ type: 'events.rule-deleted', ruleArn: rule.arn });
    return {};
  },
};
