import type { GetScheduleOutput } from '@aws-sdk/client-scheduler';
import { retryPolicyOf } from '../../event-delivery';
import type { Schedule, ScheduleTarget } from '../schedule';
import { schedulerPage } from '../schedule-rules';
import type { SchedulerAction } from './scheduler-action';

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
export const createSchedule: SchedulerAction<'CreateSchedule'> = {
  permission: 'scheduler:CreateSchedule',
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
};

/**
 * Replaces the whole definition of a schedule. What the request omits gets its default.
 * @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UpdateSchedule.html
 */
export const updateSchedule: SchedulerAction<'UpdateSchedule'> = {
  permission: 'scheduler:UpdateSchedule',
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
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_DeleteSchedule.html */
export const deleteSchedule: SchedulerAction<'DeleteSchedule'> = {
  permission: 'scheduler:DeleteSchedule',
  resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
  run: ({ groups, runner, context }, { input: { Name = '', GroupName } }) => {
    const schedule = groups.schedule(Name, GroupName);
    runner.stop(schedule);
    groups.removeSchedule(schedule);
    const cause = 'DeleteSchedule';
    context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
  },
};

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

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_GetSchedule.html */
export const getSchedule: SchedulerAction<'GetSchedule'> = {
  permission: 'scheduler:GetSchedule',
  resourceOf: (state, { Name, GroupName }) => state.scheduleAt(Name, GroupName),
  run: ({ groups }, { input: { Name = '', GroupName } }) => shown(groups.schedule(Name, GroupName)),
};

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_ListSchedules.html */
export const listSchedules: SchedulerAction<'ListSchedules'> = {
  permission: 'scheduler:ListSchedules',
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
};
