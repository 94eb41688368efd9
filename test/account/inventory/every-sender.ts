import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ScheduleExpression, Schedule as TimedSchedule } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { FilterOrPolicy, LoggingProtocol, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { inlineFunction } from '../../support/inline-function';

/**
 * Fills the stack with a shop of plain L2 constructs that has one resource of every kind that can send dead letters.
 * Queues are named by what sends to them.
 */
export function everySender(stack: Stack): void {
  const encryptionMasterKey = new Key(stack, 'Key');
  const alias = new Alias(stack, 'Alias', { aliasName: 'alias/shop', targetKey: encryptionMasterKey });
  const queue = (id: string) => new Queue(stack, id, { queueName: id, retentionPeriod: Duration.days(14) });
  const topic = new Topic(stack, 'Orders', { topicName: 'orders', masterKey: alias });
  const ops = new Topic(stack, 'Ops', { topicName: 'ops' });
  ops.addSubscription(new EmailSubscription('ops@example.com'));

  const worked = queue('worked-dlq');
  const work = new Queue(stack, 'Work', {
    queueName: 'work',
    encryptionMasterKey,
    visibilityTimeout: Duration.minutes(6),
    deadLetterQueue: { queue: worked, maxReceiveCount: 3 },
  });
  const printer = inlineFunction(stack, 'Printer', 'exports.handler = async () => {};', {
    functionName: 'printer',
    timeout: Duration.seconds(20),
    reservedConcurrentExecutions: 5,
    deadLetterQueue: queue('printer-dlq'),
    onFailure: new SqsDestination(queue('printer-failures')),
    retryAttempts: 1,
  });
  printer.addEventSource(new SqsEventSource(work, { batchSize: 5, reportBatchItemFailures: true, maxConcurrency: 3 }));

  const feedback = new Role(stack, 'Feedback', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
  topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole: feedback });
  topic.addSubscription(
    new SqsSubscription(work, {
      rawMessageDelivery: true,
      deadLetterQueue: queue('fanout-dlq'),
      filterPolicyWithMessageBody: {
        kind: FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ allowlist: ['order'] })),
      },
    }),
  );
  topic.addSubscription(new LambdaSubscription(printer, { deadLetterQueue: queue('printing-dlq') }));
  const targets = [new SqsQueue(queue('nights'), { deadLetterQueue: queue('nightly-dlq') })];
  new Rule(stack, 'Nightly', {
    ruleName: 'nightly',
    schedule: Schedule.rate(Duration.days(1)),
    targets,
  });
  new Rule(stack, 'Sold', {
    ruleName: 'sold',
    eventBus: new EventBus(stack, 'Bus', { eventBusName: 'shop', deadLetterQueue: queue('shop-dlq') }),
    eventPattern: { source: ['shop'] },
    targets,
  });
  new TimedSchedule(stack, 'Monthly', {
    scheduleName: 'monthly',
    schedule: ScheduleExpression.rate(Duration.days(30)),
    target: new LambdaInvoke(printer, { deadLetterQueue: queue('monthly-dlq') }),
  });
  alarms(stack, ops, worked);
}

function alarms(stack: Stack, ops: Topic, worked: Queue): void {
  const visible = worked.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(1),
    statistic: 'Maximum',
  });
  const alarm = new Alarm(stack, 'Worked', {
    alarmName: 'worked',
    metric: visible,
    threshold: 1,
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(new SnsAction(ops));
  new Alarm(stack, 'Sum', {
    alarmName: 'sum',
    metric: new MathExpression({
      expression: 'a + b',
      usingMetrics: { a: visible, b: visible.with({ period: Duration.minutes(5) }) },
    }),
    threshold: 1,
    evaluationPeriods: 1,
  });
  new CompositeAlarm(stack, 'Any', {
    compositeAlarmName: 'any',
    alarmRule: AlarmRule.fromAlarm(alarm, AlarmState.ALARM),
  });
}
