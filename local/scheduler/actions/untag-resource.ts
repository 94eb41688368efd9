import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UntagResource.html */
export const untagResource: SchedulerAction<'UntagResource'> = {
  permission: 'scheduler:UntagResource',
  resourceOf: (_desk, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (desk, { input: { ResourceArn, TagKeys } }) => {
    tagsOf(desk, ResourceArn).remove(TagKeys);
    return {};
  },
};
