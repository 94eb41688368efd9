import type {
  CreateScheduleGroupInput,
  CreateScheduleGroupOutput,
  CreateScheduleInput,
  CreateScheduleOutput,
  DeleteScheduleGroupInput,
  DeleteScheduleInput,
  GetScheduleGroupInput,
  GetScheduleGroupOutput,
  GetScheduleInput,
  GetScheduleOutput,
  ListScheduleGroupsInput,
  ListScheduleGroupsOutput,
  ListSchedulesInput,
  ListSchedulesOutput,
  ListTagsForResourceInput,
  ListTagsForResourceOutput,
  TagResourceInput,
  UntagResourceInput,
  UpdateScheduleInput,
  UpdateScheduleOutput,
} from '@aws-sdk/client-scheduler';
import type { Action, InputOf, OutputOf } from '../kernel/api';
import type { ServiceAction } from '../kernel/front-door';
import type { SchedulerInternals } from './scheduler-desk';

/** An answer that says nothing but that it is done. */
export type Done = Readonly<Record<string, never>>;

/**
 * The actions of EventBridge Scheduler, by AWS's names, with the shapes its clients know.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html
 */
export type SchedulerActions = {
  readonly CreateSchedule: Action<CreateScheduleInput, CreateScheduleOutput>;
  readonly CreateScheduleGroup: Action<CreateScheduleGroupInput, CreateScheduleGroupOutput>;
  readonly DeleteSchedule: Action<DeleteScheduleInput, Done>;
  readonly DeleteScheduleGroup: Action<DeleteScheduleGroupInput, Done>;
  readonly GetSchedule: Action<GetScheduleInput, GetScheduleOutput>;
  readonly GetScheduleGroup: Action<GetScheduleGroupInput, GetScheduleGroupOutput>;
  readonly ListScheduleGroups: Action<ListScheduleGroupsInput, ListScheduleGroupsOutput>;
  readonly ListSchedules: Action<ListSchedulesInput, ListSchedulesOutput>;
  readonly ListTagsForResource: Action<ListTagsForResourceInput, ListTagsForResourceOutput>;
  readonly TagResource: Action<TagResourceInput, Done>;
  readonly UntagResource: Action<UntagResourceInput, Done>;
  readonly UpdateSchedule: Action<UpdateScheduleInput, UpdateScheduleOutput>;
};

export type SchedulerActionName = keyof SchedulerActions;

/** One API action: who may call it, what it is about, and what it does. */
export type SchedulerAction<Name extends SchedulerActionName> = ServiceAction<
  SchedulerInternals,
  InputOf<SchedulerActions[Name]>,
  OutputOf<SchedulerActions[Name]>
>;
