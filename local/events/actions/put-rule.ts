import type { PutRuleRequest } from '@aws-sdk/client-eventbridge';
import { BUS_NAME, constrainRuleName, eventsConstraints, limitExceeded, validationException } from '../constraints';
import { type EventBus, Rule, type RuleDefinition } from '../event-bus';
import type { EventsAction } from './events-action';

const STATES = ['ENABLED', 'DISABLED', 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS'];
const MAX_RULES = 300;
const EMPTY_PATTERN = /^\s*\{\s*\}\s*$/;

/**
 * Creates a rule or replaces its definition. Targets and tags stay.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
 */
export const putRule: EventsAction<'PutRule'> = {
  permission: 'events:PutRule',
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
};

function check(input: PutRuleRequest): void {
  const { Name, ScheduleExpression, EventPattern, State, Description, RoleArn, EventBusName } = input;
  constrainRuleName(eventsConstraints(), 'name', Name)
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
