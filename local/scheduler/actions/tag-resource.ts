import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_TagResource.html */
export const tagResource: SchedulerAction<'TagResource'> = {
  permission: 'scheduler:TagResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn, Tags } }) => {
    tagsOf(internals, ResourceArn).put(Tags);
    return {};
  },
};
