import { AwsError } from '../../kernel/aws-error';
import type { ResourceTags } from '../../kernel/tags';
import type { SchedulerAction, SchedulerInternals } from '../scheduler-actions';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_TagResource.html */
export const tagResource: SchedulerAction<'TagResource'> = {
  permission: 'scheduler:TagResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn, Tags } }) => {
    tagsOf(internals, ResourceArn).put(Tags);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UntagResource.html */
export const untagResource: SchedulerAction<'UntagResource'> = {
  permission: 'scheduler:UntagResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn, TagKeys } }) => {
    tagsOf(internals, ResourceArn).remove(TagKeys);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: SchedulerAction<'ListTagsForResource'> = {
  permission: 'scheduler:ListTagsForResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn } }) => ({ Tags: tagsOf(internals, ResourceArn).list() }),
};

/**
 * Returns the tags of a group. Schedules have no tags.
 * @throws AwsError `ResourceNotFoundException`
 */
function tagsOf({ groups }: SchedulerInternals, arn = ''): ResourceTags {
  const group = groups.all.find(it => it.arn === arn);
  if (!group) throw new AwsError('ResourceNotFoundException', `Resource ${arn} does not exist.`, 404);
  return group.tags;
}
