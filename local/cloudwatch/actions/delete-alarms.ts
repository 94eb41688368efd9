import { CompositeAlarm } from '../alarms/composite/composite-alarm';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints } from '../constraints';
import { alarmNotFound, validationError } from '../errors';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';

const MAX_DELETED_ALARMS = 100;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DeleteAlarms.html */
export const deleteAlarms: CloudWatchAction<'DeleteAlarms'> = {
  permission: 'cloudwatch:DeleteAlarms',
  resourceOf: anyAlarm,
  run: (state, { input }) => {
    const { AlarmNames: names } = input;
    new Constraints().notNull('alarmNames', names).length('alarmNames', names, 0, MAX_DELETED_ALARMS).check();
    checkDeletable(state, names ?? []);
    for (const name of names ?? []) state.deleteAlarm(name);
    return {};
  },
};

/** Either all of them are deleted, or none. */
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
