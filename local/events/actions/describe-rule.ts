import type { EventsAction } from '../events-actions';
import { ruleDescription } from './rule-description';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeRule.html */
export const describeRule: EventsAction<'DescribeRule'> = {
  permission: 'events:DescribeRule',
  resourceOf: (internals, { Name, EventBusName }) => internals.ruleAt(Name, EventBusName),
  run: ({ buses, context }, { input: { Name = '', EventBusName } }) => ({
    ...ruleDescription(buses.rule(Name, EventBusName)),
    CreatedBy: context.place.account,
  }),
};
