import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteRetentionPolicy.html */
export const deleteRetentionPolicy: LogsAction<'DeleteRetentionPolicy'> = {
  permission: 'logs:DeleteRetentionPolicy',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '' } }) => {
    state.get(logGroupName).retentionInDays = undefined;
    return {};
  },
};
