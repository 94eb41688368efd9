import { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { DeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FifoThroughputScope, FilterOrPolicy, SubscriptionFilter, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import {
  LambdaSubscription,
  SmsSubscription,
  SqsSubscription,
  UrlSubscription,
} from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterQueue,
  DurableTopic,
  OpsTopic,
  type TopicDelivery,
  type TopicDeliveryOptions,
  TopicDeliveryPolicy,
} from '../../../lib';
import { inlineFunction } from '../../support/inline-function';
import {
  allowPlainConsumers,
  HERE,
  newApp,
  newStack,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  textToken,
  warningIds,
} from '../support';

const STREAM_ARN = 'arn:aws:firehose:us-east-1:111122223333:deliverystream/Orders';
const DEVICE_ARN = 'arn:aws:sns:us-east-1:111122223333:endpoint/GCM/Rental/5e3e9847-3183-3f18-a7e8-671c3a57d4b3';

const streamIn = (stack: Stack, arn = STREAM_ARN) => DeliveryStream.fromDeliveryStreamArn(stack, 'Stream', arn);

/** The options that a JavaScript user may pass for any kind of delivery. */
type Options = TopicDeliveryOptions & { readonly rawMessageDelivery?: boolean };

interface Kind {
  readonly protocol: string;
  readonly endpoint: string;
  readonly deliver: (topic: DurableTopic, options?: Options) => TopicDelivery;
  /** The protocol's name for delivery-status logging. @default - SNS cannot log it */
  readonly logged?: string;
}

/** Each kind of delivery except to a queue, a function or a URL. */
const KINDS: readonly Kind[] = [
  {
    protocol: 'firehose',
    endpoint: STREAM_ARN,
    deliver: (topic, options) => topic.deliverToFirehose('X', streamIn(topic.stack), options),
    logged: 'firehose',
  },
  {
    protocol: 'email',
    endpoint: 'ops@example.com',
    deliver: (topic, options) => topic.deliverToEmail('X', 'ops@example.com', options),
  },
  {
    protocol: 'email-json',
    endpoint: 'ops@example.com',
    deliver: (topic, options) => topic.deliverToEmail('X', 'ops@example.com', { ...options, json: true }),
  },
  {
    protocol: 'sms',
    endpoint: '+15550100',
    deliver: (topic, options) => topic.deliverToSms('X', '+15550100', options),
  },
  {
    protocol: 'application',
    endpoint: DEVICE_ARN,
    deliver: (topic, options) => topic.deliverToPush('X', DEVICE_ARN, options),
    logged: 'application',
  },
];

describe.each(KINDS)('A delivery by $protocol', ({ protocol, endpoint, deliver, logged }) => {
  function made(options?: TopicDeliveryOptions) {
    const stack = newStack(HERE);
    const topic = new DurableTopic(stack, 'Topic', { alarmActions: [opsTopic(stack)] });
    const delivery = deliver(topic, options);
    const kept = { Properties: { RedrivePolicy: Match.anyValue() } };
    const [, subscription] = only(templateOf(stack), 'AWS::SNS::Subscription', kept);
    return { stack, topic, delivery, subscription };
  }

  test('has a dead-letter queue of its own with alarms, and is created after the policy that admits SNS there', () => {
    const { stack, topic, delivery, subscription } = made();
    expect(subscription.Properties).toMatchObject({ Protocol: protocol, Endpoint: endpoint });
    const [queueId] = only(templateOf(stack), 'AWS::SQS::Queue');
    expect(subscription.Properties['RedrivePolicy']).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [queueId, 'Arn'] },
    });
    expect(subscription.DependsOn).toContain(only(templateOf(stack), 'AWS::SQS::QueuePolicy')[0]);
    const { deadLetterQueue } = delivery;
    expect(deadLetterQueue).toBeInstanceOf(DeadLetterQueue);
    const [arrivals] = topic.deadLetteredAlarm ? ['DeadLettered'] : [];
    expect(arrivals).toBe('DeadLettered');
    expect(warningIds(stack)).toEqual([]);
  });

  test('knows its id and its protocol, and its topic lists it', () => {
    const { topic, delivery } = made();
    expect([delivery.id, delivery.protocol]).toEqual(['X', protocol]);
    expect([delivery.queue, delivery.handler, delivery.url, delivery.rawMessageDelivery]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
    expect(topic.deliveries).toEqual([delivery]);
  });

  test('filters by attribute or by body', () => {
    const exists = SubscriptionFilter.existsFilter();
    expect(made({ filterPolicy: { kind: exists } }).subscription.Properties).toMatchObject({
      FilterPolicy: { kind: [{ exists: true }] },
    });
    const filterPolicyWithMessageBody = { kind: FilterOrPolicy.filter(exists) };
    expect(made({ filterPolicyWithMessageBody }).subscription.Properties).toMatchObject({
      FilterPolicyScope: 'MessageBody',
    });
  });

  test('can share a dead-letter queue', () => {
    const stack = newStack(HERE);
    const topic = new DurableTopic(stack, 'Topic');
    const deadLetterQueue = new DeadLetterQueue(stack, 'Shared');
    topic.deliverToQueue('Orders', new Queue(stack, 'Queue'), { deadLetterQueue });
    expect(deliver(topic, { deadLetterQueue }).deadLetterQueue).toBe(deadLetterQueue);
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 2);
  });

  test('is logged if SNS can log its protocol', () => {
    const { stack, topic } = made();
    const { Ref: topicId } = stack.resolve(topic.topicArn);
    const { Properties } = templateOf(stack).findResources('AWS::SNS::Topic')[topicId] ?? {};
    const { DeliveryStatusLogging = [] } = Properties ?? {};
    expect(DeliveryStatusLogging.map(({ Protocol }: { Protocol: string }) => Protocol)).toEqual(logged ? [logged] : []);
  });

  test('is refused by a FIFO topic, which delivers only to queues', () => {
    const topic = new DurableTopic(newStack(HERE), 'Topic', { fifo: true });
    const [, line, ...others] = problemsOf(() => deliver(topic));
    expect(line).toContain('must be a queue, because the topic is FIFO');
    expect(others).toEqual([]);
  });

  test('accepts raw messages only if SNS can deliver them', () => {
    const stack = newStack(HERE);
    const raw = { rawMessageDelivery: true };
    const lines = problemsOf(() => deliver(new DurableTopic(stack, 'Topic'), raw));
    const rule = `rawMessageDelivery must be absent, because SNS cannot deliver by ${protocol} without the envelope, got true`;
    expect(lines.slice(1)).toEqual(protocol === 'firehose' ? [] : [`  - ${rule}`]);
  });
});

test('A delivery to a Firehose stream has a role with the documented permissions for that stream alone, and is created after them', () => {
  const stack = newStack(HERE);
  new DurableTopic(stack, 'Topic', { logDeliveryStatus: false }).deliverToFirehose('Archive', streamIn(stack), {
    rawMessageDelivery: true,
  });
  const template = templateOf(stack);
  const [roleId, role] = only(template, 'AWS::IAM::Role');
  const [policyId, policy] = only(template, 'AWS::IAM::Policy');
  expect(role.Properties['AssumeRolePolicyDocument']).toMatchObject({
    Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' } }],
  });
  expect(policy.Properties['PolicyDocument']).toMatchObject({
    Statement: [
      {
        Action: ['DescribeDeliveryStream', 'ListDeliveryStreams', 'ListTagsForDeliveryStream']
          .concat('PutRecord', 'PutRecordBatch')
          .map(action => `firehose:${action}`),
        Effect: 'Allow',
        Resource: STREAM_ARN,
      },
    ],
  });
  const [, { Properties, DependsOn }] = only(template, 'AWS::SNS::Subscription');
  expect(Properties['SubscriptionRoleArn']).toEqual({ 'Fn::GetAtt': [roleId, 'Arn'] });
  expect(Properties['RawMessageDelivery']).toBe(true);
  expect(DependsOn).toEqual(expect.arrayContaining([roleId, policyId]));
});

describe('A delivery that is refused', () => {
  test('creates nothing', () => {
    const topic = new DurableTopic(newStack(HERE), 'Topic');
    expect(problemsOf(() => topic.deliverToEmail('X', 'ops'))).toHaveLength(2);
    expect([topic.deliveries, topic.node.tryFindChild('Deliveries')?.node.tryFindChild('X')]).toEqual([[], undefined]);
  });

  test('does not include one with values that are known only at deployment', () => {
    const stack = newStack(HERE);
    const topic = new DurableTopic(stack, 'Topic');
    topic.deliverToEmail('Mail', textToken());
    topic.deliverToSms('Text', textToken());
    topic.deliverToPush('Push', textToken());
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
    templateOf(stack).resourceCountIs('AWS::SNS::Subscription', 3);
  });
});

test.each([
  ['+15550100', []],
  ['+1 (555) 0100', []],
  ['5550100', ['phone-number-without-country-code']],
  ['015550100', ['phone-number-without-country-code']],
  ['+1234567890123456', ['phone-number-without-country-code']],
])(
  'A phone number without a country code gets a warning, because SNS accepts it and may not reach it: %s',
  (phoneNumber, ids) => {
    const stack = newStack(HERE);
    const alarmActions = [opsTopic(stack)];
    new DurableTopic(stack, 'Topic', { alarmActions }).deliverToSms('X', phoneNumber);
    expect(warningIds(stack)).toEqual(ids);
  },
);

test('The deliveries of a topic are listed in order, with added subscriptions that have a dead-letter queue', () => {
  const stack = newStack(HERE);
  const topic = new DurableTopic(stack, 'Topic');
  const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq');
  topic.deliverToEndpoint('Partner', 'https://partner.example.com');
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'Live'), { deadLetterQueue }));
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'Bare')));
  topic.deliverToSms('Guard', '+15550100');
  const reported = topic.deliveries.map(delivery => [delivery.id, delivery.protocol]);
  expect(reported).toEqual([
    ['Partner', 'https'],
    [expect.stringMatching(/^StackLiveStackTopic/), 'sqs'],
    ['Guard', 'sms'],
  ]);
  expect(topic.deliveries[1]?.deadLetterQueue).toBe(deadLetterQueue);
});

describe('A delivery knows its receiver', () => {
  const { SQS, LAMBDA, HTTPS } = SubscriptionProtocol;
  const URL = 'https://partner.example.com/orders';
  const rawMessageDelivery = true;

  test('whichever method created it', () => {
    const stack = newStack(HERE);
    const topic = new DurableTopic(stack, 'Topic');
    const [queue, live] = [new Queue(stack, 'Queue'), new Queue(stack, 'Live')];
    const handler = inlineFunction(stack, 'Function', 'exports.handler = async () => {};');
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq');
    topic.deliverToQueue('Queue', queue, { rawMessageDelivery });
    topic.deliverToFunction('Function', handler);
    topic.deliverToEndpoint('Partner', URL);
    topic.addSubscription(new SqsSubscription(live, { deadLetterQueue, rawMessageDelivery }));
    topic.addSubscription(new UrlSubscription(`${URL}/live`, { deadLetterQueue }));
    const facts = topic.deliveries.map(it => [it.protocol, it.queue ?? it.handler ?? it.url, it.rawMessageDelivery]);
    expect(facts).toEqual([
      [SQS, queue, true],
      [LAMBDA, handler, false],
      [HTTPS, URL, false],
      [SQS, live, true],
      [HTTPS, `${URL}/live`, false],
    ]);
  });
});

describe('Across accounts and Regions', () => {
  const OTHER_ACCOUNT = { ...HERE, account: '222222222222' };
  const stacks = (env: typeof HERE) => {
    const app = newApp();
    const [topics, queues] = [new Stack(app, 'Topics', { env: HERE }), new Stack(app, 'Queues', { env })];
    const topic = new DurableTopic(topics, 'Topic', {
      topicName: 'orders',
      alarmActions: [new OpsTopic(topics, 'Ops', { topicName: 'ops', email: 'ops@example.com' })],
    });
    return { topics, queues, topic };
  };

  test('a queue of another account is subscribed in its own stack, which the topic’s policy allows', () => {
    const { topics, queues, topic } = stacks(OTHER_ACCOUNT);
    allowPlainConsumers(queues);
    const { deadLetterQueue } = topic.deliverToQueue('Orders', new Queue(queues, 'Queue', { queueName: 'orders' }));
    topic.deliverToQueue('Returns', new Queue(queues, 'Other', { queueName: 'returns' }));
    expect(Stack.of(deadLetterQueue)).toBe(queues);
    templateOf(queues).resourceCountIs('AWS::SNS::Subscription', 2);
    expect(queues.dependencies).toContain(topics);
    const { Statement } = only(templateOf(topics), 'AWS::SNS::TopicPolicy', {
      Properties: { Topics: [topics.resolve(topic.topicArn)] },
    })[1].Properties['PolicyDocument'] as { Statement: { Action: string }[] };
    expect(Statement.filter(({ Action }) => Action === 'sns:Subscribe')).toEqual([
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::222222222222:root']] } },
        Condition: { StringEquals: { 'sns:Protocol': 'sqs' } },
      }),
    ]);
    // Its dead-letter queue is in that account too, and its alarms cannot publish to the ops topic here.
    expect(warningIds(queues)).toEqual(['alarm-action-of-another-account']);
  });

  test('a delivery notifies the actions in the consumer’s account, and its topic its own', () => {
    const { topics, queues, topic } = stacks(OTHER_ACCOUNT);
    allowPlainConsumers(queues);
    const alarmActions = [opsTopic(queues)];
    topic.deliverToQueue('Orders', new Queue(queues, 'Queue', { queueName: 'orders' }), { alarmActions });
    expect(warningIds(queues)).toEqual([]);
    const actionsIn = (stack: Stack) =>
      Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm')).map(
        ({ Properties }) => Properties.AlarmActions,
      );
    expect(new Set(actionsIn(queues).map(it => JSON.stringify(it))).size).toBe(1);
    expect(actionsIn(queues)[0]).toEqual([{ Ref: expect.stringMatching(/^Ops/) }]);
    expect(actionsIn(topics)).toEqual([[{ Ref: expect.stringMatching(/^Ops/) }]]);
  });

  test.each([
    ['of another account has no key of the topic’s, which nobody there could read by', OTHER_ACCOUNT, undefined],
    ['of the topic’s own has the topic’s', HERE, expect.anything()],
  ])('a dead-letter queue made in a stack %s', (_, env, KmsMasterKeyId) => {
    const { topics, queues } = stacks(env);
    const topic = new DurableTopic(topics, 'Secret', {
      topicName: 'secret',
      masterKey: new Key(topics, 'Key', { alias: 'secret' }),
    });
    topic.deliverToQueue('Orders', new Queue(queues, 'Queue', { queueName: 'orders' }));
    const [, { Properties }] = only(templateOf(queues), 'AWS::SQS::Queue', {
      Properties: { MessageRetentionPeriod: 1_209_600 },
    });
    expect(Properties['KmsMasterKeyId']).toEqual(KmsMasterKeyId);
    expect(Properties['SqsManagedSseEnabled']).toBe(KmsMasterKeyId ? undefined : true);
  });

  test('a subscription added as on a Topic gets the warnings of a delivery', () => {
    const { topics, topic } = stacks(OTHER_ACCOUNT);
    const alarmActions = [opsTopic(topics, 'Other')];
    const deadLetterQueue = new DeadLetterQueue(topics, 'Dlq', { alarmActions });
    const functionArn = 'arn:aws:lambda:eu-south-1:222222222222:function:x';
    const handler = LambdaFunction.fromFunctionArn(topics, 'Function', functionArn);
    topic.addSubscription(new LambdaSubscription(handler, { deadLetterQueue }));
    topic.addSubscription(new SmsSubscription('5550100'));
    expect(warningIds(topics)).toEqual([
      'confirmation-needed',
      'cross-region-unsupported',
      'phone-number-without-country-code',
      'sms-without-dead-letter-queue',
    ]);
  });

  test('a dead-letter queue stays in the account of the subscription', () => {
    const { topics, queues, topic } = stacks(OTHER_ACCOUNT);
    const deadLetterQueue = new DeadLetterQueue(topics, 'Dlq', { queueName: 'dlq' });
    const queue = new Queue(queues, 'Queue', { queueName: 'orders' });
    expect(problemsOf(() => topic.deliverToQueue('Orders', queue, { deadLetterQueue }))[1]).toBe(
      '  - deadLetterQueue must be in the account of the subscription, 222222222222, got "111122223333"',
    );
  });

  test('a subscription that the topic’s account makes to a queue of another account must be confirmed, says a warning', () => {
    const { topics, topic } = stacks(OTHER_ACCOUNT);
    topic.deliverToQueue('Orders', Queue.fromQueueArn(topics, 'Q', 'arn:aws:sqs:us-east-1:222222222222:orders'));
    expect(warningIds(topics)).toEqual(['confirmation-needed', 'queue-policy-not-writable']);
  });

  test.each<[string, string, 'queue' | 'function' | 'stream', boolean]>([
    ['us-east-1', 'eu-west-1', 'queue', true],
    ['us-east-1', 'eu-west-1', 'function', true],
    ['us-east-1', 'eu-west-1', 'stream', false],
    ['us-east-1', 'eu-south-1', 'queue', true],
    ['us-east-1', 'eu-south-1', 'function', false],
    ['eu-south-1', 'us-east-1', 'function', true],
    ['eu-south-1', 'af-south-1', 'queue', false],
  ])('from %s to %s, to a %s: %s', (from, to, kind, isSupported) => {
    const stack = new Stack(newApp(), 'Stack', { env: { ...HERE, region: from } });
    const topic = new DurableTopic(stack, 'Topic', { alarmActions: [opsTopic(stack)] });
    const options = {
      deadLetterQueue: new DeadLetterQueue(stack, 'Dlq', { alarmActions: [opsTopic(stack, 'O')] }),
    };
    const arn = (service: string, resource: string) => `arn:aws:${service}:${to}:${HERE.account}:${resource}`;
    const deliver = {
      queue: () => topic.deliverToQueue('X', Queue.fromQueueArn(stack, 'Q', arn('sqs', 'q')), options),
      function: () =>
        topic.deliverToFunction('X', LambdaFunction.fromFunctionArn(stack, 'F', arn('lambda', 'function:f')), options),
      stream: () => topic.deliverToFirehose('X', streamIn(stack, arn('firehose', 'deliverystream/s')), options),
    };
    deliver[kind]();
    expect(warningIds(stack).includes('cross-region-unsupported')).toBe(!isSupported);
  });
});

test('A DurableTopic that is refused creates nothing', () => {
  const stack = newStack();
  expect(problemsOf(() => new DurableTopic(stack, 'Topic', { topicName: 'a b' }))).toHaveLength(2);
  expect(stack.node.tryFindChild('Topic')).toBeUndefined();
});

type DeliverOne = (topic: DurableTopic, name: string, deadLetterQueue: DeadLetterQueue) => unknown;

const warningsOf = (count: number, fifo: boolean, deliver: DeliverOne) => {
  const stack = newStack(HERE);
  allowPlainConsumers(stack);
  const alarmActions = [opsTopic(stack)];
  const topic = new DurableTopic(stack, 'Topic', { fifo, alarmActions });
  const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', { alarmActions, fifo });
  for (let number = 1; number <= count; number += 1) deliver(topic, `No${number}`, deadLetterQueue);
  return warningIds(stack);
};

const toQueue: DeliverOne = (topic, name, deadLetterQueue) =>
  topic.deliverToQueue(name, new Queue(topic.stack, name, { fifo: true }), { deadLetterQueue });
const toMailbox: DeliverOne = (topic, name, deadLetterQueue) =>
  topic.deliverToEmail(name, `${name}@example.com`, { deadLetterQueue });
const filtered: DeliverOne = (topic, name, deadLetterQueue) => {
  const filterPolicy = { kind: SubscriptionFilter.existsFilter() };
  return topic.deliverToEmail(name, `${name}@example.com`, { deadLetterQueue, filterPolicy });
};

test.each<[number, boolean, DeliverOne, string[]]>([
  [100, true, toQueue, []],
  [101, true, toQueue, ['fifo-subscriptions-quota']],
  [200, false, filtered, []],
  [201, false, filtered, ['filter-policies-quota']],
  [201, false, toMailbox, []],
])('The warning about SNS’s quota of subscriptions: %d subscriptions, FIFO: %s', (count, fifo, deliver, ids) => {
  expect(warningsOf(count, fifo, deliver)).toEqual(ids);
});

describe('A FIFO topic', () => {
  test('may have a FIFO dead-letter queue for a standard queue, with a warning, because no use of that is on record', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    const alarmActions = [opsTopic(stack)];
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', { fifo: true, alarmActions });
    const topic = new DurableTopic(stack, 'Topic', { fifo: true, alarmActions });
    topic.deliverToQueue('Archive', new Queue(stack, 'Queue'), { deadLetterQueue });
    expect(warningIds(stack)).toEqual(['dead-letter-queue-of-another-type']);
  });

  test('has all its properties, and a name that ends in .fifo', () => {
    const stack = newStack();
    const fifo = { fifo: true, contentBasedDeduplication: true, messageRetentionPeriodInDays: 7 };
    const fifoThroughputScope = FifoThroughputScope.MESSAGE_GROUP;
    new DurableTopic(stack, 'Topic', { ...fifo, fifoThroughputScope, topicName: 'orders' });
    expect(only(templateOf(stack), 'AWS::SNS::Topic')[1].Properties).toMatchObject({
      TopicName: 'orders.fifo',
      FifoTopic: true,
      ContentBasedDeduplication: true,
      FifoThroughputScope: 'MessageGroup',
      ArchivePolicy: { MessageRetentionPeriod: 7 },
    });
  });
});

describe('A delivery policy of a topic', () => {
  const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 5 } };

  test('becomes a TopicDeliveryPolicy', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', { deliveryPolicy });
    expect(topic.node.tryFindChild('DeliveryPolicy')).toBeInstanceOf(TopicDeliveryPolicy);
    templateOf(stack).resourceCountIs('Custom::TopicDeliveryPolicy', 1);
  });

  test.each([
    [true, ['delivery-policy-overridden']],
    [false, []],
  ])('may be overridden by a delivery, unless disabled: %s', (disableSubscriptionOverrides, ids) => {
    const stack = newStack();
    const alarmActions = [opsTopic(stack)];
    const topic = new DurableTopic(stack, 'Topic', { deliveryPolicy, disableSubscriptionOverrides, alarmActions });
    topic.deliverToEndpoint('Partner', 'https://partner.example.com', { deliveryPolicy });
    expect(warningIds(stack)).toEqual(ids);
  });
});
