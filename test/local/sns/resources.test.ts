import { snsResourceTypes } from '../../../local/sns';
import { createResource } from '../create-resource';
import { ADMIN, FEEDBACK_ROLE, FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

function create(fixture: SnsFixture, type: string, properties: Record<string, unknown>) {
  return createResource(snsResourceTypes(fixture.sns), type, properties);
}

describe('AWS::SNS::Topic', () => {
  test('creates a topic with all its properties', () => {
    const fixture = new SnsFixture();
    const { created, problems } = create(fixture, 'AWS::SNS::Topic', {
      TopicName: 'Rental-Orders',
      DisplayName: 'Orders',
      KmsMasterKeyId: 'alias/rental',
      SignatureVersion: '2',
      TracingConfig: 'PassThrough',
      Tags: [{ Key: 'team', Value: 'rental' }],
      Subscription: [{ Protocol: 'lambda', Endpoint: FUNCTION_ARN }],
      DeliveryStatusLogging: [
        { Protocol: 'http/s', FailureFeedbackRoleArn: FEEDBACK_ROLE },
        {
          Protocol: 'sqs',
          SuccessFeedbackRoleArn: FEEDBACK_ROLE,
          SuccessFeedbackSampleRate: '100',
          FailureFeedbackRoleArn: FEEDBACK_ROLE,
        },
      ],
    });
    expect(problems).toEqual([]);
    expect(created).toEqual({ ref: TOPIC_ARN, attributes: { TopicArn: TOPIC_ARN, TopicName: 'Rental-Orders' } });
    expect(fixture.sns.call('ListTagsForResource', ADMIN, { ResourceArn: TOPIC_ARN }).Tags).toEqual([
      { Key: 'team', Value: 'rental' },
    ]);
    expect(fixture.topicAttributes()).toMatchObject({
      DisplayName: 'Orders',
      KmsMasterKeyId: 'alias/rental',
      SignatureVersion: '2',
      TracingConfig: 'PassThrough',
      SubscriptionsConfirmed: '1',
      HTTPFailureFeedbackRoleArn: FEEDBACK_ROLE,
      SQSSuccessFeedbackRoleArn: FEEDBACK_ROLE,
      SQSSuccessFeedbackSampleRate: '100',
      SQSFailureFeedbackRoleArn: FEEDBACK_ROLE,
    });
  });

  test('gives a name to a topic that has none', () => {
    const { created } = create(new SnsFixture(), 'AWS::SNS::Topic', {});
    expect(created.attributes).toMatchObject({ TopicName: 'Rental-Thing-1A2B3C' });
  });

  test('creates a FIFO topic, with a name that ends in .fifo', () => {
    const fixture = new SnsFixture();
    const { created, problems } = create(fixture, 'AWS::SNS::Topic', {
      FifoTopic: true,
      ContentBasedDeduplication: true,
      FifoThroughputScope: 'MessageGroup',
    });
    expect(problems).toEqual([]);
    expect(created.attributes).toMatchObject({ TopicName: 'Rental-Thing-1A2B3C.fifo' });
    expect(fixture.sns.call('GetTopicAttributes', ADMIN, { TopicArn: created.ref }).Attributes).toMatchObject({
      FifoTopic: 'true',
      ContentBasedDeduplication: 'true',
      FifoThroughputScope: 'MessageGroup',
    });
  });

  test('reports every property that is wrong or not implemented in one error', () => {
    const { problems } = create(new SnsFixture(), 'AWS::SNS::Topic', {
      SignatureVersion: 3,
      ArchivePolicy: { MessageRetentionPeriod: 30 },
      DataProtectionPolicy: {},
      DeliveryStatusLogging: [{ Protocol: 'pigeon' }, { Protocol: 'sqs', SuccessFeedbackSampleRate: 200 }],
      Subscription: [{ Protocol: 'sqs', Endpoint: 'no arn' }, { Protocol: 'sqs' }],
    });
    expect([...problems].sort()).toEqual([
      'ArchivePolicy is not implemented by the embedded AWS',
      'DataProtectionPolicy is not implemented by the embedded AWS',
      'DeliveryStatusLogging[0].Protocol must be one of application, firehose, http/s, lambda, sqs',
      expect.stringMatching(/^DeliveryStatusLogging\[1\]\.SuccessFeedbackSampleRate is refused \(InvalidParameter: /),
      expect.stringMatching(/^SignatureVersion is refused \(InvalidParameter: /),
      'Subscription[0].Endpoint is refused (InvalidParameter: Invalid parameter: SQS endpoint ARN)',
      'Subscription[1].Endpoint is required',
    ]);
  });

  test('refuses a FIFO name for a standard topic, and a name that exists', () => {
    const fixture = new SnsFixture();
    expect(create(fixture, 'AWS::SNS::Topic', { TopicName: 'orders.fifo' }).problems).toEqual([
      'TopicName is refused (InvalidParameter: Invalid parameter: Topic Name)',
    ]);
    fixture.createTopic();
    expect(create(fixture, 'AWS::SNS::Topic', { TopicName: 'Rental-Orders' }).problems).toEqual([
      "TopicName is refused (AlreadyExists: Resource of type 'AWS::SNS::Topic' with identifier 'Rental-Orders' already exists.)",
    ]);
  });
});

describe('AWS::SNS::Subscription', () => {
  function withTopic(): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    return fixture;
  }

  test('creates a subscription with all its properties', () => {
    const fixture = withTopic();
    const retries = { minDelayTarget: 1, maxDelayTarget: 60, numRetries: 50 };
    const { created, problems } = create(fixture, 'AWS::SNS::Subscription', {
      TopicArn: TOPIC_ARN,
      Protocol: 'https',
      Endpoint: 'https://billing.example.com/',
      RawMessageDelivery: true,
      FilterPolicyScope: 'MessageBody',
      FilterPolicy: { order: { status: ['confirmed'] } },
      DeliveryPolicy: { healthyRetryPolicy: retries, requestPolicy: { headerContentType: 'text/csv' } },
      RedrivePolicy: { deadLetterTargetArn: queueArn('Fanout-DLQ') },
      Region: 'us-east-1',
    });
    expect(problems).toEqual([]);
    expect(created.attributes).toEqual({ Arn: created.ref });
    expect(fixture.subscriptionAttributes(created.ref)).toMatchObject({
      PendingConfirmation: 'true',
      RawMessageDelivery: 'true',
      FilterPolicyScope: 'MessageBody',
      FilterPolicy: '{"order":{"status":["confirmed"]}}',
      RedrivePolicy: `{"deadLetterTargetArn":"${queueArn('Fanout-DLQ')}"}`,
      DeliveryPolicy: expect.stringContaining('"numRetries":50'),
    });
  });

  test('requires a role for a Firehose stream', () => {
    const properties = {
      TopicArn: TOPIC_ARN,
      Protocol: 'firehose',
      Endpoint: 'arn:aws:firehose:us-east-1:123456789012:deliverystream/orders',
    };
    expect(create(withTopic(), 'AWS::SNS::Subscription', properties).problems).toHaveLength(1);
    const SubscriptionRoleArn = 'arn:aws:iam::123456789012:role/Stream';
    expect(create(withTopic(), 'AWS::SNS::Subscription', { ...properties, SubscriptionRoleArn }).problems).toEqual([]);
  });

  test('reports every property that is wrong or not implemented in one error', () => {
    const { problems } = create(withTopic(), 'AWS::SNS::Subscription', {
      TopicArn: TOPIC_ARN,
      Protocol: 'sqs',
      Endpoint: queueArn('Orders'),
      FilterPolicy: { status: 'confirmed' },
      DeliveryPolicy: { healthyRetryPolicy: { numRetries: 3 } },
      RedrivePolicy: { deadLetterTargetArn: 'no arn' },
      ReplayPolicy: {},
      Region: 'eu-west-1',
    });
    expect([...problems].sort()).toEqual([
      'DeliveryPolicy is refused (InvalidParameter: Invalid parameter: DeliveryPolicy: only http and https subscriptions have this attribute, not sqs)',
      'FilterPolicy is refused (InvalidParameter: Invalid parameter: FilterPolicy: "status" must be an object or an array\n at [Source: (String)"{"status":"confirmed"}"; line: 1, column: 12])',
      'RedrivePolicy is refused (InvalidParameter: Invalid parameter: RedrivePolicy: deadLetterTargetArn is an invalid arn)',
      'Region must be us-east-1, the Region of the topic',
      'ReplayPolicy is not implemented by the embedded AWS',
    ]);
  });

  test('fails, named by its endpoint, if the topic does not exist', () => {
    const properties = { TopicArn: TOPIC_ARN, Protocol: 'lambda', Endpoint: FUNCTION_ARN };
    expect(create(new SnsFixture(), 'AWS::SNS::Subscription', properties).problems).toEqual([
      'Endpoint is refused (NotFound: Topic does not exist)',
    ]);
  });
});

describe('the policies of topics', () => {
  const PolicyDocument = {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sns:Publish', Resource: TOPIC_ARN },
    ],
  };

  test.each([
    ['AWS::SNS::TopicPolicy', { PolicyDocument, Topics: [TOPIC_ARN] }, 'Rental-Thing-1A2B3C'],
    ['AWS::SNS::TopicInlinePolicy', { PolicyDocument, TopicArn: TOPIC_ARN }, TOPIC_ARN],
  ])('%s replaces the default one', (type, properties, ref) => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    const { created, problems } = create(fixture, type, properties);
    expect(problems).toEqual([]);
    expect(created.ref).toBe(ref);
    expect(JSON.parse(fixture.topicAttributes()['Policy'] ?? '')).toEqual(PolicyDocument);
  });

  test('fails the deployment if a statement cannot be evaluated', () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    const broken = { Version: '2012-10-17', Statement: [{ Effect: 'Perhaps', Principal: '*', Action: 'sns:Publish' }] };
    const { problems } = create(fixture, 'AWS::SNS::TopicPolicy', { PolicyDocument: broken, Topics: [TOPIC_ARN] });
    expect(problems).toEqual([
      expect.stringMatching(/^PolicyDocument is refused \(InvalidParameter: Invalid parameter: Policy Error: /),
    ]);
    expect(create(fixture, 'AWS::SNS::TopicPolicy', {}).problems).toEqual([
      'Topics is required',
      'PolicyDocument is required',
    ]);
  });
});
