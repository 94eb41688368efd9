import { groupName, groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogGroupDeletionProtection.html */
export const putLogGroupDeletionProtection: LogsAction<'PutLogGroupDeletionProtection'> = {
  permission: 'logs:PutLogGroupDeletionProtection',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    state.get(groupName(input)).deletionProtectionEnabled = input.deletionProtectionEnabled ?? false;
    return {};
  },
};
