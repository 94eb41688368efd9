import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule as RuleSchedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type ScheduleTargetBaseProps, SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';

const EVERY_MINUTE = Duration.minutes(1);

/** A rule that fires every minute at a queue of its own, `RuleTarget`. */
export function newRule(stack: Stack, deadLetterQueue?: IQueue): Rule {
  const target = new SqsQueue(new Queue(stack, 'RuleTarget'), { deadLetterQueue });
  return new Rule(stack, 'Rule', { schedule: RuleSchedule.rate(EVERY_MINUTE), targets: [target] });
}

/** A schedule that fires every minute at a queue of its own, `ScheduleTarget`. */
export function newSchedule(stack: Stack, props: ScheduleTargetBaseProps = {}): Schedule {
  const target = new SqsSendMessage(new Queue(stack, 'ScheduleTarget'), props);
  return new Schedule(stack, 'Schedule', { schedule: ScheduleExpression.rate(EVERY_MINUTE), target });
}
