import type { AlarmStateValue } from '../alarms/alarm-configuration';
import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { alarmNotFound, validationError } from '../errors';

const STATES: readonly AlarmStateValue[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html */
export const setAlarmState =
  (state: CloudWatchState): CloudWatchActions['SetAlarmState'] =>
  ({ input }) => {
    const alarm = state.alarm(input.AlarmName ?? '');
    if (!alarm) throw alarmNotFound();
    const value = STATES.find(known => known === input.StateValue);
    if (!value) throw validationError(`StateValue must be one of ${STATES.join(', ')}, got ${input.StateValue}`);
    alarm.setState(value, input.StateReason ?? '', input.StateReasonData);
    return {};
  };
