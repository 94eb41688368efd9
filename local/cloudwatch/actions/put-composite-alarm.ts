import type { PutCompositeAlarmInput } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { AlarmRegistry } from '../alarms/alarm';
import { type ActionsSuppressor, alarmArn, type CompositeAlarmConfiguration } from '../alarms/alarm-configuration';
import { actionProblems, commonConfiguration, constrainAlarm } from '../alarms/alarm-request';
import { alarmNameOf, alarmsIn, parseAlarmRule, sizeOf } from '../alarms/alarm-rule';
import { CompositeAlarm } from '../alarms/composite-alarm';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints, validationError } from '../errors';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

const LONGEST_RULE = 10_240;
const MOST_CHILDREN = 100;
const MOST_ELEMENTS = 500;
const LONGEST_SUPPRESSOR = 1_600;

export const putCompositeAlarm: CloudWatchAction<'PutCompositeAlarm'> = {
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    if (input.ActionConfiguration) throw notImplemented("an alarm's ActionConfiguration");
    constrainAlarm(new Constraints(), input)
      .notNull('alarmRule', input.AlarmRule)
      .length('alarmRule', input.AlarmRule, 1, LONGEST_RULE)
      .length('actionsSuppressor', input.ActionsSuppressor, 1, LONGEST_SUPPRESSOR)
      .range('actionsSuppressorWaitPeriod', input.ActionsSuppressorWaitPeriod, 0)
      .range('actionsSuppressorExtensionPeriod', input.ActionsSuppressorExtensionPeriod, 0)
      .check();
    const problems = [...suppressorProblems(input), ...actionProblems(input, state.context.place.region)];
    if (problems.length > 0) throw validationError(problems.join('; '));
    const configuration = compositeConfiguration(state, input);
    checkRule(state, configuration);
    const existing = state.alarms.find(configuration.alarmName);
    if (!existing && input.Tags) state.tags.add(configuration.alarmArn, input.Tags);
    state.putCompositeAlarm(configuration);
    return {};
  },
};

function compositeConfiguration(
  { context, alarms }: CloudWatchState,
  input: PutCompositeAlarmInput,
): CompositeAlarmConfiguration {
  const common = commonConfiguration(context, input);
  const existing = alarms.find(common.alarmName);
  if (existing && !(existing instanceof CompositeAlarm)) {
    throw validationError(`There is a metric alarm of the name ${common.alarmName}`);
  }
  return { ...common, alarmRule: input.AlarmRule ?? '', suppressor: suppressorOf(input) };
}

function suppressorOf(input: PutCompositeAlarmInput): ActionsSuppressor | undefined {
  const { ActionsSuppressor: alarm, ActionsSuppressorWaitPeriod = 0, ActionsSuppressorExtensionPeriod = 0 } = input;
  return alarm === undefined
    ? undefined
    : {
        alarm,
        waitPeriodSeconds: ActionsSuppressorWaitPeriod,
        extensionPeriodSeconds: ActionsSuppressorExtensionPeriod,
      };
}

function suppressorProblems(input: PutCompositeAlarmInput): readonly string[] {
  const periods = ['ActionsSuppressorWaitPeriod', 'ActionsSuppressorExtensionPeriod'] as const;
  const { ActionsSuppressor: alarm } = input;
  if (alarm === undefined) {
    return periods.filter(name => input[name] !== undefined).map(name => `${name} requires an ActionSuppressor`);
  }
  const missing = periods.filter(name => input[name] === undefined).map(name => `${name} must not be null`);
  const isOtherArn = alarm.startsWith('arn:') && !/^arn:[^:]+:cloudwatch:[^:]+:\d{12}:alarm:/.test(alarm);
  return isOtherArn ? [...missing, 'ActionsSuppressor must be a valid CloudWatch Alarm ARN or an Alarm name'] : missing;
}

/**
 * Checks that the alarms in the rule exist, and that the rule does not depend on the alarm itself. AWS accepts a cycle
 * of composite alarms and then stops evaluating them. The embedded AWS rejects it, because such alarms never report
 * anything.
 */
function checkRule(
  { alarms, context }: CloudWatchState,
  { alarmName, alarmRule, suppressor }: CompositeAlarmConfiguration,
) {
  const rule = parseAlarmRule(alarmRule);
  const references = [...new Set(alarmsIn(rule))];
  if (references.length > MOST_CHILDREN) {
    throw validationError(
      `Error in AlarmRule [It names ${references.length} alarms, at most ${MOST_CHILDREN} are allowed]`,
    );
  }
  if (sizeOf(rule) > MOST_ELEMENTS) {
    throw validationError(`Error in AlarmRule [It has ${sizeOf(rule)} elements, at most ${MOST_ELEMENTS} are allowed]`);
  }
  const names = references.map(alarmNameOf);
  if (names.some(name => leadsTo(alarms, name, alarmName))) {
    throw validationError(
      'A composite alarm cannot have a child relation with itself via its AlarmRule, as it would introduce a circular dependency',
    );
  }
  const missing = names.filter(name => !alarms.find(name)).map(name => alarmArn(context.place, name));
  if (missing.length > 0) {
    throw validationError(
      `Could not save the composite alarm as alarms [${missing.join(', ')}] in the alarm rule do not exist`,
    );
  }
  if (suppressor && !alarms.find(alarmNameOf(suppressor.alarm))) {
    const arn = alarmArn(context.place, alarmNameOf(suppressor.alarm));
    throw validationError(`Could not save the composite alarm as its actions suppressor ${arn} does not exist`);
  }
}

/** Whether the alarm `from` is the alarm `to`, or depends on it. */
function leadsTo(alarms: AlarmRegistry, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === to) return true;
    const alarm = seen.has(name) ? undefined : alarms.find(name);
    seen.add(name);
    if (alarm instanceof CompositeAlarm) open.push(...alarm.children);
  }
  return false;
}
