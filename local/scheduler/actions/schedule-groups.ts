import type { ScheduleGroupSummary } from '@aws-sdk/client-scheduler';
import { checkTags } from '../../kernel/tags';
import { notOnDefaultGroup } from '../errors';
import { DEFAULT_GROUP, type ScheduleGroup, TAG_RULES } from '../schedule';
import { constrainName, schedulerConstraints, schedulerPage } from '../schedule-rules';
import type { SchedulerAction } from './scheduler-action';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html */
export const createScheduleGroup: SchedulerAction<'CreateScheduleGroup'> = {
  permission: 'scheduler:CreateScheduleGroup',
  resourceOf: (state, { Name }) => state.groupAt(Name),
  run: ({ groups, context, nowMs }, { input: { Name, Tags } }) => {
    constrainName(schedulerConstraints().notNull('name', Name), 'name', Name).check();
    if (Name === DEFAULT_GROUP) throw notOnDefaultGroup();
    checkTags(Tags ?? [], TAG_RULES);
    const group = groups.create(Name ?? '', nowMs);
    group.tags.put(Tags);
    context.trace.record({ type: 'scheduler.group-created', groupArn: group.arn });
    return { ScheduleGroupArn: group.arn };
  },
};

/**
 * Deletes a group with all its schedules at once. AWS takes some time.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_DeleteScheduleGroup.html
 */
export const deleteScheduleGroup: SchedulerAction<'DeleteScheduleGroup'> = {
  permission: 'scheduler:DeleteScheduleGroup',
  resourceOf: (state, { Name }) => state.groupAt(Name),
  run: ({ groups, runner, context }, { input: { Name = '' } }) => {
    if (Name === DEFAULT_GROUP) throw notOnDefaultGroup();
    const group = groups.get(Name);
    for (const schedule of group.schedules.values()) {
      runner.stop(schedule);
      const cause = 'DeleteScheduleGroup';
      context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
    }
    groups.delete(group);
    context.trace.record({ type: 'scheduler.group-deleted', groupArn: group.arn });
  },
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_GetScheduleGroup.html */
export const getScheduleGroup: SchedulerAction<'GetScheduleGroup'> = {
  permission: 'scheduler:GetScheduleGroup',
  resourceOf: (state, { Name }) => state.groupAt(Name),
  run: ({ groups }, { input: { Name } }) => groupDescription(groups.get(Name)),
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListScheduleGroups.html */
export const listScheduleGroups: SchedulerAction<'ListScheduleGroups'> = {
  permission: 'scheduler:ListScheduleGroups',
  resourceOf: state => state.groupAt('*'),
  run: ({ groups }, { input: { NamePrefix = '', MaxResults, NextToken } }) => {
    const found = groups.all.filter(({ name }) => name.startsWith(NamePrefix));
    const { items, nextToken } = schedulerPage(found, MaxResults, NextToken);
    return { ScheduleGroups: items.map(groupDescription), ...(nextToken && { NextToken: nextToken }) };
  },
};

function groupDescription({ arn, name, createdAtMs }: ScheduleGroup): ScheduleGroupSummary {
  const created = new Date(createdAtMs);
  return { Arn: arn, CreationDate: created, LastModificationDate: created, Name: name, State: 'ACTIVE' };
}
