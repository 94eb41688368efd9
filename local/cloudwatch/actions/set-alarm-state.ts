import type { AlarmStateValue } from '../alarms/alarm-configuration';
import { alarmNotFound, validationError } from '../errors';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

const STATES: readonly AlarmStateValue[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html */
export const setAlarmState: CloudWatchAction<'SetAlarmState'> = {
  permission: 'cloudwatch:SetAlarmState',
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    const alarm = state.alarm(input.AlarmName ?? '');
    if (!alarm) throw alarmNotFound();
    const value = STATES.find(known => known === input.StateValue);
    if (!value) throw validationError(`StateValue must be one of ${STATES.join(', ')}, got ${input.StateValue}`);
    alarm.setState(value, input.StateReason ?? '', input.StateReasonData);
    return {};
  },
};
