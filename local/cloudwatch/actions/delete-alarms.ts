import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { alarmNotFound } from '../errors';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DeleteAlarms.html */
export const deleteAlarms =
  (state: CloudWatchState): CloudWatchActions['DeleteAlarms'] =>
  ({ input }) => {
    const names = input.AlarmNames ?? [];
    if (names.some(name => !state.alarm(name))) throw alarmNotFound();
    for (const name of names) state.deleteAlarm(name);
    return {};
  };
