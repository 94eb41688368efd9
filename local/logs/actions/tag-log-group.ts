import { tagList } from '../../kernel/resource-tags';
import { groupNamed, type LogsAction } from './logs-action';

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagLogGroup.html */
export const tagLogGroup: LogsAction<'TagLogGroup'> = {
  permission: 'logs:TagLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', tags = {} } }) => {
    state.get(logGroupName).tags.put(tagList(tags));
    return {};
  },
};
