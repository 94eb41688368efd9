import { addTags, groupOfArn } from '../tags';
import type { LogsAction } from './logs-action';
import { taggedResource } from './tagged-resource';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagResource.html */
export const tagResource: LogsAction<'TagResource'> = {
  permission: 'logs:TagResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn, tags = {} } }) => {
    addTags(groupOfArn(state, resourceArn), tags);
    return {};
  },
};
