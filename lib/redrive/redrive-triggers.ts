import { Stack } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { TICK } from './redrive-plan';
import type { RedriveOptions } from './redrive-props';

/** A run that could not be begun within five minutes is not begun by this: the next schedule, or a recovery, does it. Our choice. */
const RETRY = { maximumEventAgeInSeconds: 300, maximumRetryAttempts: 5 };

/** The group of a schedule that names none. */
const DEFAULT_GROUP = 'default';

/** What the function is invoked with; `time` is the instant it was due. */
function eventOf(trigger: RedriveTrigger, time: string) {
  return { trigger, time };
}

/**
 * The role the schedules invoke the function with.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
function addScheduleRole(scope: Construct, handler: IFunction): Role {
  const stack = Stack.of(scope);
  const group = stack.formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: DEFAULT_GROUP });
  const role = new Role(scope, 'ScheduleRole', {
    description: 'Lets schedules invoke the function of a redrive.',
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account, 'aws:SourceArn': group } },
    }),
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }));
  return role;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html */
function addSchedules(scope: Construct, handler: IFunction, { schedules = [], enabled }: RedriveOptions): void {
  if (schedules.length === 0) return;
  const role = addScheduleRole(scope, handler);
  for (const [index, { expressionString, timeZone }] of schedules.entries()) {
    const schedule = new CfnSchedule(scope, `Schedule${index}`, {
      description: 'Has dead letters redriven.',
      scheduleExpression: expressionString,
      ...(timeZone && { scheduleExpressionTimezone: timeZone.timezoneName }),
      flexibleTimeWindow: { mode: 'OFF' },
      state: enabled ? 'ENABLED' : 'DISABLED',
      target: {
        arn: handler.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(eventOf('schedule', '<aws.scheduler.scheduled-time>')),
        retryPolicy: RETRY,
      },
    });
    schedule.node.addDependency(role);
  }
}

/** Has the function run whenever it may have something to do: by schedule, when an alarm recovers, and every minute. */
export function addTriggers(scope: Construct, handler: IFunction, options: RedriveOptions): void {
  const { recoveryAlarms = [], enabled = false } = options;
  const targetOf = (trigger: RedriveTrigger) =>
    new FunctionTarget(handler, { event: RuleTargetInput.fromObject(eventOf(trigger, EventField.time)) });
  addSchedules(scope, handler, options);
  if (recoveryAlarms.length > 0) {
    new Rule(scope, 'Recovered', {
      description: 'Tells a redrive that what failed is well again.',
      enabled,
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        resources: recoveryAlarms.map(({ alarmArn }) => alarmArn),
        detail: { state: { value: ['OK'] }, previousState: { value: ['ALARM'] } },
      },
      targets: [targetOf('recovery')],
    });
  }
  new Rule(scope, 'Tick', {
    description: 'Has a redrive look after what it began.',
    enabled,
    schedule: Schedule.rate(TICK),
    targets: [targetOf('tick')],
  });
}
