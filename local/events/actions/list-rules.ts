import type { EventsAction } from '../events-actions';
import { eventsPage } from '../paging';
import { ruleDescription } from './rule-description';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListRules.html */
export const listRules: EventsAction<'ListRules'> = {
  permission: 'events:ListRules',
  resourceOf: internals => internals.ruleAt('*'),
  run: ({ buses }, { input: { NamePrefix = '', EventBusName, Limit, NextToken } }) => {
    const rules = buses.get(EventBusName).rulesInOrder.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = eventsPage(rules, Limit, NextToken);
    return { Rules: items.map(ruleDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};
