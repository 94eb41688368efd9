import { inventoryOf, only, type Resources } from './read';

const resource = (Type: string, Properties: Resources = {}) => ({ Type, Properties });
const ARN_OF = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const TOPIC = resource('AWS::SNS::Topic', { TopicName: 'orders' });
const TOPIC_ARN = 'arn:aws:sns:<region>:<account>:orders';
const DEAD = resource('AWS::SQS::Queue', { QueueName: 'dead' });
const DEAD_ARN = 'arn:aws:sqs:<region>:<account>:dead';
const FUNCTION = resource('AWS::Lambda::Function', { FunctionName: 'bill', Role: 'arn:aws:iam::123456789012:role/r' });
const FUNCTION_ARN = 'arn:aws:lambda:<region>:<account>:function:bill';

describe('topics and subscriptions of a template', () => {
  test('are read, those too that are a property of the topic', () => {
    const { topics, subscriptions } = inventoryOf({
      Dead: DEAD,
      Topic: resource('AWS::SNS::Topic', {
        TopicName: 'orders',
        Subscription: [{ Protocol: 'sqs', Endpoint: ARN_OF('Dead') }],
        DeliveryStatusLogging: [{ Protocol: 'http/s', FailureFeedbackRoleArn: 'arn:aws:iam::1:role/r' }],
        DeliveryPolicy: {},
      }),
      Partner: resource('AWS::SNS::Subscription', {
        TopicArn: { Ref: 'Topic' },
        Protocol: 'https',
        Endpoint: 'https://partner.example.com',
        RawMessageDelivery: 'true',
        RedrivePolicy: { deadLetterTargetArn: ARN_OF('Dead') },
        DeliveryPolicy: '{"healthyRetryPolicy":{"numRetries":2}}',
        FilterPolicy: { kind: ['order'] },
        FilterPolicyScope: 'MessageBody',
        ReplayPolicy: { PointType: 'Timestamp' },
      }),
    });
    expect(only(topics)).toMatchObject({
      arn: TOPIC_ARN,
      isFifo: false,
      logging: [{ protocol: 'HTTP', failureRoleArn: 'arn:aws:iam::1:role/r' }],
      unknownProperties: ['DeliveryPolicy'],
    });
    const [partner, inline] = subscriptions;
    expect(partner).toMatchObject({
      arn: `${TOPIC_ARN}:<Test.Partner>`,
      topicArn: TOPIC_ARN,
      isRaw: true,
      deadLetterTargetArn: DEAD_ARN,
      deliveryPolicy: { healthyRetryPolicy: { numRetries: 2 } },
      filterPolicy: { kind: ['order'] },
      filterPolicyScope: 'MessageBody',
      otherSettings: ['ReplayPolicy'],
    });
    expect(inline).toMatchObject({
      name: 'Topic Subscription[0]',
      topicArn: TOPIC_ARN,
      endpoint: DEAD_ARN,
      otherSettings: [],
    });
  });

  test('have the delivery policy a TopicDeliveryPolicy of ours gives them', () => {
    const given = resource('Custom::TopicDeliveryPolicy', {
      TopicArn: { Ref: 'Topic' },
      DeliveryPolicy: '{"http":{"defaultHealthyRetryPolicy":{"numRetries":7}}}',
    });
    expect(only(inventoryOf({ Topic: TOPIC, Given: given }).topics).deliveryPolicy).toEqual({
      http: { defaultHealthyRetryPolicy: { numRetries: 7 } },
    });
  });

  test('have a policy of which only a part is told', () => {
    const PolicyDocument = { Statement: [{ Effect: 'Allow', Principal: { AWS: { Ref: 'Partner' } } }] };
    const policy = resource('AWS::SNS::TopicPolicy', { Topics: [{ Ref: 'Topic' }], PolicyDocument });
    const { topics } = inventoryOf({ Topic: TOPIC, Policy: policy }, { Parameters: { Partner: { Type: 'String' } } });
    expect(only(topics).policy).toEqual({
      Statement: [{ Effect: 'Allow', Principal: { AWS: { unknownBecause: expect.stringContaining('Partner') } } }],
    });
  });
});

describe('functions of a template', () => {
  const alias = resource('AWS::Lambda::Alias', { FunctionName: { Ref: 'Bill' }, FunctionVersion: '1', Name: 'live' });

  test('are let be invoked, and keep what they fail on, themselves and by an alias', () => {
    const { functions } = inventoryOf({
      Dead: DEAD,
      Bill: FUNCTION,
      Live: alias,
      Own: resource('AWS::Lambda::Permission', {
        FunctionName: ARN_OF('Bill'),
        Action: 'lambda:InvokeFunction',
        Principal: 'sns.amazonaws.com',
        SourceArn: TOPIC_ARN,
        SourceAccount: '123456789012',
      }),
      OfAlias: resource('AWS::Lambda::Permission', {
        FunctionName: { Ref: 'Live' },
        Action: 'lambda:InvokeFunction',
        Principal: '123456789012',
      }),
      Invokes: resource('AWS::Lambda::EventInvokeConfig', {
        FunctionName: { Ref: 'Bill' },
        Qualifier: { Ref: 'Live' },
        DestinationConfig: { OnFailure: { Destination: ARN_OF('Dead') } },
      }),
    });
    expect(only(functions)).toMatchObject({
      arn: FUNCTION_ARN,
      timeoutSeconds: 3,
      eventInvokes: [
        { qualifier: 'live', onFailureArn: DEAD_ARN, maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 },
      ],
      policy: {
        Statement: [
          {
            Principal: { Service: 'sns.amazonaws.com' },
            Resource: FUNCTION_ARN,
            Condition: {
              ArnLike: { 'AWS:SourceArn': TOPIC_ARN },
              StringEquals: { 'AWS:SourceAccount': '123456789012' },
            },
          },
          { Principal: { AWS: '123456789012' }, Resource: `${FUNCTION_ARN}:live` },
        ],
      },
    });
  });

  test.each([
    ['bill', FUNCTION_ARN],
    ['bill:live', `${FUNCTION_ARN}:live`],
    ['123456789012:function:bill', FUNCTION_ARN],
    [{ Ref: 'Live' }, `${FUNCTION_ARN}:live`],
  ])('are read from by what a mapping calls %j', (FunctionName, functionArn) => {
    const mapping = resource('AWS::Lambda::EventSourceMapping', { FunctionName, EventSourceArn: ARN_OF('Dead') });
    const { mappings } = inventoryOf({ Dead: DEAD, Bill: FUNCTION, Live: alias, Mapping: mapping });
    expect(only(mappings)).toMatchObject({ functionArn, sourceArn: DEAD_ARN, batchSize: 10, isEnabled: true });
  });

  test('do not tell their policy where a permission may be there or not', () => {
    const permission = { ...resource('AWS::Lambda::Permission', { FunctionName: 'bill' }), Condition: 'Open' };
    const Conditions = { Open: { 'Fn::Equals': [{ Ref: 'P' }, 'a'] } };
    const { functions } = inventoryOf(
      { Bill: FUNCTION, Permission: permission },
      { Conditions, Parameters: { P: {} } },
    );
    expect(only(functions).policy).toEqual({ unknownBecause: expect.any(String) });
  });
});

test('rules and schedules of a template have the ARNs by which they come', () => {
  const Target = { Arn: ARN_OF('Dead'), RoleArn: 'arn:aws:iam::1:role/r', DeadLetterConfig: { Arn: ARN_OF('Dead') } };
  const { targets } = inventoryOf({
    Dead: DEAD,
    Bus: resource('AWS::Events::EventBus', { Name: 'shop' }),
    Rule: resource('AWS::Events::Rule', { Name: 'r', EventBusName: { Ref: 'Bus' }, Targets: [Target, Target] }),
    Plain: resource('AWS::Events::Rule', { State: 'DISABLED', Targets: [{ Arn: ARN_OF('Dead') }] }),
    Schedule: resource('AWS::Scheduler::Schedule', { Name: 's', GroupName: 'nightly', Target }),
  });
  expect(targets.map(({ arn, name, isEnabled }) => [arn, name, isEnabled])).toEqual([
    ['arn:aws:events:<region>:<account>:rule/shop/r', 'Rule Targets[0]', true],
    ['arn:aws:events:<region>:<account>:rule/shop/r', 'Rule Targets[1]', true],
    ['arn:aws:events:<region>:<account>:rule/<Test.Plain>', 'Plain', false],
    ['arn:aws:scheduler:<region>:<account>:schedule/nightly/s', 'Schedule', true],
  ]);
  expect(targets.map(it => it.deadLetterTargetArn)).toEqual([DEAD_ARN, DEAD_ARN, undefined, DEAD_ARN]);
});

describe('alarms and roles of a template', () => {
  test('tell what an alarm watches by a query, and what by a metric of which a dimension is open', () => {
    const Expression = 'SELECT MAX(ApproximateNumberOfMessagesVisible) FROM SCHEMA("AWS/SQS", QueueName)';
    const { alarms } = inventoryOf(
      {
        Query: resource('AWS::CloudWatch::Alarm', { EvaluationPeriods: 3, Metrics: [{ Id: 'q', Expression }] }),
        Open: resource('AWS::CloudWatch::Alarm', {
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Dimensions: [{ Name: 'QueueName', Value: { Ref: 'Which' } }],
          ExtendedStatistic: 'p99',
          EvaluationPeriods: 3,
        }),
      },
      { Parameters: { Which: { Type: 'String' } } },
    );
    expect(alarms[0]).toMatchObject({ metrics: [], queries: [Expression], datapointsToAlarm: 3 });
    expect(alarms[1]?.metrics).toEqual([
      {
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        dimensions: { QueueName: { unknownBecause: expect.stringContaining('Which') } },
        statistic: 'p99',
        periodSeconds: 60,
      },
    ]);
  });

  const SEND = { Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*' }] };
  const BASIC = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

  test('collect the policies of a role wherever they stand', () => {
    const { roles } = inventoryOf({
      Role: resource('AWS::IAM::Role', {
        Policies: [{ PolicyName: 'own', PolicyDocument: SEND }],
        ManagedPolicyArns: [BASIC, { Ref: 'Managed' }],
      }),
      Managed: resource('AWS::IAM::ManagedPolicy', { PolicyDocument: SEND }),
      Attached: resource('AWS::IAM::Policy', { Roles: [{ Ref: 'Role' }], PolicyDocument: SEND }),
      OfNone: resource('AWS::IAM::Policy', { Users: ['somebody'], PolicyDocument: SEND }),
    });
    expect(only(roles).policies).toEqual([SEND, expect.objectContaining({ Version: '2012-10-17' }), SEND, SEND]);
  });

  test('know the managed policies of AWS', () => {
    const ManagedPolicyArns = ['arn:aws:iam::aws:policy/AmazonSQSFullAccess'];
    const { roles } = inventoryOf({ Role: resource('AWS::IAM::Role', { ManagedPolicyArns }) });
    expect(only(roles).policies).toEqual([
      { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['sqs:*'], Resource: '*' }] },
    ]);
  });

  test.each<[what: string, given: unknown, boundary: unknown]>([
    [
      'of the template',
      { Ref: 'Limit' },
      { arn: expect.stringMatching(/:policy\/.*Limit/), document: { Statement: SEND.Statement } },
    ],
    ['of AWS', BASIC, { arn: BASIC, document: expect.objectContaining({ Version: '2012-10-17' }) }],
    [
      'of the account',
      'arn:aws:iam::123456789012:policy/Developers',
      { document: { unknownBecause: expect.stringContaining('is not in the templates') } },
    ],
    ['that a parameter names', { Ref: 'Given' }, { arn: { unknownBecause: expect.any(String) } }],
    ['that is not set', { Ref: 'AWS::NoValue' }, undefined],
  ])('know a permissions boundary %s', (_, PermissionsBoundary, boundary) => {
    const { roles } = inventoryOf(
      {
        Role: resource('AWS::IAM::Role', { PermissionsBoundary }),
        Limit: resource('AWS::IAM::ManagedPolicy', { PolicyDocument: SEND }),
      },
      { Parameters: { Given: { Type: 'String' } } },
    );
    const expected = boundary && expect.objectContaining(boundary);
    expect(only(roles).boundary).toEqual(expected);
  });

  test('do not tell what a policy of AWS’s holds that nobody here knows', () => {
    const ManagedPolicyArns = ['arn:aws:iam::aws:policy/AmazonNewFullAccess'];
    const { roles } = inventoryOf({ Role: resource('AWS::IAM::Role', { ManagedPolicyArns }) });
    expect(only(roles).policies).toEqual({
      unknownBecause: expect.stringContaining('AmazonNewFullAccess, which is not among'),
    });
  });
});
