import type { GetScheduleOutput } from '@aws-sdk/client-scheduler';
import { retryPolicyOf } from '../../event-delivery';
import type { Schedule, ScheduleTarget } from '../schedule';
import type { SchedulerAction } from '../scheduler-actions';

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
  resourceOf: (internals, { Name, GroupName }) => internals.scheduleAt(Name, GroupName),
  run: ({ groups }, { input: { Name = '', GroupName } }) => shown(groups.schedule(Name, GroupName)),
};
