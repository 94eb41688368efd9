import { AwsError } from '../../kernel/aws-error';
import type { ResourceTags } from '../../kernel/tags';
import type { SchedulerState } from '../scheduler-state';
import type { SchedulerAction } from './scheduler-action';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_TagResource.html */
export const tagResource: SchedulerAction<'TagResource'> = {
  permission: 'scheduler:TagResource',
  resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (state, { input: { ResourceArn, Tags } }) => {
    tagsOf(state, ResourceArn).put(Tags);
  },
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UntagResource.html */
export const untagResource: SchedulerAction<'UntagResource'> = {
  permission: 'scheduler:UntagResource',
  resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (state, { input: { ResourceArn, TagKeys } }) => {
    tagsOf(state, ResourceArn).remove(TagKeys);
  },
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: SchedulerAction<'ListTagsForResource'> = {
  permission: 'scheduler:ListTagsForResource',
  resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (state, { input: { ResourceArn } }) => ({ Tags: tagsOf(state, ResourceArn).list() }),
};

/**
 * Returns the tags of a group. Schedules have no tags.
 * @throws AwsError `ResourceNotFoundException`
 */
function tagsOf({ groups }: SchedulerState, arn = ''): ResourceTags {
  const group = groups.all.find(it => it.arn === arn);
  if (!group) throw new AwsError('ResourceNotFoundException', `Resource ${arn} does not exist.`, 404);
  return group.tags;
}
