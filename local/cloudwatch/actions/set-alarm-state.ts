import { jsonProblem } from '../../kernel/json-problem';
import { ALARM_STATES } from '../alarms/alarm-configuration';
import { Constraints } from '../constraints';
import { alarmNotFound, invalidFormat } from '../errors';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

const LONGEST_NAME = 255;
const LONGEST_REASON = 1_023;
const LONGEST_REASON_DATA = 4_000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html */
export const setAlarmState: CloudWatchAction<'SetAlarmState'> = {
  permission: 'cloudwatch:SetAlarmState',
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
    if (!alarm) throw alarmNotFound();
    const problem = data && jsonProblem(data);
    if (problem) throw invalidFormat(`StateReasonData was not syntactically valid JSON: ${problem.reason}`);
    const value = ALARM_STATES.find(known => known === StateValue) ?? alarm.state.value;
    alarm.setState(value, reason ?? '', data);
    return {};
  },
};
