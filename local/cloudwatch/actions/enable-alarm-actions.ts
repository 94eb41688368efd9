import type { EnableAlarmActionsInput } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints } from '../constraints';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';

const MAX_SWITCHED_ALARMS = 100;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_EnableAlarmActions.html */
export const enableAlarmActions: CloudWatchAction<'EnableAlarmActions'> = {
  permission: 'cloudwatch:EnableAlarmActions',
  resourceOf: anyAlarm,
  run: (state, { input }) => {
    enable(state, input, true);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DisableAlarmActions.html */
export const disableAlarmActions: CloudWatchAction<'DisableAlarmActions'> = {
  permission: 'cloudwatch:DisableAlarmActions',
  resourceOf: anyAlarm,
  run: (state, { input }) => {
    enable(state, input, false);
    return {};
  },
};

/** Names of alarms that are not there are passed over, as on AWS. */
function enable(state: CloudWatchState, { AlarmNames: names }: EnableAlarmActionsInput, actionsEnabled: boolean): void {
  new Constraints().notNull('alarmNames', names).length('alarmNames', names, 0, MAX_SWITCHED_ALARMS).check();
  for (const alarmName of names ?? []) state.enableActions(alarmName, actionsEnabled);
}
