import type { PutRuleRequest, Rule as RuleOutput } from '@aws-sdk/client-eventbridge';
import { Constraints, validationException } from '../../kernel/constraints';
import { isObject, type JsonObject } from '../../kernel/json';
import type { ResourceTags } from '../../kernel/tags';
import { BUS_NAME, constrainRuleName, eventsPage, limitExceeded, resourceNotFound } from '../constraints';
import { compiledPattern, type EventBus, Rule, type RuleDefinition } from '../event-bus';
import type { EventsFamily, EventsState } from '../events-state';

const STATES = ['ENABLED', 'DISABLED', 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS'];
const MAX_RULES = 300;
const EMPTY_PATTERN = /^\s*\{\s*\}\s*$/;

/** The required members of an event. Recorded on AWS: resources and detail are optional. */
const REQUIRED = ['id', 'account', 'source', 'time', 'region', 'detail-type'];

export const ruleActions = {
  /** Deleting a missing rule succeeds. */
  DeleteRule: {
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
  },

  EnableRule: {
    resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
    run: (state, { input: { Name = '', EventBusName } }) =>
      setEnabled(state, state.buses.rule(Name, EventBusName), true),
  },

  DisableRule: {
    resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
    run: (state, { input: { Name = '', EventBusName } }) =>
      setEnabled(state, state.buses.rule(Name, EventBusName), false),
  },

  DescribeRule: {
    resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
    run: ({ buses, context }, { input: { Name = '', EventBusName } }) => ({
      ...ruleDescription(buses.rule(Name, EventBusName)),
      CreatedBy: context.place.account,
    }),
  },

  ListRules: {
    resourceOf: state => state.ruleAt('*'),
    run: ({ buses }, { input: { NamePrefix = '', EventBusName, Limit, NextToken } }) => {
      const rules = buses.get(EventBusName).rulesInOrder.filter(({ name }) => name.startsWith(NamePrefix));
      const { items, nextToken } = eventsPage(rules, Limit, NextToken);
      return { Rules: items.map(ruleDescription), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  ListRuleNamesByTarget: {
    resourceOf: state => state.ruleAt('*'),
    run: ({ buses }, { input: { TargetArn, EventBusName, Limit, NextToken } }) => {
      const names = buses
        .get(EventBusName)
        .rulesInOrder.filter(({ targets }) => [...targets.values()].some(({ arn }) => arn === TargetArn))
        .map(({ name }) => name);
      const { items, nextToken } = eventsPage(names, Limit, NextToken);
      return { RuleNames: items, ...(nextToken && { NextToken: nextToken }) };
    },
  },

  /** Creates a rule or replaces its definition. Targets and tags stay. */
  PutRule: {
    resourceOf: (state, { Name, EventBusName }) => state.ruleAt(Name, EventBusName),
    run: ({ buses, scheduledRules, context }, { input }) => {
      check(input);
      const { Name = '', EventBusName, Tags } = input;
      const bus = buses.get(EventBusName);
      const definition = definitionOf(input);
      if (definition.scheduleExpression !== undefined && !bus.isDefault) {
        throw validationException('ScheduleExpression is supported only on the default event bus.');
      }
      const rule = putOn(bus, Name, definition, Tags);
      scheduledRules.changed(rule);
      const state = definition.isEnabled ? 'ENABLED' : 'DISABLED';
      context.trace.record({ type: 'events.rule-put', ruleArn: rule.arn, state });
      return { RuleArn: rule.arn };
    },
  },

  TestEventPattern: {
    run: (_state, { input: { EventPattern, Event } }) => {
      new Constraints()
        .notNull('eventPattern', EventPattern)
        .length('eventPattern', EventPattern, 0, 4096)
        .notNull('event', Event)
        .check();
      const matches = compiledPattern(EventPattern ?? '');
      return { Result: matches(readEvent(Event ?? '')) };
    },
  },

  TagResource: {
    resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
    run: (state, { input: { ResourceARN, Tags } }) => {
      tagsOf(state, ResourceARN).put(Tags);
    },
  },

  UntagResource: {
    resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
    run: (state, { input: { ResourceARN, TagKeys } }) => {
      tagsOf(state, ResourceARN).remove(TagKeys);
    },
  },

  ListTagsForResource: {
    resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
    run: (state, { input: { ResourceARN } }) => ({ Tags: tagsOf(state, ResourceARN).list() }),
  },
} satisfies EventsFamily;

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

function check(input: PutRuleRequest): void {
  const { Name, ScheduleExpression, EventPattern, State, Description, RoleArn, EventBusName } = input;
  constrainRuleName(new Constraints(), 'name', Name)
    .length('scheduleExpression', ScheduleExpression, 0, 256)
    .length('eventPattern', EventPattern, 0, 4096)
    .oneOf('state', State, STATES)
    .length('description', Description, 0, 512)
    .length('roleArn', RoleArn, 1, 1600)
    .length('eventBusName', EventBusName, 1, 1600)
    .pattern(
      'eventBusName',
      EventBusName,
      `(arn:aws[\\w-]*:events:[a-z]+-[a-z]+-[\\w-]+:[0-9]{12}:event-bus\\/)?${BUS_NAME}`,
    )
    .check();
}

/** An empty pattern means no pattern. */
function definitionOf(input: PutRuleRequest): RuleDefinition {
  const { EventPattern = '', ScheduleExpression, State = 'ENABLED', Description, RoleArn } = input;
  const eventPattern = EventPattern === '' || EMPTY_PATTERN.test(EventPattern) ? undefined : EventPattern;
  if (eventPattern === undefined && !ScheduleExpression) {
    throw validationException('Parameter(s) EventPattern or ScheduleExpression must be specified.');
  }
  return {
    eventPattern,
    scheduleExpression: ScheduleExpression || undefined,
    isEnabled: State !== 'DISABLED',
    description: Description,
    roleArn: RoleArn,
  };
}

function putOn(bus: EventBus, name: string, definition: RuleDefinition, tags: PutRuleRequest['Tags']): Rule {
  const existing = bus.rules.get(name);
  if (existing) {
    existing.define(definition);
    return existing;
  }
  if (bus.rules.size >= MAX_RULES) throw limitExceeded();
  const rule = new Rule(name, bus, definition);
  rule.tags.put(tags);
  bus.rules.set(name, rule);
  return rule;
}

function readEvent(text: string): JsonObject {
  try {
    const event: unknown = JSON.parse(text);
    if (isObject(event) && REQUIRED.every(name => Object.hasOwn(event, name))) return event;
  } catch {
    // AWS answers the same for invalid JSON and for a JSON value that is not an event.
  }
  throw validationException('Parameter Event is not valid.');
}

/** Returns the tags of a rule or a bus. */
function tagsOf({ buses }: EventsState, arn = ''): ResourceTags {
  const found = [...buses.all, ...buses.rules].find(it => it.arn === arn);
  if (!found) throw resourceNotFound(`Resource ${arn} does not exist.`);
  return found.tags;
}
