import { tagList } from '../../kernel/resource-tags';
import { groupOfArn } from '../tags';
import type { LogsAction } from './logs-action';
import { taggedResource } from './tagged-resource';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagResource.html */
export const tagResource: LogsAction<'TagResource'> = {
  permission: 'logs:TagResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn, tags = {} } }) => {
    groupOfArn(state, resourceArn).tags.put(tagList(tags));
    return {};
  },
};
