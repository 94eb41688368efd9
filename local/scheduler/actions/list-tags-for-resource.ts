import type { SchedulerAction } from '../scheduler-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: SchedulerAction<'ListTagsForResource'> = {
  permission: 'scheduler:ListTagsForResource',
  resourceOf: (_desk, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
  run: (desk, { input: { ResourceArn } }) => ({ Tags: tagsOf(desk, ResourceArn).list() }),
};
