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
import type { Caller } from '../kernel/caller';
import type { Action, InputOf, OutputOf, RequestChecks, Resource, ServiceAction } from '../kernel/service-api';
import type { SchedulerDependencies } from './ports';
import { DEFAULT_GROUP, type ScheduleDefinition, type ScheduleGroups, type ScheduleInput } from './schedule';
import { scheduleDefinition } from './schedule-rules';
import type { ScheduleRunner } from './schedule-runner';
import type { SchedulerContext } from './trace-events';

/** An empty response. */
type Done = Readonly<Record<string, never>>;

/**
 * The API actions of the embedded EventBridge Scheduler, with their inputs and outputs.
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

/** One API action: its permission, the resource that permission is checked on, and its implementation. */
export type SchedulerAction<Name extends SchedulerActionName> = ServiceAction<
  SchedulerInternals,
  InputOf<SchedulerActions[Name]>,
  OutputOf<SchedulerActions[Name]>
>;

/** The parts of EventBridge Scheduler that its API actions use. */
export class SchedulerInternals {
  constructor(
    readonly context: SchedulerContext,
    readonly checks: RequestChecks<'scheduler'>,
    readonly groups: ScheduleGroups,
    readonly runner: ScheduleRunner,
    private readonly dependencies: SchedulerDependencies,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** Returns the schedule that an action is authorized on, whether or not it exists. */
  scheduleAt(name = '', groupName = DEFAULT_GROUP): Resource {
    return { arn: this.groups.scheduleArn(name, groupName) };
  }

  /** Returns the group that an action is authorized on, whether or not it exists. */
  groupAt(name = ''): Resource {
    return { arn: this.groups.groupArn(name) };
  }

  /**
   * Reads and checks the schedule of a request. A caller that gives a target a role must be allowed to pass that role
   * (`iam:PassRole`).
   * @throws AwsError `ValidationException`, `AccessDeniedException`
   */
  define(caller: Caller, input: ScheduleInput): ScheduleDefinition {
    const { place } = this.context;
    const definition = scheduleDefinition(input, {
      nowMs: this.nowMs,
      region: place.region,
      account: place.account,
      groupArn: this.groups.groupArn(input.GroupName ?? DEFAULT_GROUP),
      dependencies: this.dependencies,
    });
    this.checks.checkAccess(caller, 'iam:PassRole', { arn: definition.target.RoleArn });
    return definition;
  }
}
