import type { ServiceActions } from '../../kernel/service-api';
import type { SchedulerActions, SchedulerInternals } from '../scheduler-actions';
import { createScheduleGroup, deleteScheduleGroup, getScheduleGroup, listScheduleGroups } from './schedule-groups';
import { createSchedule, deleteSchedule, getSchedule, listSchedules, updateSchedule } from './schedules';
import { listTagsForResource, tagResource, untagResource } from './tags';

/** All API actions by name. */
export const SCHEDULER_ACTIONS: ServiceActions<SchedulerInternals, SchedulerActions> = {
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
