import type {
  ActionAfterCompletion,
  CreateScheduleInput,
  FlexibleTimeWindow,
  ScheduleState,
  Target as TargetInput,
} from '@aws-sdk/client-scheduler';
import { arnIn, type Place } from '../kernel/place';
import type { Resource } from '../kernel/service-api';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import type { ScheduleExpression, TimeZone } from '../schedule-expression/schedule-expression';
import { conflict, notFound, validationException } from './errors';

/** What a schedule invokes. */
export type ScheduleTarget = TargetInput & { readonly Arn: string; readonly RoleArn: string };

/** What `CreateSchedule` and `UpdateSchedule` say of a schedule, found in order. */
export interface ScheduleDefinition {
  /** As it was written. */
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

/** What `CreateSchedule` and `UpdateSchedule` are given. */
export type ScheduleInput = Omit<CreateScheduleInput, 'ClientToken'>;

/** A schedule: when to invoke what. */
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

/** A group of schedules. */
export class ScheduleGroup implements Resource {
  /** By name. */
  readonly schedules = new Map<string, Schedule>();
  readonly tags = new ResourceTags(TAG_RULES);

  constructor(
    readonly name: string,
    readonly arn: string,
    readonly createdAtMs: number,
  ) {}
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** Every schedule of the account in the Region, by groups; the default one is always there. */
export class ScheduleGroups {
  private readonly byName = new Map<string, ScheduleGroup>();

  constructor(
    private readonly place: Place,
    nowMs: number,
  ) {
    this.create(DEFAULT_GROUP, nowMs);
  }

  /** In the order of their names. */
  get all(): readonly ScheduleGroup[] {
    return [...this.byName.values()].sort(byName);
  }

  /** In the order of their groups' names and their own. */
  get schedules(): readonly Schedule[] {
    return this.all.flatMap(({ schedules }) => [...schedules.values()].sort(byName));
  }

  groupArn(name: string): string {
    return arnIn(this.place, 'scheduler', `schedule-group/${name}`);
  }

  scheduleArn(name: string, groupName: string): string {
    return arnIn(this.place, 'scheduler', `schedule/${groupName}/${name}`);
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(name: string = DEFAULT_GROUP): ScheduleGroup {
    const group = this.byName.get(name);
    if (!group) throw notFound('Schedule group', name);
    return group;
  }

  /** @throws AwsError `ConflictException` */
  create(name: string, nowMs: number): ScheduleGroup {
    if (this.byName.has(name)) throw conflict('Schedule group', name);
    const group = new ScheduleGroup(name, this.groupArn(name), nowMs);
    this.byName.set(name, group);
    return group;
  }

  delete(group: ScheduleGroup): void {
    this.byName.delete(group.name);
  }

  /** @throws AwsError `ResourceNotFoundException` for want of the group, or of the schedule */
  schedule(name: string, groupName?: string): Schedule {
    const schedule = this.get(groupName).schedules.get(name);
    if (!schedule) throw notFound('Schedule', name);
    return schedule;
  }

  /** @throws AwsError `ResourceNotFoundException`, `ConflictException` */
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

/** One invocation a schedule owes its target. */
export interface Execution {
  readonly schedule: Schedule;
  /** As the schedule was when the time came. */
  readonly definition: ScheduleDefinition;
  /** Sixteen hexadecimal digits; the same for every attempt, which is our choice. */
  readonly id: string;
  /** `2026-01-02T03:04:00Z` */
  readonly scheduledTime: string;
}

/**
 * What a target gets that is given no input.
 *
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
 * What the target gets at one attempt.
 *
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
