import type { Resource } from '../kernel/doorkeeper';
import { arnIn, type Place } from '../kernel/place';
import { ResourceTags } from '../kernel/resource-tags';
import { conflict, notFound } from './errors';
import { Schedule, type ScheduleDefinition } from './schedule';
import { TAG_RULES } from './tag-rules';

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
