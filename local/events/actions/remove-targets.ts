import { eventsConstraints } from '../constraints';
import type { EventsAction } from '../events-actions';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RemoveTargets.html */
export const removeTargets: EventsAction<'RemoveTargets'> = {
  permission: 'events:RemoveTargets',
  resourceOf: (internals, { Rule, EventBusName }) => internals.ruleAt(Rule, EventBusName),
  run: ({ buses, context }, { input: { Rule = '', EventBusName, Ids = [] } }) => {
    eventsConstraints().length('ids', Ids, 1, 100).check();
    const rule = buses.rule(Rule, EventBusName);
    const targetIds = Ids.filter(id => rule.targets.delete(id));
    context.trace.record({ type: 'events.targets-removed', ruleArn: rule.arn, targetIds });
    const unknown = Ids.filter(id => !targetIds.includes(id));
    return {
      FailedEntryCount: unknown.length,
      FailedEntries: unknown.map(TargetId => ({
        TargetId,
        ErrorCode: 'ResourceNotFoundException',
        ErrorMessage: `Rule ${rule.name} does not have target(s) with ids ${TargetId}`,
      })),
    };
  },
};
