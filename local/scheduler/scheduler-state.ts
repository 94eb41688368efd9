import type { Scheduler } from '@aws-sdk/client-scheduler';
import type { Caller } from '../kernel/caller';
import type { ActionFamily, RequestChecks, Resource } from '../kernel/service-api';
import type { SchedulerDependencies } from './ports';
import { DEFAULT_GROUP, type ScheduleDefinition, type ScheduleGroups, type ScheduleInput } from './schedule';
import { scheduleDefinition } from './schedule-rules';
import type { ScheduleRunner } from './schedule-runner';
import type { SchedulerContext } from './trace-events';

export type SchedulerFamily = ActionFamily<SchedulerState, Scheduler>;

/** The parts of EventBridge Scheduler that its API actions use. */
export class SchedulerState {
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
