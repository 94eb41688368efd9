import { groupNamed, type LogsAction } from './logs-action';

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_ListTagsLogGroup.html */
export const listTagsLogGroup: LogsAction<'ListTagsLogGroup'> = {
  permission: 'logs:ListTagsLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '' } }) => ({ tags: state.get(logGroupName).tags.record() }),
};
