import type { EventsAction } from '../events-actions';
import { eventsPage } from '../paging';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTargetsByRule.html */
export const listTargetsByRule: EventsAction<'ListTargetsByRule'> = {
  permission: 'events:ListTargetsByRule',
  resourceOf: (internals, { Rule, EventBusName }) => internals.ruleAt(Rule, EventBusName),
  run: ({ buses }, { input: { Rule = '', EventBusName, Limit, NextToken } }) => {
    const targets = [...buses.rule(Rule, EventBusName).targets.values()];
    const { items, nextToken } = eventsPage(targets, Limit, NextToken);
    return { Targets: items.map(({ definition }) => definition), ...(nextToken && { NextToken: nextToken }) };
  },
};
