import type { Scheduler } from '@aws-sdk/client-scheduler';
import type { SdkActions } from '../../kernel/service-api';
import { createScheduleGroup, deleteScheduleGroup, getScheduleGroup, listScheduleGroups } from './schedule-groups';
import { createSchedule, deleteSchedule, getSchedule, listSchedules, updateSchedule } from './schedules';
import { listTagsForResource, tagResource, untagResource } from './tags';

/**
 * The API actions of EventBridge Scheduler that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html
 */
export const SCHEDULER_ACTIONS = {
  CreateSchedule: createSchedule,
  CreateScheduleGroup: createScheduleGroup,
  DeleteSchedule: deleteSchedule,
  DeleteScheduleGroup: deleteScheduleGroup,
  GetSchedule: getSchedule,
  GetScheduleGroup: getScheduleGroup,
  ListScheduleGroups: listScheduleGroups,
  ListSchedules: listSchedules,
  ListTagsForResource: listTagsForResource,
  TagResource: tagResource,
  UntagResource: untagResource,
  UpdateSchedule: updateSchedule,
};

export type SchedulerActionName = keyof typeof SCHEDULER_ACTIONS;

/** The signatures of the implemented actions. */
export type SchedulerActions = SdkActions<Scheduler, SchedulerActionName>;
