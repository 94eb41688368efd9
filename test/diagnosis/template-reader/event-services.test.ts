import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { inventoryOf, only, type Resources } from './read';

const QUEUE_ARN = 'arn:aws:sqs:<region>:<account>:<Test.Work>';
const FUNCTION_ARN = 'arn:aws:lambda:<region>:<account>:function:<Test.Bill>';
const UNKNOWN = { unknownBecause: expect.any(String) };
const QUEUE = { 'Fn::GetAtt': ['Work', 'Arn'] };
const FUNCTION = { 'Fn::GetAtt': ['Bill', 'Arn'] };

function read(Type: string, Properties: Resources, more: Resources = {}): Inventory {
  return inventoryOf(
    {
      Work: { Type: 'AWS::SQS::Queue' },
      Bill: { Type: 'AWS::Lambda::Function', Properties: { Role: 'arn:aws:iam::123456789012:role/r' } },
      Table: { Type: 'AWS::DynamoDB::Table' },
      It: { Type, Properties },
      ...more,
    },
    { Parameters: { Which: { Type: 'String' } } },
  );
}

const STREAM = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
const MAPPED = { FunctionName: { Ref: 'Bill' }, EventSourceArn: STREAM, StartingPosition: 'LATEST' };
const ENDLESS = { maximumRetryAttempts: -1, maximumRecordAgeSeconds: -1 };

test.each<[string, Resources, unknown]>([
  ['Lambda’s defaults', MAPPED, ENDLESS],
  [
    'limits',
    { ...MAPPED, MaximumRetryAttempts: 10, MaximumRecordAgeInSeconds: { Ref: 'Which' } },
    { maximumRetryAttempts: 10, maximumRecordAgeSeconds: UNKNOWN },
  ],
  ['a queue', { FunctionName: { Ref: 'Bill' }, EventSourceArn: QUEUE }, undefined],
  ['Kafka', { ...MAPPED, Topics: ['orders'] }, undefined],
])('a mapping of a stream has retries: %s', (_, properties, expected) => {
  expect(only(read('AWS::Lambda::EventSourceMapping', properties).mappings).streamRetries).toEqual(expected);
});

test.each<[string, Resources, unknown]>([
  [
    'a pipe of a stream',
    { Source: STREAM, SourceParameters: { DynamoDBStreamParameters: { MaximumRetryAttempts: 5 } } },
    { kind: 'pipe', isEnabled: true, streamRetries: { ...ENDLESS, maximumRetryAttempts: 5 } },
  ],
  ['a pipe that is stopped', { Source: QUEUE, DesiredState: 'STOPPED' }, { isEnabled: false, sourceArn: QUEUE_ARN }],
])('%s is read', (_, properties, expected) => {
  expect(only(read('AWS::Pipes::Pipe', properties).queueUsers ?? [])).toMatchObject(Object(expected));
});

test.each<[string, Resources, Resources, unknown]>([
  ['with a key', { Name: 'shop', KmsKeyIdentifier: 'alias/k' }, {}, { keyId: 'alias/k', hasArchive: false }],
  [
    'with an archive',
    { Name: 'shop' },
    { Archive: { Type: 'AWS::Events::Archive', Properties: { SourceArn: { 'Fn::GetAtt': ['It', 'Arn'] } } } },
    { kind: 'bus', keyId: undefined, hasArchive: true },
  ],
  [
    'in an app whose archive is of a bus that is not known',
    { Name: 'shop' },
    { Archive: { Type: 'AWS::Events::Archive', Properties: { SourceArn: { Ref: 'Which' } } } },
    { hasArchive: UNKNOWN },
  ],
])('a bus %s is read', (_, properties, more, expected) => {
  expect(only(read('AWS::Events::EventBus', properties, more).queueUsers ?? [])).toMatchObject(Object(expected));
});

const ACTIONS = [{ Lambda: { FunctionArn: FUNCTION } }, { Republish: {} }];

test.each<[string, Resources, unknown]>([
  ['without an error action', { Actions: ACTIONS }, { isEnabled: true, hasErrorAction: false }],
  ['with one', { Actions: ACTIONS, ErrorAction: { Sns: {} } }, { hasErrorAction: true }],
  ['that is disabled', { Actions: ACTIONS, RuleDisabled: true }, { isEnabled: false }],
  ['without actions', { Actions: [] }, { hasErrorAction: true }],
  ['whose actions are not known', { Actions: { Ref: 'Which' } }, { hasErrorAction: UNKNOWN }],
  ['whose error action is not known', { Actions: ACTIONS, ErrorAction: { Ref: 'Which' } }, { hasErrorAction: UNKNOWN }],
])('an IoT rule %s is read', (_, TopicRulePayload, expected) => {
  const { queueUsers = [] } = read('AWS::IoT::TopicRule', { TopicRulePayload });
  expect(only(queueUsers)).toMatchObject({ kind: 'iot-rule', ...Object(expected) });
});

test.each<[string, Resources, unknown[]]>([
  [
    'AWS::S3::Bucket',
    {
      NotificationConfiguration: {
        QueueConfigurations: [{ Queue: QUEUE }],
        LambdaConfigurations: [{ Function: FUNCTION }],
      },
    },
    [QUEUE_ARN, FUNCTION_ARN],
  ],
  [
    'Custom::S3BucketNotifications',
    {
      NotificationConfiguration: {
        QueueConfigurations: [{ QueueArn: QUEUE }],
        LambdaFunctionConfigurations: [{ LambdaFunctionArn: FUNCTION }],
      },
    },
    [QUEUE_ARN, FUNCTION_ARN],
  ],
  ['AWS::IoT::TopicRule', { TopicRulePayload: { Actions: ACTIONS } }, [FUNCTION_ARN]],
  ['AWS::S3::Bucket', { NotificationConfiguration: { Ref: 'Which' } }, []],
])('the notifications of %s are read', (type, properties, expected) => {
  expect(read(type, properties).notifications?.map(({ targetArn }) => targetArn)).toEqual(expected);
});

describe('state machines', () => {
  const SEND = { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', End: true };
  const CATCH = [{ ErrorEquals: ['States.ALL'], Next: 'Keep' }];
  const around = (more: Resources = {}) => ({
    Map: { Type: 'Map', ItemProcessor: { States: { Send: SEND } }, ...more },
  });

  test.each<[string, Resources, unknown[]]>([
    ['a task', { Send: SEND }, [['Send', 'sqs', false]]],
    ['a task with a Catch', { Send: { ...SEND, Catch: CATCH } }, [['Send', 'sqs', true]]],
    ['a task within a map', around(), [['Send', 'sqs', false]]],
    ['a task within a map with a Catch', around({ Catch: CATCH }), [['Send', 'sqs', true]]],
    [
      'a task with the AWS SDK',
      { Tell: { Type: 'Task', Resource: 'arn:aws:states:::aws-sdk:sns:publish' } },
      [['Tell', 'sns', false]],
    ],
    ['other tasks', { Run: { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke' }, Wait: { Type: 'Wait' } }, []],
  ])('%s is read, from text and from an object', (_, States, expected) => {
    const text = { 'Fn::Join': ['', [JSON.stringify({ Comment: 'for @', States }).replace('@', ''), '']] };
    for (const properties of [{ DefinitionString: text }, { Definition: { States } }]) {
      const { serviceCalls = [] } = read('AWS::StepFunctions::StateMachine', properties);
      expect(serviceCalls.map(it => it.kind === 'state' && [it.state, it.service, it.isCaught])).toEqual(expected);
    }
  });

  test('are not read if only the deployment knows the definition', () => {
    expect(read('AWS::StepFunctions::StateMachine', { DefinitionString: { Ref: 'Which' } }).serviceCalls).toEqual([]);
  });
});

const ACCOUNT = { Ref: 'AWS::AccountId' };
const URI = { 'Fn::Join': ['', ['arn:aws:apigateway:eu-west-1:sqs:path/', ACCOUNT, '/work']] };
const integration = (IntegrationResponses: unknown, more: Resources = {}) => ({
  Type: 'AWS',
  Uri: URI,
  RequestTemplates: { 'application/json': 'Action=SendMessage&MessageBody=$input.body' },
  IntegrationResponses,
  ...more,
});
const OK = { StatusCode: '200' };
const on = (SelectionPattern: unknown) => ({ StatusCode: '500', SelectionPattern });

test.each<[string, unknown, unknown[]]>([
  ['that answer 200 to everything', integration([OK]), [['400', '403', '500', '503']]],
  ['that distinguish 500', integration([OK, on('500')]), [['400', '403', '503']]],
  ['that distinguish all errors', integration([OK, on('4\\d{2}'), on('5\\d{2}')]), [[]]],
  ['with a pattern that only Java knows', integration([OK, on('[45&&[^2]]++')]), [[]]],
  ['without an answer to errors', integration([{ ...OK, SelectionPattern: '200' }]), [[]]],
  ['whose responses are not known', integration({ Ref: 'Which' }), [UNKNOWN]],
  ['with a pattern that is not known', integration([OK, on({ Ref: 'Which' })]), [UNKNOWN]],
  ['that receive', integration([OK], { RequestTemplates: { 'application/json': 'Action=ReceiveMessage' } }), []],
  ['of a function', integration([OK], { Uri: FUNCTION }), []],
  ['of a proxy', integration([OK], { Type: 'AWS_PROXY' }), []],
])('methods of REST APIs: %s', (_, Integration, expected) => {
  const { serviceCalls = [] } = read('AWS::ApiGateway::Method', { HttpMethod: 'POST', Integration });
  expect(serviceCalls.map(it => it.kind === 'method' && it.hiddenErrors)).toEqual(expected);
});

test.each<[string, Resources, boolean]>([
  ['names its metric', { MetricName: 'Errors', Namespace: 'AWS/Lambda' }, true],
  ['has one metric in a list', { Metrics: [{ MetricStat: { Metric: {}, Stat: 'Sum' } }] }, true],
  ['has metric math', { Metrics: [{ MetricStat: { Metric: {}, Stat: 'Sum' } }, { Expression: 'm1 * 2' }] }, false],
  ['has a query', { Metrics: [{ Expression: 'SELECT MAX(Errors) FROM "AWS/Lambda"' }] }, false],
])('an alarm that %s', (_, properties, expected) => {
  expect(only(read('AWS::CloudWatch::Alarm', properties).alarms).isPlain).toBe(expected);
});
