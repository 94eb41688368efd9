import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: SchedulerAction<'ListTagsForResource'> = {
  permission: 'scheduler:ListTagsForResource',
  resourceOf: (_internals, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (internals, { input: { ResourceArn } }) => ({ Tags: tagsOf(internals, ResourceArn).list() }),
};
