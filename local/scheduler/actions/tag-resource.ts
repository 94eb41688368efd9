import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_TagResource.html */
export const tagResource: SchedulerAction<'TagResource'> = {
  permission: 'scheduler:TagResource',
  resourceOf: (_desk, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (desk, { input: { ResourceArn, Tags } }) => {
    tagsOf(desk, ResourceArn).put(Tags);
    return {};
  },
};
