import { constrainRetryPolicy } from '../event-delivery';
import { Constraints } from '../kernel/constraints';
import { validationException } from './errors';
import type { ScheduleInput } from './schedule';

const NAME = '[0-9a-zA-Z-_.]+';
const STATES = ['ENABLED', 'DISABLED'];

export function schedulerConstraints(): Constraints {
  return new Constraints(validationException);
}

/** The name of a schedule, or of a group. */
export function constrainName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constraints.length(member, name, 1, 64).pattern(member, name, NAME);
}

/** Whatever AWS's model of the API forbids in a schedule. */
export function constrainSchedule(input: ScheduleInput): void {
  const { Name, GroupName, ScheduleExpression, Description, State, Target, FlexibleTimeWindow } = input;
  const constraints = schedulerConstraints().notNull('name', Name);
  constrainName(constrainName(constraints, 'name', Name), 'groupName', GroupName)
    .notNull('scheduleExpression', ScheduleExpression)
    .length('scheduleExpression', ScheduleExpression, 1, 256)
    .length('description', Description, 0, 512)
    .length('scheduleExpressionTimezone', input.ScheduleExpressionTimezone, 1, 50)
    .oneOf('state', State, STATES)
    .oneOf('actionAfterCompletion', input.ActionAfterCompletion, ['NONE', 'DELETE'])
    .notNull('flexibleTimeWindow', FlexibleTimeWindow)
    .oneOf('flexibleTimeWindow.mode', FlexibleTimeWindow?.Mode, ['OFF', 'FLEXIBLE'])
    .range('flexibleTimeWindow.maximumWindowInMinutes', FlexibleTimeWindow?.MaximumWindowInMinutes, 1, 1440)
    .notNull('target', Target)
    .length('target.arn', Target?.Arn, 1, 1600)
    .length('target.roleArn', Target?.RoleArn, 1, 1600)
    .pattern('target.roleArn', Target?.RoleArn, 'arn:aws[a-z-]*:iam::\\d{12}:role\\/[\\w+=,.@\\/-]+')
    .length('target.sqsParameters.messageGroupId', Target?.SqsParameters?.MessageGroupId, 1, 128);
  if (Target) constraints.notNull('target.arn', Target.Arn).notNull('target.roleArn', Target.RoleArn);
  constrainRetryPolicy(constraints, 'target.retryPolicy', Target?.RetryPolicy);
  constraints.check();
}
