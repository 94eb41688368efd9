import type { ServiceActions } from '../../kernel/front-door';
import type { SchedulerActions } from '../scheduler-actions';
import type { SchedulerInternals } from '../scheduler-desk';
import { createSchedule } from './create-schedule';
import { createScheduleGroup } from './create-schedule-group';
import { deleteSchedule } from './delete-schedule';
import { deleteScheduleGroup } from './delete-schedule-group';
import { getSchedule } from './get-schedule';
import { getScheduleGroup } from './get-schedule-group';
import { listScheduleGroups } from './list-schedule-groups';
import { listSchedules } from './list-schedules';
import { listTagsForResource } from './list-tags-for-resource';
import { tagResource } from './tag-resource';
import { untagResource } from './untag-resource';
import { updateSchedule } from './update-schedule';

/** Every API action by its name. */
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
