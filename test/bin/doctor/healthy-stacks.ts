import { type App, CfnParameter, Duration, Fn, NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LambdaRestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  type Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Rule, Schedule as RuleSchedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget, SqsQueue as QueueTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import {
  CfnSubscription,
  type ITopic,
  LoggingProtocol,
  type Subscription,
  Topic,
  type TopicProps,
} from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { type IQueue, Queue, QueuePolicy, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Adds an ops topic with a subscriber. */
function opsTopic(scope: Construct): Topic {
  const ops = new Topic(scope, 'Ops');
  ops.addSubscription(new EmailSubscription('ops@example.com'));
  return ops;
}

function alarm(scope: Construct, id: string, metric: IMetric & Pick<Metric, 'createAlarm'>, ops: ITopic): Alarm {
  const made = metric.createAlarm(scope, id, {
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  made.addAlarmAction(new SnsAction(ops));
  return made;
}

/** Adds a dead-letter queue with an alarm that notifies the ops topic. */
function watchedDeadLetters(scope: Construct, id: string, ops: ITopic, props: QueueProps = {}): Queue {
  const queue = new Queue(scope, id, { retentionPeriod: Duration.days(14), ...props });
  alarm(queue, 'Waiting', queue.metricApproximateNumberOfMessagesVisible(), ops);
  return queue;
}

/** Makes a subscription depend on the policies that allow SNS. */
function waits(subscription: Subscription, ...queues: IQueue[]): void {
  for (const queue of queues) {
    const policy = queue.node.tryFindChild('Policy');
    if (policy) subscription.node.addDependency(policy);
  }
}

/** Adds a topic that logs its deliveries. */
function loggedTopic(scope: Construct, id: string, props: TopicProps = {}): Topic {
  const role = new Role(scope, `${id}Logs`, { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
  role.addToPolicy(new PolicyStatement({ actions: ['logs:*'], resources: ['*'] }));
  const protocols = [LoggingProtocol.SQS, LoggingProtocol.LAMBDA];
  const loggingConfigs = protocols.map(protocol => ({ protocol, failureFeedbackRole: role }));
  return new Topic(scope, id, { loggingConfigs, ...props });
}

/** Adds an alarm on messages that SNS could not send to a dead-letter queue. */
function watchLosses(topic: Topic, ops: ITopic): void {
  const metric = new Metric({
    namespace: 'AWS/SNS',
    metricName: 'NumberOfNotificationsFailedToRedriveToDlq',
    dimensionsMap: { TopicName: topic.topicName },
    statistic: 'Sum',
  });
  alarm(topic, 'Lost', metric, ops);
}

export function handler(scope: Construct, id: string, props: Partial<FunctionProps> = {}): LambdaFunction {
  const code = Code.fromInline('exports.handler = async () => {};');
  return new LambdaFunction(scope, id, { code, handler: 'index.handler', runtime: Runtime.NODEJS_22_X, ...props });
}

/** A work queue with a dead-letter queue of its own. */
function workQueue(scope: Construct, id: string, ops: ITopic, props: QueueProps = {}): Queue {
  const queue = watchedDeadLetters(scope, `${id}Dead`, ops, props.fifo ? { fifo: true } : {});
  const visibilityTimeout = Duration.seconds(60);
  return new Queue(scope, id, { visibilityTimeout, deadLetterQueue: { queue, maxReceiveCount: 5 }, ...props });
}

function fanOut(stack: Stack): void {
  const ops = opsTopic(stack);
  const topic = loggedTopic(stack, 'Orders');
  watchLosses(topic, ops);
  const queue = workQueue(stack, 'Billing', ops);
  const deadLetterQueue = watchedDeadLetters(stack, 'OrdersDead', ops);
  waits(topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue })), queue, deadLetterQueue);
  const consumer = handler(stack, 'Consumer', { timeout: Duration.seconds(10) });
  consumer.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
  const failures = watchedDeadLetters(stack, 'MailerDead', ops);
  const mailer = handler(stack, 'Mailer', { deadLetterQueue: failures });
  waits(topic.addSubscription(new LambdaSubscription(mailer, { deadLetterQueue })), deadLetterQueue);
}

function fifo(stack: Stack): void {
  const ops = opsTopic(stack);
  const topic = loggedTopic(stack, 'Orders', { fifo: true, topicName: 'orders.fifo' });
  watchLosses(topic, ops);
  const queue = workQueue(stack, 'Billing', ops, { fifo: true });
  const deadLetterQueue = watchedDeadLetters(stack, 'OrdersDead', ops, { fifo: true });
  waits(topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue })), queue, deadLetterQueue);
}

function encrypted(stack: Stack): void {
  const ops = opsTopic(stack);
  const key = new Key(stack, 'Key', { removalPolicy: RemovalPolicy.DESTROY });
  key.addAlias('alias/messages');
  for (const service of ['sns', 'sqs', 'lambda', 'events']) {
    const principal = new ServicePrincipal(`${service}.amazonaws.com`);
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [principal],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
      }),
    );
  }
  const topic = loggedTopic(stack, 'Orders', { masterKey: key });
  watchLosses(topic, ops);
  const queue = workQueue(stack, 'Billing', ops, { encryptionMasterKey: key });
  const deadLetterQueue = watchedDeadLetters(stack, 'OrdersDead', ops, { encryptionMasterKey: key });
  waits(topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue })), queue, deadLetterQueue);
  const failing = handler(stack, 'Failing', { deadLetterQueue });
  key.grantEncryptDecrypt(failing);
}

function eventBridge(stack: Stack): void {
  const ops = opsTopic(stack);
  const deadLetterQueue = watchedDeadLetters(stack, 'Dead', ops);
  const target = handler(stack, 'Target', { deadLetterQueue });
  const rule = new Rule(stack, 'Rule', { eventPattern: { source: ['orders'] } });
  rule.addTarget(new FunctionTarget(target, { deadLetterQueue }));
  rule.addTarget(new QueueTarget(workQueue(stack, 'Orders', ops), { deadLetterQueue }));
}

function scheduled(stack: Stack): void {
  const ops = opsTopic(stack);
  const deadLetterQueue = watchedDeadLetters(stack, 'Dead', ops);
  const target = new SqsSendMessage(workQueue(stack, 'Reports', ops), { deadLetterQueue });
  new Schedule(stack, 'Nightly', { schedule: ScheduleExpression.rate(Duration.days(1)), target });
}

function asynchronous(stack: Stack): void {
  const ops = opsTopic(stack);
  const dead = watchedDeadLetters(stack, 'Dead', ops);
  const onFailure = new SqsDestination(watchedDeadLetters(stack, 'Failed', ops));
  const failing = handler(stack, 'Failing', { onFailure, retryAttempts: 1 });
  const rule = new Rule(stack, 'Rule', { schedule: RuleSchedule.rate(Duration.minutes(5)) });
  rule.addTarget(new FunctionTarget(failing, { deadLetterQueue: dead }));
  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    stream: StreamViewType.NEW_IMAGE,
  });
  const source = new DynamoEventSource(table, {
    startingPosition: StartingPosition.LATEST,
    retryAttempts: 3,
    onFailure: new SqsDlq(dead),
  });
  handler(stack, 'OfStream').addEventSource(source);
}

/** Adds broad policies, as people write them by hand, and alarms over several queues. */
function byHand(stack: Stack): void {
  const ops = opsTopic(stack);
  const topic = loggedTopic(stack, 'Orders');
  watchLosses(topic, ops);
  const queue = workQueue(stack, 'Billing', ops);
  const dead = new Queue(stack, 'OrdersDead', { retentionPeriod: Duration.days(14) });
  const policy = new QueuePolicy(stack, 'Policy', { queues: [queue, dead] });
  policy.document.addStatements(
    new PolicyStatement({
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:Send*'],
      resources: [`arn:aws:sqs:${stack.region}:${stack.account}:*`],
      conditions: {
        ArnLike: { 'aws:SourceArn': `arn:aws:sns:*:${stack.account}:*` },
        StringEquals: { 'AWS:SourceAccount': stack.account },
      },
    }),
  );
  const RedrivePolicy = { deadLetterTargetArn: dead.queueArn };
  const subscription = new CfnSubscription(stack, 'Subscription', {
    topicArn: topic.topicArn,
    protocol: 'sqs',
    endpoint: queue.queueArn,
    redrivePolicy: RedrivePolicy,
  });
  subscription.node.addDependency(policy);
  const usingMetrics = {
    visible: dead.metricApproximateNumberOfMessagesVisible(),
    inFlight: dead.metricApproximateNumberOfMessagesNotVisible(),
  };
  const all = new MathExpression({ expression: 'visible + inFlight', usingMetrics });
  const quiet = all.createAlarm(stack, 'AnyDead', { threshold: 1, evaluationPeriods: 1 });
  const composite = new CompositeAlarm(stack, 'Any', { alarmRule: AlarmRule.fromAlarm(quiet, AlarmState.ALARM) });
  composite.addAlarmAction(new SnsAction(ops));
}

/** Adds resources that do not handle messages. */
function web(stack: Stack): void {
  const vpc = new Vpc(stack, 'Vpc', { maxAzs: 2, natGateways: 1 });
  const bucket = new Bucket(stack, 'Assets');
  const answers = handler(stack, 'Answers', { vpc });
  bucket.grantRead(answers);
  new LambdaRestApi(stack, 'Api', { handler: answers });
}

/** Adds resources that depend on a parameter or belong to another app. The checks report nothing about them. */
function parameters(stack: Stack): void {
  const ops = Topic.fromTopicArn(stack, 'Ops', 'arn:aws:sns:us-east-1:123456789012:ops');
  const receives = new CfnParameter(stack, 'Receives', { type: 'Number', default: 5_000 });
  const days = new CfnParameter(stack, 'Retention', { type: 'Number', default: 60 });
  const queue = watchedDeadLetters(stack, 'Dead', ops, { retentionPeriod: Duration.seconds(days.valueAsNumber) });
  new Queue(stack, 'Orders', { deadLetterQueue: { queue, maxReceiveCount: receives.valueAsNumber } });
}

/** Adds nested stacks that use resources of their parent and of each other. */
function nested(stack: Stack): void {
  const ops = opsTopic(stack);
  const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
  const work = new NestedStack(stack, 'Work');
  const watch = new NestedStack(stack, 'Watch');
  const deadLetterQueue = { queue: dead, maxReceiveCount: 5 };
  const queue = new Queue(work, 'Queue', { visibilityTimeout: Duration.seconds(60), deadLetterQueue });
  handler(watch, 'Consumer', { timeout: Duration.seconds(10) }).addEventSource(new SqsEventSource(queue));
  alarm(watch, 'Waiting', dead.metricApproximateNumberOfMessagesVisible(), ops);
}

/** Adds resources that refer to exports of other apps. */
function imports(stack: Stack): void {
  const topic = Topic.fromTopicArn(stack, 'Topic', Fn.importValue('TopicArn'));
  const deadLetterQueue = Queue.fromQueueArn(stack, 'Dead', Fn.importValue('DeadArn'));
  const queue = Queue.fromQueueArn(stack, 'Queue', Fn.importValue('QueueArn'));
  topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue }));
  new Queue(stack, 'Own', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } });
}

/** Apps of one stack each. */
export const HEALTHY: Readonly<Record<string, (stack: Stack) => void>> = {
  'a fan-out': fanOut,
  'a FIFO topic and queue': fifo,
  'a key of one’s own': encrypted,
  'a rule with two targets': eventBridge,
  'a schedule': scheduled,
  'functions that are invoked asynchronously, and by a stream': asynchronous,
  'policies and alarms that are written by hand': byHand,
  'stacks that nest': nested,
  'what other apps export': imports,
  'a web application': web,
  'queues whose numbers are parameters': parameters,
};

/** Two stacks, one of which has what the other needs. */
export function healthyAcrossStacks(app: App): void {
  const shared = new Stack(app, 'Shared');
  const ops = opsTopic(shared);
  const deadLetterQueue = watchedDeadLetters(shared, 'Dead', ops);
  const orders = new Stack(app, 'Orders');
  const topic = loggedTopic(shared, 'Topic');
  watchLosses(topic, ops);
  const queue = workQueue(orders, 'Queue', ops);
  waits(topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue })), queue, deadLetterQueue);
}
