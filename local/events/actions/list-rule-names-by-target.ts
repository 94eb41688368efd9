import type { EventsAction } from '../events-actions';
import { eventsPage } from '../paging';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListRuleNamesByTarget.html */
export const listRuleNamesByTarget: EventsAction<'ListRuleNamesByTarget'> = {
  permission: 'events:ListRuleNamesByTarget',
  resourceOf: internals => internals.ruleAt('*'),
  run: ({ buses }, { input: { TargetArn, EventBusName, Limit, NextToken } }) => {
    const names = buses
      .get(EventBusName)
      .rulesInOrder.filter(({ targets }) => [...targets.values()].some(({ arn }) => arn === TargetArn))
      .map(({ name }) => name);
    const { items, nextToken } = eventsPage(names, Limit, NextToken);
    return { RuleNames: items, ...(nextToken && { NextToken: nextToken }) };
  },
};
