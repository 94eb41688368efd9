import type { EnableAlarmActionsInput } from '@aws-sdk/client-cloudwatch';
import { jsonProblem } from '../../kernel/json';
import { ALARM_STATES, alarmArn } from '../alarms/alarm-configuration';
import { CompositeAlarm } from '../alarms/composite-alarm';
import type { CloudWatchState } from '../cloud-watch-state';
import {
  alarmNotFound,
  alarmToSetNotFound,
  Constraints,
  invalidFormat,
  resourceNotFound,
  validationError,
} from '../errors';
import { alarmNamed, anyAlarm, type CloudWatchFamily, resourceGiven } from './cloud-watch-action';

const MAX_DELETED_ALARMS = 100;

const MAX_SWITCHED_ALARMS = 100;

const LONGEST_NAME = 255;
const LONGEST_REASON = 1_023;
const LONGEST_REASON_DATA = 4_000;

export const manageAlarmActions = {
  DeleteAlarms: {
    resourceOf: anyAlarm,
    run: (state, { input }) => {
      const { AlarmNames: names } = input;
      new Constraints().notNull('alarmNames', names).length('alarmNames', names, 0, MAX_DELETED_ALARMS).check();
      checkDeletable(state, names ?? []);
      for (const name of names ?? []) state.deleteAlarm(name);
      return {};
    },
  },

  EnableAlarmActions: {
    resourceOf: anyAlarm,
    run: (state, { input }) => {
      enable(state, input, true);
      return {};
    },
  },

  DisableAlarmActions: {
    resourceOf: anyAlarm,
    run: (state, { input }) => {
      enable(state, input, false);
      return {};
    },
  },

  SetAlarmState: {
    resourceOf: alarmNamed,
    run: (state, { input }) => {
      const { AlarmName: name = '', StateValue, StateReason: reason, StateReasonData: data } = input;
      new Constraints()
        .notNull('alarmName', input.AlarmName)
        .notNull('stateValue', StateValue)
        .notNull('stateReason', reason)
        .length('alarmName', name, 1, LONGEST_NAME)
        .oneOf('stateValue', StateValue, ALARM_STATES)
        .length('stateReason', reason, 0, LONGEST_REASON)
        .length('stateReasonData', data, 0, LONGEST_REASON_DATA)
        .check();
      const alarm = state.alarms.find(name);
      if (!alarm) throw alarmToSetNotFound();
      const problem = data && jsonProblem(data);
      if (problem) throw invalidFormat(`StateReasonData was not syntactically valid JSON: ${problem.reason}`);
      const value = ALARM_STATES.find(known => known === StateValue) ?? alarm.state.value;
      alarm.setState(value, reason ?? '', data);
      return {};
    },
  },

  TagResource: {
    resourceOf: resourceGiven,
    run: (state, { input }) => {
      new Constraints().notNull('resourceARN', input.ResourceARN).notNull('tags', input.Tags).check();
      state.tags.add(taggable(state, input.ResourceARN), input.Tags ?? []);
      return {};
    },
  },

  UntagResource: {
    resourceOf: resourceGiven,
    run: (state, { input }) => {
      new Constraints().notNull('resourceARN', input.ResourceARN).notNull('tagKeys', input.TagKeys).check();
      state.tags.remove(taggable(state, input.ResourceARN), input.TagKeys ?? []);
      return {};
    },
  },

  ListTagsForResource: {
    resourceOf: resourceGiven,
    run: (state, { input }) => {
      new Constraints().notNull('resourceARN', input.ResourceARN).check();
      const { ResourceARN: arn = '' } = input;
      return { Tags: wasAlarm(state, arn) ? [] : state.tags.of(taggable(state, arn)) };
    },
  },
} satisfies CloudWatchFamily;

/** Rejects the whole request if one of the alarms cannot be deleted. */
function checkDeletable({ alarms }: CloudWatchState, names: readonly string[]): void {
  const found = names.map(name => alarms.find(name));
  if (found.includes(undefined)) throw alarmNotFound();
  const composites = found.filter(alarm => alarm instanceof CompositeAlarm);
  if (composites.length > 1) throw validationError('At most one composite alarm can be deleted at a time');
  const staying = alarms.all.filter(({ name }) => !names.includes(name));
  const needed = names.find(name =>
    staying.some(alarm => alarm instanceof CompositeAlarm && alarm.dependsOn.includes(name)),
  );
  if (needed !== undefined) {
    throw validationError(`Cannot delete ${needed} as there are composite alarm(s) depending on it.`);
  }
}

/** Like AWS, ignores names of alarms that do not exist. */
function enable(state: CloudWatchState, { AlarmNames: names }: EnableAlarmActionsInput, actionsEnabled: boolean): void {
  new Constraints().notNull('alarmNames', names).length('alarmNames', names, 0, MAX_SWITCHED_ALARMS).check();
  for (const alarmName of names ?? []) state.enableActions(alarmName, actionsEnabled);
}

/**
 * Whether it is the ARN of a deleted alarm. Recorded on AWS: its tags can still be listed. **Assumption CW-17:** AWS
 * does not publish for how long, or whether the list is empty. Here it is empty, as long as the alarm's history is
 * kept.
 */
function wasAlarm({ alarms, context }: CloudWatchState, arn: string): boolean {
  const isDeleted = ({ alarmName }: { readonly alarmName: string }): boolean =>
    alarms.find(alarmName) === undefined && alarmArn(context.place, alarmName) === arn;
  return alarms.historiesOf().some(isDeleted);
}

function taggable({ alarms, dashboards }: CloudWatchState, arn = ''): string {
  const isThere =
    alarms.all.some(({ configuration }) => configuration.alarmArn === arn) ||
    dashboards.all.some(dashboard => dashboard.arn === arn);
  if (!isThere) throw resourceNotFound(arn);
  return arn;
}
