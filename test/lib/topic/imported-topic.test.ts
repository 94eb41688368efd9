import { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, ImportedTopic, ProcessingQueue } from '../../../lib';
import { inlineFunction } from '../../support/inline-function';
import { ELSEWHERE, HERE, newApp, newStack, only, opsTopic, templateOf, warningIds, warningText } from '../support';

const OTHER_ACCOUNT = { ...HERE, account: '222222222222' };
const URL = 'https://partner.example.com/orders';

function arnIn({ account, region }: typeof HERE, name = 'orders'): string {
  return `arn:aws:sns:${region}:${account}:${name}`;
}

/** Imports a topic of another owner into our stack. */
function imported({ env = HERE, name = 'orders', stack = newStack(HERE) } = {}) {
  const topic = Topic.fromTopicArn(stack, 'Made', arnIn(env, name));
  return { stack, topic: new ImportedTopic(stack, 'Topic', { topic, alarmActions: [opsTopic(stack)] }) };
}

const SUBSCRIBED = { Properties: { RedrivePolicy: Match.anyValue() } };

describe('An ImportedTopic', () => {
  test('has the properties of the topic that it imports', () => {
    const stack = newStack(HERE);
    const key = new Key(stack, 'Key');
    const topic = Topic.fromTopicAttributes(stack, 'Made', {
      topicArn: arnIn(HERE, 'orders.fifo'),
      keyArn: key.keyArn,
      contentBasedDeduplication: true,
    });
    const ours = new ImportedTopic(stack, 'Topic', { topic });
    const { topicArn, topicName, fifo, contentBasedDeduplication, masterKey, env } = ours;
    expect({ topicArn, topicName, fifo, contentBasedDeduplication, masterKey, env }).toEqual({
      topicArn: 'arn:aws:sns:us-east-1:111122223333:orders.fifo',
      topicName: 'orders.fifo',
      fifo: true,
      contentBasedDeduplication: true,
      masterKey: topic.masterKey,
      env: HERE,
    });
    templateOf(stack).resourceCountIs('AWS::SNS::Topic', 0);
    expect([ours.alarms, ours.deliveries, ours.lostMessagesAlarm]).toEqual([[], [], undefined]);
  });

  test('subscribes a queue after its dead-letter queue admits the topic; a plain subscription does not wait for that (hole 7)', () => {
    const { stack, topic } = imported();
    const queue = new ProcessingQueue(stack, 'Queue', { alarmActions: [opsTopic(stack, 'Others')] });
    const { subscription, deadLetterQueue } = topic.deliverToQueue('Orders', queue);
    const [, { Properties, DependsOn = [] }] = only(templateOf(stack), 'AWS::SNS::Subscription', SUBSCRIBED);
    expect(Properties).toMatchObject({ TopicArn: arnIn(HERE), Protocol: 'sqs' });
    expect(Properties['Region']).toBeUndefined();
    expect(DependsOn).toContainEqual(expect.stringMatching(/^TopicDeliveriesOrdersDeadLetterQueuePolicy/));
    expect(subscription.deadLetterQueue).toBe(deadLetterQueue);
    expect(warningIds(stack)).toEqual([]);

    const plain = newStack(HERE);
    const dead = new DeadLetterQueue(plain, 'Dlq');
    const made = Topic.fromTopicArn(plain, 'Topic', arnIn(HERE));
    made.addSubscription(new SqsSubscription(new Queue(plain, 'Queue'), { deadLetterQueue: dead }));
    const waits = only(templateOf(plain), 'AWS::SNS::Subscription')[1].DependsOn ?? [];
    expect(waits).toEqual([expect.stringMatching(/^QueuePolicy/)]);
  });

  test('has a dead-letter queue for every protocol, encrypted by SQS and not with a key that it cannot open', () => {
    const stack = newStack(HERE);
    const keyArn = 'arn:aws:kms:us-east-1:111122223333:key/orders';
    const topic = Topic.fromTopicAttributes(stack, 'Made', { topicArn: arnIn(HERE), keyArn });
    const ours = new ImportedTopic(stack, 'Topic', { topic, alarmActions: [opsTopic(stack)] });
    ours.deliverToEndpoint('Partner', URL);
    ours.deliverToEmail('Mail', 'desk@example.com');
    ours.deliverToSms('Guard', '+15550100');
    ours.deliverToPush('Phone', 'arn:aws:sns:us-east-1:111122223333:endpoint/GCM/Rental/1');
    expect(ours.deliveries.map(({ protocol }) => protocol)).toEqual([
      SubscriptionProtocol.HTTPS,
      SubscriptionProtocol.EMAIL,
      SubscriptionProtocol.SMS,
      SubscriptionProtocol.APPLICATION,
    ]);
    const encrypted = { SqsManagedSseEnabled: true, KmsMasterKeyId: Match.absent() };
    templateOf(stack).resourcePropertiesCountIs('AWS::SQS::Queue', encrypted, 4);
    expect(warningIds(stack)).toEqual([]);
  });

  test('has one alarm on lost messages, apart from those of its dead-letter queues', () => {
    const { stack, topic } = imported();
    topic.deliverToEndpoint('Partner', URL);
    topic.deliverToEndpoint('Other', `${URL}/other`);
    expect(topic.alarms).toEqual([topic.lostMessagesAlarm]);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SNS',
      MetricName: 'NumberOfNotificationsFailedToRedriveToDlq',
      Dimensions: [{ Name: 'TopicName', Value: 'orders' }],
      AlarmName: Match.absent(),
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^Ops') }],
    });
  });

  test('has that alarm too if the account of the stack is unknown', () => {
    const { stack, topic } = imported({ stack: newStack() });
    topic.deliverToEndpoint('Partner', URL);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'NumberOfNotificationsFailedToRedriveToDlq',
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('has its Region in a subscription of another Region', () => {
    const { stack, topic } = imported({ env: ELSEWHERE });
    const there = new Stack(stack.node.root, 'There', { env: ELSEWHERE });
    const deadLetterQueue = new DeadLetterQueue(there, 'Dlq', { queueName: 'dead' });
    topic.deliverToEndpoint('Partner', URL, { deadLetterQueue });
    const [, { Properties }] = only(templateOf(stack), 'AWS::SNS::Subscription', SUBSCRIBED);
    expect(Properties['Region']).toBe('eu-west-1');
  });

  test('gives a live subscription its logical id and a secured dead-letter queue with alarms', () => {
    const [plain, ours] = [newStack(HERE), newStack(HERE)];
    const subscriptions = (stack: Stack, topic: Topic | ImportedTopic | ReturnType<typeof Topic.fromTopicArn>) => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq');
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue }));
      const handler = inlineFunction(stack, 'Function', 'exports.handler = async () => {};');
      topic.addSubscription(new LambdaSubscription(handler, { deadLetterQueue }));
      return Object.keys(templateOf(stack).findResources('AWS::SNS::Subscription'));
    };
    const before = subscriptions(plain, Topic.fromTopicArn(plain, 'Orders', arnIn(HERE)));
    const made = Topic.fromTopicArn(ours, 'OrdersTopic', arnIn(HERE));
    const topic = new ImportedTopic(ours, 'Orders', { topic: made });
    expect(subscriptions(ours, topic)).toEqual(before);
    expect(topic.deliveries).toHaveLength(2);
    expect(topic.lostMessagesAlarm).toBeDefined();
  });

  test('gets a warning about a subscription without a dead-letter queue', () => {
    const { stack, topic } = imported();
    const queue = new ProcessingQueue(stack, 'Queue', { alarmActions: [opsTopic(stack, 'Others')] });
    topic.addSubscription(new SqsSubscription(queue));
    expect(warningIds(stack)).toEqual(['no-dead-letter-queue']);
    expect(topic.deliveries).toEqual([]);
  });
});

describe('A topic of another account', () => {
  test('says what its owner must do, and counts losses there', () => {
    const { stack, topic } = imported({ env: OTHER_ACCOUNT });
    topic.deliverToEndpoint('Partner', URL);
    topic.deliverToEndpoint('Other', `${URL}/other`);
    expect(warningIds(stack)).toEqual(['losses-counted-elsewhere', 'topic-of-another-account']);
    const statement = warningText(stack, 'topic-of-another-account');
    for (const part of [
      '"Action":"sns:Subscribe"',
      `"Resource":"${arnIn(OTHER_ACCOUNT)}"`,
      ':iam::111122223333:root',
      '"sns:Protocol":"https"',
    ]) {
      expect(statement).toContain(part);
    }
    expect(warningText(stack, 'losses-counted-elsewhere')).toContain(
      'NumberOfNotificationsFailedToRedriveToDlq of orders',
    );
    expect([topic.alarms, topic.lostMessagesAlarm]).toEqual([[], undefined]);
  });

  test('has its metrics in that account', () => {
    const { topic } = imported({ env: OTHER_ACCOUNT });
    const { account, region } = OTHER_ACCOUNT;
    const metrics = [topic.metricNotificationsFailedToRedriveToDlq(), topic.metricNotificationsRedrivenToDlq()];
    expect(metrics.map(it => [it.metricName, it.account, it.region])).toEqual([
      ['NumberOfNotificationsFailedToRedriveToDlq', account, region],
      ['NumberOfNotificationsRedrivenToDlq', account, region],
    ]);
  });

  test('has the statement written if the app contains the topic', () => {
    const app = newApp();
    const [theirs, ours] = [new Stack(app, 'Theirs', { env: OTHER_ACCOUNT }), new Stack(app, 'Ours', { env: HERE })];
    const made = new Topic(theirs, 'Topic', { topicName: 'orders' });
    const topic = new ImportedTopic(ours, 'Topic', { topic: made, alarmActions: [opsTopic(ours)] });
    topic.deliverToEndpoint('Partner', URL);
    templateOf(theirs).hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'sns:Subscribe', Effect: 'Allow' })] },
    });
    expect(warningIds(ours)).toEqual(['losses-counted-elsewhere']);
  });
});
