import { groupOfArn } from '../tags';
import type { LogsAction } from './logs-action';
import { taggedResource } from './tagged-resource';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: LogsAction<'ListTagsForResource'> = {
  permission: 'logs:ListTagsForResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn } }) => ({ tags: groupOfArn(state, resourceArn).tags.record() }),
};
