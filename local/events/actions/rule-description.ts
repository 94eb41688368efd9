import type { Rule as RuleOutput } from '@aws-sdk/client-eventbridge';
import type { Rule } from '../rule';

/** A rule as lists show it; what it has not, they leave out. */
export function ruleDescription({ arn, name, bus, definition }: Rule): RuleOutput {
  const { eventPattern, scheduleExpression, isEnabled, description, roleArn } = definition;
  return {
    Arn: arn,
    ...(description !== undefined && { Description: description }),
    EventBusName: bus.name,
    ...(eventPattern !== undefined && { EventPattern: eventPattern }),
    Name: name,
    ...(roleArn !== undefined && { RoleArn: roleArn }),
    ...(scheduleExpression !== undefined && { ScheduleExpression: scheduleExpression }),
    State: isEnabled ? 'ENABLED' : 'DISABLED',
  };
}
