import type {
  ActionAfterCompletion,
  CreateScheduleInput,
  FlexibleTimeWindow,
  ScheduleState,
  Target as TargetInput,
} from '@aws-sdk/client-scheduler';
import { validationException } from '../kernel/constraints';
import { arnIn, type Place } from '../kernel/place';
import type { Resource } from '../kernel/service-api';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import type { ScheduleExpression, TimeZone } from '../schedule-expression/schedule-expression';
import { conflict, notFound } from './errors';

export type ScheduleTarget = TargetInput & { readonly Arn: string; readonly RoleArn: string };

/** A schedule from `CreateSchedule` or `UpdateSchedule`, already checked. */
export interface ScheduleDefinition {
  /** The expression as given. */
  readonly text: string;
  readonly expression: ScheduleExpression;
  readonly zone: TimeZone;
  readonly startAtMs: number | undefined;
  readonly endAtMs: number | undefined;
  readonly description: string | undefined;
  readonly state: ScheduleState;
  readonly target: ScheduleTarget;
  readonly flexibleTimeWindow: FlexibleTimeWindow;
  readonly actionAfterCompletion: ActionAfterCompletion;
}

/** The input of `CreateSchedule` and `UpdateSchedule`. */
export type ScheduleInput = Omit<CreateScheduleInput, 'ClientToken'>;

/** A schedule: when to invoke which target. */
export class Schedule implements Resource {
  modifiedAtMs: number;

  constructor(
    readonly name: string,
    readonly groupName: string,
    readonly arn: string,
    readonly createdAtMs: number,
    public definition: ScheduleDefinition,
  ) {
    this.modifiedAtMs = createdAtMs;
  }
}

export const DEFAULT_GROUP = 'default';

export class ScheduleGroup implements Resource {
  readonly schedules = new Map<string, Schedule>();
  readonly tags = new ResourceTags(TAG_RULES);

  constructor(
    readonly name: string,
    readonly arn: string,
    readonly createdAtMs: number,
  ) {}
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** All schedules of the account in the Region, by group. The default group always exists. */
export class ScheduleGroups {
  private readonly byName = new Map<string, ScheduleGroup>();

  constructor(
    private readonly place: Place,
    nowMs: number,
  ) {
    this.create(DEFAULT_GROUP, nowMs);
  }

  /** Sorted by name. */
  get all(): readonly ScheduleGroup[] {
    return [...this.byName.values()].sort(byName);
  }

  /** Sorted by group name and name. */
  get schedules(): readonly Schedule[] {
    return this.all.flatMap(({ schedules }) => [...schedules.values()].sort(byName));
  }

  groupArn(name: string): string {
    return arnIn(this.place, 'scheduler', `schedule-group/${name}`);
  }

  scheduleArn(name: string, groupName: string): string {
    return arnIn(this.place, 'scheduler', `schedule/${groupName}/${name}`);
  }

  get(name: string = DEFAULT_GROUP): ScheduleGroup {
    const group = this.byName.get(name);
    if (!group) throw notFound('Schedule group', name);
    return group;
  }

  create(name: string, nowMs: number): ScheduleGroup {
    if (this.byName.has(name)) throw conflict('Schedule group', name);
    const group = new ScheduleGroup(name, this.groupArn(name), nowMs);
    this.byName.set(name, group);
    return group;
  }

  delete(group: ScheduleGroup): void {
    this.byName.delete(group.name);
  }

  schedule(name: string, groupName?: string): Schedule {
    const schedule = this.get(groupName).schedules.get(name);
    if (!schedule) throw notFound('Schedule', name);
    return schedule;
  }

  addSchedule(name: string, groupName: string | undefined, nowMs: number, definition: ScheduleDefinition): Schedule {
    const group = this.get(groupName);
    if (group.schedules.has(name)) throw conflict('Schedule', name);
    const schedule = new Schedule(name, group.name, this.scheduleArn(name, group.name), nowMs, definition);
    group.schedules.set(name, schedule);
    return schedule;
  }

  removeSchedule({ name, groupName }: Schedule): void {
    this.byName.get(groupName)?.schedules.delete(name);
  }
}

/** One due invocation of a schedule's target. */
export interface Execution {
  readonly schedule: Schedule;
  /** The schedule as it was when the invocation became due. */
  readonly definition: ScheduleDefinition;
  /** Sixteen hexadecimal digits. **Assumption EVENTS-9:** All attempts have the same id. */
  readonly id: string;
  /** `2026-01-02T03:04:00Z` */
  readonly scheduledTime: string;
}

/**
 * Returns the input of a target without an input of its own.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-templated.html
 */
function defaultInput({ schedule, id, scheduledTime }: Execution, { account, region }: Place): string {
  return JSON.stringify({
    version: '0',
    id,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account,
    time: scheduledTime,
    region,
    resources: [schedule.arn],
    detail: '{}',
  });
}

/**
 * Returns the input of the target for one attempt.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
 */
export function inputOf(execution: Execution, attempt: number, place: Place): string {
  const { schedule, definition, id, scheduledTime } = execution;
  const { Input } = definition.target;
  if (Input === undefined) return defaultInput(execution, place);
  return Input.replaceAll('<aws.scheduler.schedule-arn>', schedule.arn)
    .replaceAll('<aws.scheduler.scheduled-time>', scheduledTime)
    .replaceAll('<aws.scheduler.execution-id>', id)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));
}

/** The tags of schedule groups. @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Tag.html */
export const TAG_RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationException) };
