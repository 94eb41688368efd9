import { groupOfArn } from '../tags';
import type { LogsAction } from './logs-action';
import { taggedResource } from './tagged-resource';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_UntagResource.html */
export const untagResource: LogsAction<'UntagResource'> = {
  permission: 'logs:UntagResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn, tagKeys = [] } }) => {
    groupOfArn(state, resourceArn).tags.remove(tagKeys);
    return {};
  },
};
