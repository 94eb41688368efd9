import type { SchedulerAction } from '../scheduler-actions';
import { groupDescription } from './group-description';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_GetScheduleGroup.html */
export const getScheduleGroup: SchedulerAction<'GetScheduleGroup'> = {
  permission: 'scheduler:GetScheduleGroup',
  resourceOf: (internals, { Name }) => internals.groupAt(Name),
  run: ({ groups }, { input: { Name } }) => groupDescription(groups.get(Name)),
};
