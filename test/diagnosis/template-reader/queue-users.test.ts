import { inventoryOf } from './read';

const resource = (Type: string, Properties: Readonly<Record<string, unknown>>) => ({ Type, Properties });
const ARN = { 'Fn::GetAtt': ['Dead', 'Arn'] };
const DEAD_ARN = 'arn:aws:sqs:<region>:<account>:<Test.Dead>';

/** What else reads queues and sends to them, besides a queue named `Dead`. */
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
