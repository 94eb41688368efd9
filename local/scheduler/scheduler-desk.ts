import type { Caller } from '../kernel/caller';
import type { RequestChecks, Resource } from '../kernel/doorkeeper';
import type { SchedulerContext } from './context';
import type { SchedulerDependencies } from './ports';
import type { ScheduleDefinition, ScheduleInput } from './schedule';
import { DEFAULT_GROUP, type ScheduleGroups } from './schedule-groups';
import { scheduleDefinition } from './schedule-rules';
import type { ScheduleRunner } from './schedule-runner';

/** What the API actions work on. */
export class SchedulerInternals {
  constructor(
    readonly context: SchedulerContext,
    readonly checks: RequestChecks<'scheduler'>,
    readonly groups: ScheduleGroups,
    readonly runner: ScheduleRunner,
    private readonly neighbours: SchedulerDependencies,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** The schedule an action is about, whether or not there is one. */
  scheduleAt(name = '', groupName = DEFAULT_GROUP): Resource {
    return { arn: this.groups.scheduleArn(name, groupName) };
  }

  /** The group an action is about, whether or not there is one. */
  groupAt(name = ''): Resource {
    return { arn: this.groups.groupArn(name) };
  }

  /**
   * What a request says of a schedule. Whoever gives it a role has to be allowed to pass that on.
   *
   * @throws AwsError `ValidationException`, `AccessDeniedException`
   */
  define(caller: Caller, input: ScheduleInput): ScheduleDefinition {
    const { place } = this.context;
    const definition = scheduleDefinition(input, {
      nowMs: this.nowMs,
      region: place.region,
      account: place.account,
      groupArn: this.groups.groupArn(input.GroupName ?? DEFAULT_GROUP),
      neighbours: this.neighbours,
    });
    this.checks.checkAccess(caller, 'iam:PassRole', { arn: definition.target.RoleArn });
    return definition;
  }
}
