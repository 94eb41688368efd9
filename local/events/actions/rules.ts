import type { Rule as RuleOutput } from '@aws-sdk/client-eventbridge';
import { eventsPage, validationException } from '../constraints';
import type { Rule } from '../event-bus';
import type { EventsState } from '../events-state';
import type { EventsAction } from './events-action';

/**
 * Deleting a missing rule succeeds.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteRule.html
 */
export const deleteRule: EventsAction<'DeleteRule'> = {
  permission: 'events:DeleteRule',
  resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
  run: ({ buses, scheduledRules, context }, { input: { Name = '', EventBusName } }) => {
    const bus = buses.get(EventBusName);
    const rule = bus.rules.get(Name);
    if (!rule) return;
    if (rule.targets.size > 0) throw validationException("Rule can't be deleted since it has targets.");
    scheduledRules.stop(rule);
    bus.rules.delete(Name);
    context.trace.record({ type: 'events.rule-deleted', ruleArn: rule.arn });
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_EnableRule.html */
export const enableRule: EventsAction<'EnableRule'> = {
  permission: 'events:EnableRule',
  resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
  run: (state, { input: { Name = '', EventBusName } }) => setEnabled(state, state.buses.rule(Name, EventBusName), true),
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DisableRule.html */
export const disableRule: EventsAction<'DisableRule'> = {
  permission: 'events:DisableRule',
  resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
  run: (state, { input: { Name = '', EventBusName } }) =>
    setEnabled(state, state.buses.rule(Name, EventBusName), false),
};

/**
 * Enables or disables a rule. A rule does not catch up on what it missed while disabled. A rate counts from when the
 * rule is enabled.
 */
function setEnabled({ scheduledRules, context }: EventsState, rule: Rule, isEnabled: boolean): void {
  if (rule.definition.isEnabled === isEnabled) return;
  rule.enable(isEnabled);
  scheduledRules.changed(rule);
  const type = isEnabled ? 'events.rule-enabled' : 'events.rule-disabled';
  context.trace.record({ type, ruleArn: rule.arn });
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeRule.html */
export const describeRule: EventsAction<'DescribeRule'> = {
  permission: 'events:DescribeRule',
  resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
  run: ({ buses, context }, { input: { Name = '', EventBusName } }) => ({
    ...ruleDescription(buses.rule(Name, EventBusName)),
    CreatedBy: context.place.account,
  }),
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListRules.html */
export const listRules: EventsAction<'ListRules'> = {
  permission: 'events:ListRules',
  resourceOf: state => state.ruleAt('*'),
  run: ({ buses }, { input: { NamePrefix = '', EventBusName, Limit, NextToken } }) => {
    const rules = buses.get(EventBusName).rulesInOrder.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = eventsPage(rules, Limit, NextToken);
    return { Rules: items.map(ruleDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListRuleNamesByTarget.html */
export const listRuleNamesByTarget: EventsAction<'ListRuleNamesByTarget'> = {
  permission: 'events:ListRuleNamesByTarget',
  resourceOf: state => state.ruleAt('*'),
  run: ({ buses }, { input: { TargetArn, EventBusName, Limit, NextToken } }) => {
    const names = buses
      .get(EventBusName)
      .rulesInOrder.filter(({ targets }) => [...targets.values()].some(({ arn }) => arn === TargetArn))
      .map(({ name }) => name);
    const { items, nextToken } = eventsPage(names, Limit, NextToken);
    return { RuleNames: items, ...(nextToken && { NextToken: nextToken }) };
  },
};

/** A rule as lists show it, without the members that it does not have. */
function ruleDescription({ arn, name, bus, definition }: Rule): RuleOutput {
  const { eventPattern, scheduleExpression, isEnabled, description, roleArn } = definition;
  return {
    Arn: arn,
    ...(description !== undefined && { Description: description }),
    EventBusName: bus.name,
    ...(eventPattern !== undefined && { EventPattern: eventPattern }),
    Name: name,
    ...(roleArn !== undefined && { RoleArn: roleArn }),
    ...(scheduleExpression !== undefined && { ScheduleExpression: scheduleExpression }),
    State: isEnabled ? 'ENABLED' : 'DISABLED',
  };
}
