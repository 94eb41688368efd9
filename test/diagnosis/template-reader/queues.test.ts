import { inventoryOf, only, type Resources } from './read';

const QUEUE = { Type: 'AWS::SQS::Queue' };
const queueWith = (Properties: Resources) => ({ Type: 'AWS::SQS::Queue', Properties });
const ARN_OF = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const SEND = {
  Statement: [{ Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage' }],
};
const policyFor = (...queues: unknown[]) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: { Queues: queues, PolicyDocument: SEND },
});

describe('the queues of a template', () => {
  test('are as SQS makes them where nothing is said', () => {
    const { queues } = inventoryOf({ Orders: QUEUE });
    expect(only(queues)).toEqual({
      arn: 'arn:aws:sqs:<region>:<account>:<Test.Orders>',
      name: 'Orders',
      place: { stack: 'Test', logicalId: 'Orders', templatePath: 'Test.template.json', waitsFor: [] },
      isFifo: false,
      retentionSeconds: 345_600,
      visibilityTimeoutSeconds: 30,
      redrivePolicy: undefined,
      redriveAllowPolicy: undefined,
      keyId: undefined,
      policy: undefined,
      policyPlaces: [],
    });
  });

  test('are called by their construct, and known by their name', () => {
    const Metadata = { 'aws:cdk:path': 'Test/Orders/Resource' };
    const { queues } = inventoryOf({ Orders: { ...queueWith({ QueueName: 'orders' }), Metadata } });
    expect(only(queues)).toMatchObject({ name: 'Test/Orders', arn: 'arn:aws:sqs:<region>:<account>:orders' });
  });

  test('name their dead-letter queue by the ARN that one is known by, as an object or as text', () => {
    const policies = [
      { deadLetterTargetArn: ARN_OF('Dead'), maxReceiveCount: 3 },
      { 'Fn::Join': ['', ['{"deadLetterTargetArn":"', ARN_OF('Dead'), '","maxReceiveCount":"3"}']] },
    ];
    for (const RedrivePolicy of policies) {
      const { queues } = inventoryOf({ Orders: queueWith({ RedrivePolicy }), Dead: queueWith({ FifoQueue: true }) });
      const [orders, dead] = queues;
      expect(orders?.redrivePolicy).toEqual({ deadLetterTargetArn: dead?.arn, maxReceiveCount: 3 });
      expect(orders?.place?.waitsFor).toEqual(['Dead']);
      expect(dead).toMatchObject({ isFifo: true, arn: 'arn:aws:sqs:<region>:<account>:<Test.Dead>.fifo' });
    }
  });

  test('are of a type that is not told where a condition decides it, unless the name does', () => {
    const FifoQueue = { 'Fn::If': ['IsFifo', true, { Ref: 'AWS::NoValue' }] };
    const IsFifo = { 'Fn::Equals': [{ Ref: 'Kind' }, 'fifo'] };
    const types = (QueueName?: string) => {
      const Orders = queueWith({ FifoQueue, ...(QueueName !== undefined && { QueueName }) });
      const topicProperties = { FifoTopic: FifoQueue, ...(QueueName !== undefined && { TopicName: QueueName }) };
      const Topic = { Type: 'AWS::SNS::Topic', Properties: topicProperties };
      const rest = { Conditions: { IsFifo }, Parameters: { Kind: { Type: 'String' } } };
      const { queues, topics } = inventoryOf({ Orders, Topic }, rest);
      return [only(queues).isFifo, only(topics).isFifo];
    };
    const unknownBecause = { unknownBecause: 'depends on a condition that is only decided at deployment' };
    expect(types()).toEqual([unknownBecause, unknownBecause]);
    expect(types('orders.fifo')).toEqual([true, true]);
    expect(types('orders')).toEqual([false, false]);
  });

  test('have the policy that names them by their URL', () => {
    const { queues } = inventoryOf({ Orders: QUEUE, Dead: QUEUE, Policy: policyFor({ Ref: 'Orders' }) });
    expect(queues.map(({ policy }) => policy)).toEqual([SEND, undefined]);
    expect(queues[0]?.policyPlaces).toMatchObject([{ logicalId: 'Policy' }]);
  });

  test('are listed too where they are made elsewhere, and get their policy here', () => {
    const policy = policyFor('https://sqs.us-east-1.amazonaws.com/123456789012/dead.fifo');
    expect(only(inventoryOf({ Policy: policy }).queues)).toMatchObject({
      arn: 'arn:aws:sqs:us-east-1:123456789012:dead.fifo',
      name: 'dead.fifo',
      isFifo: true,
      policy: SEND,
      retentionSeconds: { unknownBecause: expect.any(String) },
      place: { logicalId: 'Policy' },
    });
  });

  test.each<[string, Resources, Resources]>([
    [
      'two policies, of which one will hold',
      { One: policyFor({ Ref: 'Orders' }), Two: policyFor({ Ref: 'Orders' }) },
      {},
    ],
    ['a policy of whichever queue a parameter names', { One: policyFor({ Ref: 'Url' }) }, { Parameters: { Url: {} } }],
    [
      'a policy under a condition nobody can decide yet',
      { One: { ...policyFor({ Ref: 'Orders' }), Condition: 'IsHere' } },
      { Conditions: { IsHere: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] } } },
    ],
  ])('do not tell their policy with %s', (_, policies, rest) => {
    const { queues } = inventoryOf({ Orders: QUEUE, ...policies }, rest);
    expect(only(queues).policy).toEqual({ unknownBecause: expect.any(String) });
  });

  test('let in by their redrive-allow policy, and wait for themselves where that is a circle', () => {
    const { queues } = inventoryOf({
      Orders: queueWith({ RedrivePolicy: { deadLetterTargetArn: ARN_OF('Dead'), maxReceiveCount: 1 } }),
      Dead: queueWith({ RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [ARN_OF('Orders')] } }),
    });
    const [orders, dead] = queues;
    expect(dead?.redriveAllowPolicy).toEqual({ permission: 'byQueue', sourceQueueArns: [orders?.arn] });
    expect([orders, dead].map(it => it?.place?.waitsFor)).toEqual([
      ['Dead', 'Orders'],
      ['Dead', 'Orders'],
    ]);
  });

  test('say why a number is not known', () => {
    const properties = { MessageRetentionPeriod: { Ref: 'Days' }, VisibilityTimeout: '{{resolve:ssm:visibility}}' };
    const { queues } = inventoryOf({ Orders: queueWith(properties) }, { Parameters: { Days: { Default: 7 } } });
    expect(only(queues)).toMatchObject({
      retentionSeconds: {
        unknownBecause: 'is only known at deployment: MessageRetentionPeriod: Ref names the parameter Days',
      },
      visibilityTimeoutSeconds: { unknownBecause: expect.any(String) },
    });
  });

  test('are not there where their condition says so', () => {
    const Conditions = { Never: { 'Fn::Equals': ['a', 'b'] } };
    expect(inventoryOf({ Orders: { ...QUEUE, Condition: 'Never' } }, { Conditions }).queues).toEqual([]);
  });
});

describe('queue users', () => {
  const resource = (Type: string, Properties: Readonly<Record<string, unknown>>) => ({ Type, Properties });
  const ARN = { 'Fn::GetAtt': ['Dead', 'Arn'] };
  const DEAD_ARN = 'arn:aws:sqs:<region>:<account>:<Test.Dead>';

  /** Returns the other resources that read queues or send to them, next to a queue named `Dead`. */
  function users(type: string, properties: Readonly<Record<string, unknown>>) {
    const { queueUsers = [] } = inventoryOf(
      { Dead: resource('AWS::SQS::Queue', {}), User: resource(type, properties) },
      { Parameters: { Which: { Type: 'String' } } },
    );
    return queueUsers.map(({ sourceArn, deadLetterTargetArn }) => [sourceArn, deadLetterTargetArn]);
  }

  const STREAM = 'arn:aws:kinesis:us-east-1:111122223333:stream/clicks';
  const UNKNOWN = { unknownBecause: expect.any(String) };

  test.each([
    ['a bus', 'AWS::Events::EventBus', { Name: 'shop', DeadLetterConfig: { Arn: ARN } }, [undefined, DEAD_ARN]],
    ['a bus without any', 'AWS::Events::EventBus', { Name: 'shop' }, [undefined, undefined]],
    ['a pipe that reads a queue', 'AWS::Pipes::Pipe', { Source: ARN, Target: 'arn' }, [DEAD_ARN, undefined]],
    ...['KinesisStreamParameters', 'DynamoDBStreamParameters'].map(
      name =>
        [
          `a pipe of ${name}`,
          'AWS::Pipes::Pipe',
          { Source: STREAM, SourceParameters: { [name]: { DeadLetterConfig: { Arn: ARN } } } },
          [STREAM, DEAD_ARN],
        ] as const,
    ),
    [
      'a pipe of parameters',
      'AWS::Pipes::Pipe',
      { Source: STREAM, SourceParameters: { Ref: 'Which' } },
      [STREAM, UNKNOWN],
    ],
    [
      'a rule of IoT',
      'AWS::IoT::TopicRule',
      { TopicRulePayload: { ErrorAction: { Sqs: { QueueUrl: { Ref: 'Dead' } } } } },
      [undefined, DEAD_ARN],
    ],
    [
      'a rule of IoT whose error action is a parameter',
      'AWS::IoT::TopicRule',
      { TopicRulePayload: { ErrorAction: { Sqs: { QueueUrl: { Ref: 'Which' } } } } },
      [undefined, UNKNOWN],
    ],
  ] as const)('%s says what it reads, and where it sends what fails', (_, type, properties, reported) => {
    expect(users(type, properties)).toEqual([reported]);
  });
});
