import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UntagResource.html */
export const untagResource: SchedulerAction<'UntagResource'> = {
  permission: 'scheduler:UntagResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn, TagKeys } }) => {
    tagsOf(internals, ResourceArn).remove(TagKeys);
    return {};
  },
};
