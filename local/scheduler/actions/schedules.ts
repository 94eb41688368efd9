import type { GetScheduleOutput, ScheduleGroupSummary } from '@aws-sdk/client-scheduler';
import { retryPolicyOf } from '../../event-delivery/delivery';
import { AwsError } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import { checkTags, type ResourceTags } from '../../kernel/tags';
import { notOnDefaultGroup } from '../errors';
import { DEFAULT_GROUP, type Schedule, type ScheduleGroup, type ScheduleTarget, TAG_RULES } from '../schedule';
import { constrainName, schedulerPage } from '../schedule-rules';
import type { SchedulerFamily, SchedulerState } from '../scheduler-state';

export const scheduleActions = {
  CreateSchedule: {
    resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
    run: (state, { caller, input }) => {
      const { groups, runner, context, nowMs } = state;
      const definition = state.define(caller, input);
      const schedule = groups.addSchedule(input.Name ?? '', input.GroupName, nowMs, definition);
      const { text: expression } = definition;
      context.trace.record({
        type: 'scheduler.schedule-created',
        scheduleArn: schedule.arn,
        expression,
        state: definition.state,
      });
      runner.changed(schedule);
      return { ScheduleArn: schedule.arn };
    },
  },

  /** Replaces the whole definition of a schedule. What the request omits gets its default. */
  UpdateSchedule: {
    resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
    run: (state, { caller, input }) => {
      const { groups, runner, context, nowMs } = state;
      const definition = state.define(caller, input);
      const schedule = groups.schedule(input.Name ?? '', input.GroupName);
      schedule.definition = definition;
      schedule.modifiedAtMs = nowMs;
      const { text: expression } = definition;
      context.trace.record({
        type: 'scheduler.schedule-updated',
        scheduleArn: schedule.arn,
        expression,
        state: definition.state,
      });
      runner.changed(schedule);
      return { ScheduleArn: schedule.arn };
    },
  },

  DeleteSchedule: {
    resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
    run: ({ groups, runner, context }, { input: { Name = '', GroupName } }) => {
      const schedule = groups.schedule(Name, GroupName);
      runner.stop(schedule);
      groups.removeSchedule(schedule);
      const cause = 'DeleteSchedule';
      context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
    },
  },

  GetSchedule: {
    resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
    run: ({ groups }, { input: { Name = '', GroupName } }) => shown(groups.schedule(Name, GroupName)),
  },

  ListSchedules: {
    resourceOf: (state, { GroupName }) => state.scheduleAt('*', GroupName ?? '*'),
    run: ({ groups }, { input: { GroupName, NamePrefix = '', State, MaxResults, NextToken } }) => {
      const wanted = groups.schedules.filter(
        ({ name, groupName, definition }) =>
          (GroupName === undefined || groupName === GroupName) &&
          name.startsWith(NamePrefix) &&
          (State === undefined || definition.state === State),
      );
      const { items, nextToken } = schedulerPage(wanted, MaxResults, NextToken);
      return {
        Schedules: items.map(({ arn, name, groupName, definition, createdAtMs, modifiedAtMs }) => ({
          Arn: arn,
          CreationDate: new Date(createdAtMs),
          GroupName: groupName,
          LastModificationDate: new Date(modifiedAtMs),
          Name: name,
          State: definition.state,
          Target: { Arn: definition.target.Arn },
        })),
        ...(nextToken && { NextToken: nextToken }),
      };
    },
  },

  CreateScheduleGroup: {
    resourceOf: (state, { Name }) => state.groupAt(Name),
    run: ({ groups, context, nowMs }, { input: { Name, Tags } }) => {
      constrainName(new Constraints().notNull('name', Name), 'name', Name).check();
      if (Name === DEFAULT_GROUP) throw notOnDefaultGroup();
      checkTags(Tags ?? [], TAG_RULES);
      const group = groups.create(Name ?? '', nowMs);
      group.tags.put(Tags);
      context.trace.record({ type: 'scheduler.group-created', groupArn: group.arn });
      return { ScheduleGroupArn: group.arn };
    },
  },

  /** Deletes a group with all its schedules at once. AWS takes some time. */
  DeleteScheduleGroup: {
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
  },

  GetScheduleGroup: {
    resourceOf: (state, { Name }) => state.groupAt(Name),
    run: ({ groups }, { input: { Name } }) => groupDescription(groups.get(Name)),
  },

  ListScheduleGroups: {
    resourceOf: state => state.groupAt('*'),
    run: ({ groups }, { input: { NamePrefix = '', MaxResults, NextToken } }) => {
      const found = groups.all.filter(({ name }) => name.startsWith(NamePrefix));
      const { items, nextToken } = schedulerPage(found, MaxResults, NextToken);
      return { ScheduleGroups: items.map(groupDescription), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  TagResource: {
    resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
    run: (state, { input: { ResourceArn, Tags } }) => {
      tagsOf(state, ResourceArn).put(Tags);
    },
  },

  UntagResource: {
    resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
    run: (state, { input: { ResourceArn, TagKeys } }) => {
      tagsOf(state, ResourceArn).remove(TagKeys);
    },
  },

  ListTagsForResource: {
    resourceOf: (_state, { ResourceArn = '*' }) => ({ arn: ResourceArn }),
    run: (state, { input: { ResourceArn } }) => ({ Tags: tagsOf(state, ResourceArn).list() }),
  },
} satisfies SchedulerFamily;

/** A target always shows its retry policy. */
function shownTarget(target: ScheduleTarget): ScheduleTarget {
  const { maximumEventAgeSeconds, maximumRetryAttempts } = retryPolicyOf(target.RetryPolicy);
  return {
    ...target,
    RetryPolicy: { MaximumEventAgeInSeconds: maximumEventAgeSeconds, MaximumRetryAttempts: maximumRetryAttempts },
  };
}

function shown({ arn, name, groupName, createdAtMs, modifiedAtMs, definition }: Schedule): GetScheduleOutput {
  const { startAtMs, endAtMs, description } = definition;
  return {
    ActionAfterCompletion: definition.actionAfterCompletion,
    Arn: arn,
    CreationDate: new Date(createdAtMs),
    ...(description !== undefined && { Description: description }),
    ...(endAtMs !== undefined && { EndDate: new Date(endAtMs) }),
    FlexibleTimeWindow: definition.flexibleTimeWindow,
    GroupName: groupName,
    LastModificationDate: new Date(modifiedAtMs),
    Name: name,
    ScheduleExpression: definition.text,
    ScheduleExpressionTimezone: definition.zone.name,
    ...(startAtMs !== undefined && { StartDate: new Date(startAtMs) }),
    State: definition.state,
    Target: shownTarget(definition.target),
  };
}

function groupDescription({ arn, name, createdAtMs }: ScheduleGroup): ScheduleGroupSummary {
  const created = new Date(createdAtMs);
  return { Arn: arn, CreationDate: created, LastModificationDate: created, Name: name, State: 'ACTIVE' };
}

/** Returns the tags of a group. Schedules have no tags. */
function tagsOf({ groups }: SchedulerState, arn = ''): ResourceTags {
  const group = groups.all.find(it => it.arn === arn);
  if (!group) throw new AwsError('ResourceNotFoundException', `Resource ${arn} does not exist.`, 404);
  return group.tags;
}
