import { AwsError } from '../../kernel/aws-error';
import { groupName, groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteLogGroup.html */
export const deleteLogGroup: LogsAction<'DeleteLogGroup'> = {
  permission: 'logs:DeleteLogGroup',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const group = state.get(groupName(input));
    if (group.deletionProtectionEnabled) {
      throw new AwsError('ValidationException', `The log group ${group.name} is protected from deletion.`);
    }
    state.delete(group);
    return {};
  },
};
