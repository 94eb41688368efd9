import { parseArn } from '../../../policy/arn';
import type { Resource } from '../../kernel/service-api';
import { tagList } from '../../kernel/tags';
import { constrainText, logsConstraints, resourceMissing } from '../errors';
import type { LogGroup } from '../log-group';
import type { LogsState } from '../logs-state';
import { nameInIdentifier } from '../ports';
import { groupNamed, type LogsAction } from './logs-action';

/** Only log groups have tags in the embedded AWS. @throws AwsError when the ARN is not that of an existing log group */
function groupOfArn(state: LogsState, resourceArn: string | undefined): LogGroup {
  constrainText(logsConstraints(), 'resourceArn', resourceArn, 1011).check();
  const arn = resourceArn ?? '';
  const group = parseArn(arn)?.service === 'logs' ? state.find(nameInIdentifier(arn)) : undefined;
  if (!group) throw resourceMissing();
  return group;
}

/** The resource of an action on tags, as the caller named it. */
const taggedResource = (
  _: LogsState,
  { resourceArn = '' }: { readonly resourceArn: string | undefined },
): Resource => ({ arn: resourceArn });

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagResource.html */
export const tagResource: LogsAction<'TagResource'> = {
  permission: 'logs:TagResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn, tags = {} } }) => {
    groupOfArn(state, resourceArn).tags.put(tagList(tags));
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_UntagResource.html */
export const untagResource: LogsAction<'UntagResource'> = {
  permission: 'logs:UntagResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn, tagKeys = [] } }) => {
    groupOfArn(state, resourceArn).tags.remove(tagKeys);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: LogsAction<'ListTagsForResource'> = {
  permission: 'logs:ListTagsForResource',
  resourceOf: taggedResource,
  run: (state, { input: { resourceArn } }) => ({ tags: groupOfArn(state, resourceArn).tags.record() }),
};

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagLogGroup.html */
export const tagLogGroup: LogsAction<'TagLogGroup'> = {
  permission: 'logs:TagLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', tags = {} } }) => {
    state.get(logGroupName).tags.put(tagList(tags));
    return {};
  },
};

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_UntagLogGroup.html */
export const untagLogGroup: LogsAction<'UntagLogGroup'> = {
  permission: 'logs:UntagLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', tags = [] } }) => {
    state.get(logGroupName).tags.remove(tags);
    return {};
  },
};

/** Deprecated by AWS, and still in use. @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_ListTagsLogGroup.html */
export const listTagsLogGroup: LogsAction<'ListTagsLogGroup'> = {
  permission: 'logs:ListTagsLogGroup',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '' } }) => ({ tags: state.get(logGroupName).tags.record() }),
};
