import { alarmNotFound } from '../errors';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DeleteAlarms.html */
export const deleteAlarms: CloudWatchAction<'DeleteAlarms'> = {
  permission: 'cloudwatch:DeleteAlarms',
  resourceOf: anyAlarm,
  run: (state, { input }) => {
    const names = input.AlarmNames ?? [];
    if (names.some(name => !state.alarm(name))) throw alarmNotFound();
    for (const name of names) state.deleteAlarm(name);
    return {};
  },
};
