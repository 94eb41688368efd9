import { groupNamed, type LogsAction } from './logs-action';

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_UntagLogGroup.html */
export const untagLogGroup: LogsAction<'UntagLogGroup'> = {
  permission: 'logs:UntagLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', tags = [] } }) => {
    state.get(logGroupName).tags.remove(tags);
    return {};
  },
};
