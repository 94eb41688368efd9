import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import type { NestedTemplate, ReadTemplate } from '../../../template/template-stack';
import { inventoryOf, only, stackWith } from './read';

const DEAD = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead' } };
const DEAD_ARN = { 'Fn::GetAtt': ['Dead', 'Arn'] };
const sourceOf = (deadLetterTargetArn: unknown) => ({
  Type: 'AWS::SQS::Queue',
  Properties: { RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 } },
});
const HERE = { account: '123456789012', region: 'eu-south-1' };

describe('stacks that are read together', () => {
  const ARN = 'arn:aws:sqs:<region>:<account>:dead';

  test.each([
    ['an export', { 'Fn::ImportValue': 'Letters:Dead' }],
    ['an output', { 'Fn::GetStackOutput': { StackName: 'Letters', OutputName: 'Dead' } }],
  ])('hand each other ARNs by %s', (_, argument) => {
    const Outputs = {
      Dead: { Value: DEAD_ARN, Export: { Name: { 'Fn::Join': [':', [{ Ref: 'AWS::StackName' }, 'Dead']] } } },
    };
    const { queues } = readTemplates([
      stackWith({ Resources: { Orders: sourceOf(argument) } }),
      stackWith({ Resources: { Dead: DEAD }, Outputs }, { stackName: 'Letters' }),
    ]);
    expect(queues.map(({ arn, redrivePolicy }) => [arn, redrivePolicy])).toEqual([
      ['arn:aws:sqs:<region>:<account>:<Test.Orders>', { deadLetterTargetArn: ARN, maxReceiveCount: 3 }],
      [ARN, undefined],
    ]);
  });

  test('do not tell what nobody among them exports', () => {
    const { queues } = inventoryOf({ Orders: sourceOf({ 'Fn::ImportValue': 'Elsewhere' }) });
    expect(only(queues).redrivePolicy).toEqual({
      deadLetterTargetArn: { unknownBecause: expect.stringContaining('names the export Elsewhere') },
      maxReceiveCount: 3,
    });
  });

  test('may import from each other in a circle without end', () => {
    const Outputs = { Out: { Value: { 'Fn::ImportValue': 'Round' }, Export: { Name: 'Round' } } };
    const { queues } = inventoryOf({ Orders: sourceOf({ 'Fn::ImportValue': 'Round' }) }, { Outputs });
    expect(only(queues).redrivePolicy).toMatchObject({ deadLetterTargetArn: { unknownBecause: expect.any(String) } });
  });

  test('say where they go, where all go to one place', () => {
    const one = stackWith({ Resources: { Dead: DEAD } }, HERE);
    const other = stackWith({}, { ...HERE, region: 'eu-west-1' });
    expect(readTemplates([one])).toMatchObject({ partition: 'aws', ...HERE, isComplete: false });
    expect(only(readTemplates([one]).queues).arn).toBe('arn:aws:sqs:eu-south-1:123456789012:dead');
    const unknownBecause = { unknownBecause: 'is not one: the stacks are for several Regions' };
    expect(readTemplates([one, other])).toMatchObject({ account: HERE.account, region: unknownBecause });
  });

  test.each([
    ['cn-north-1', 'arn:aws-cn:sqs:cn-north-1:<account>:dead'],
    ['us-gov-west-1', 'arn:aws-us-gov:sqs:us-gov-west-1:<account>:dead'],
    ['unknown-region', 'arn:aws:sqs:<region>:<account>:dead'],
  ])('have the ARNs of %s', (region, arn) => {
    expect(only(readTemplates([stackWith({ Resources: { Dead: DEAD } }, { region })]).queues).arn).toBe(arn);
  });

  test('decide their conditions by the Region they go to', () => {
    const Conditions = { InMilan: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-south-1'] } };
    const template = { Resources: { Dead: { ...DEAD, Condition: 'InMilan' } }, Conditions };
    expect(readTemplates([stackWith(template, HERE)]).queues).toHaveLength(1);
    expect(readTemplates([stackWith(template, { region: 'eu-west-1' })]).queues).toHaveLength(0);
    expect(readTemplates([stackWith(template)]).queues).toHaveLength(1);
  });

  test('choose by a condition that is known, and do not tell by one that is not', () => {
    const Conditions = { Known: { 'Fn::Equals': ['a', 'a'] }, Open: { 'Fn::Equals': [{ Ref: 'P' }, 'a'] } };
    const retention = (condition: string) =>
      only(
        inventoryOf(
          { Q: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: { 'Fn::If': [condition, 60, 90] } } } },
          { Conditions, Parameters: { P: { Type: 'String', Default: 'a' } } },
        ).queues,
      ).retentionSeconds;
    expect(retention('Known')).toBe(60);
    expect(retention('Open')).toEqual({ unknownBecause: expect.stringContaining('condition') });
  });
});

describe('stacks that nest', () => {
  const nested: ReadTemplate = {
    template: {
      Parameters: { DeadArn: { Type: 'String' } },
      Resources: { Orders: sourceOf({ Ref: 'DeadArn' }) },
      Outputs: { Url: { Value: { Ref: 'Orders' } } },
    },
    templatePath: 'Nested.json',
  };
  const Nested = {
    Type: 'AWS::CloudFormation::Stack',
    Properties: { TemplateURL: 'https://s3/bucket/abc.json', Parameters: { DeadArn: DEAD_ARN } },
  };
  const Policy = {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [{ 'Fn::GetAtt': ['Nested', 'Outputs.Url'] }], PolicyDocument: { Statement: [] } },
  };

  test('are given parameters, and give outputs', () => {
    const asked: unknown[] = [];
    const read = ({ templateUrl }: NestedTemplate) => {
      asked.push(templateUrl);
      return nested;
    };
    const stack = stackWith({ Resources: { Dead: DEAD, Nested, Policy } }, { nested: read });
    const { queues, unread } = readTemplates([stack]);
    const orders = queues.find(({ name }) => name === 'Orders');
    expect(orders).toMatchObject({
      arn: 'arn:aws:sqs:<region>:<account>:<Test.Nested.Orders>',
      redrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:<region>:<account>:dead' },
      policy: { Statement: [] },
      place: { stack: 'Test.Nested', templatePath: 'Nested.json' },
    });
    expect(asked).toEqual(['https://s3/bucket/abc.json']);
    expect(unread).toBeUndefined();
  });

  test('are given what other stacks export', () => {
    const Parameters = { DeadArn: { 'Fn::ImportValue': 'Dead' } };
    const importing = (stackName: string) =>
      stackWith(
        { Resources: { Nested: { ...Nested, Properties: { ...Nested.Properties, Parameters } } } },
        { stackName, nested: () => nested },
      );
    const Outputs = { Dead: { Value: DEAD_ARN, Export: { Name: 'Dead' } } };
    const exporting = stackWith({ Resources: { Dead: DEAD }, Outputs }, { stackName: 'Letters' });
    const { queues } = readTemplates([importing('One'), importing('Two'), exporting]);
    const given = { deadLetterTargetArn: 'arn:aws:sqs:<region>:<account>:dead', maxReceiveCount: 3 };
    expect(queues.map(({ redrivePolicy }) => redrivePolicy)).toEqual([given, given, undefined]);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['its address by itself', { TemplateURL: { 'Fn::GetAtt': ['Nested', 'Outputs.Url'] } }],
    ['a parameter by itself', { Parameters: { DeadArn: { 'Fn::GetAtt': ['Nested', 'Outputs.Url'] } } }],
  ])('may be given %s without end', (_, Properties) => {
    const { queues } = readTemplates([
      stackWith({ Resources: { Nested: { ...Nested, Properties } } }, { nested: () => nested }),
    ]);
    expect(only(queues).redrivePolicy).toMatchObject({ deadLetterTargetArn: { unknownBecause: expect.any(String) } });
  });

  test('may nest in themselves without end', () => {
    const round: ReadTemplate = { template: { Resources: { Nested, Dead: DEAD } }, templatePath: 'Round.json' };
    const { queues, unread } = readTemplates([
      stackWith({ Resources: { Nested } }, { nested: () => ({ ...round, nested: () => round }) }),
    ]);
    expect(queues).toHaveLength(1);
    expect(unread).toHaveLength(1);
  });

  test('are told of where they cannot be read', () => {
    expect(inventoryOf({ Dead: DEAD, Nested }).unread).toEqual([
      'A stack that nests in Test is not read: the assembly has no template in JSON.',
    ]);
  });
});

test.each([
  ['AWS::Serverless-2016-10-31', 'Test is not read: CloudFormation makes its resources by SAM’s transform'],
  [
    ['Ours', 'AWS::LanguageExtensions'],
    'Test is not read: CloudFormation changes it by Ours and AWS::LanguageExtensions',
  ],
  [
    { Name: 'AWS::Include', Parameters: { Location: 's3://bucket/file' } },
    'Test is not read: CloudFormation changes it by AWS::Include',
  ],
])('a template with the transform %j is not read, which is said', (Transform, says) => {
  const { queues, unread } = inventoryOf({ Dead: DEAD }, { Transform });
  expect(queues).toEqual([]);
  expect(unread).toEqual([expect.stringContaining(says)]);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['among its properties', { Properties: { RedrivePolicy: {}, 'Fn::Transform': { Name: 'AWS::Include' } } }],
  ['beside them', { Properties: { RedrivePolicy: {} }, 'Fn::Transform': { Name: 'AWS::Include' } }],
])('nothing is told of the properties of a resource with a macro %s', (_, declared) => {
  const unknownBecause = { unknownBecause: expect.stringContaining('Fn::Transform') };
  const { queues, topics } = inventoryOf({
    Queue: { Type: 'AWS::SQS::Queue', ...declared },
    Topic: { Type: 'AWS::SNS::Topic', ...declared },
  });
  expect(only(queues)).toMatchObject({
    arn: 'arn:aws:sqs:<region>:<account>:<QueueName of Test.Queue>',
    visibilityTimeoutSeconds: unknownBecause,
    redrivePolicy: { unknownBecause: expect.any(String) },
  });
  expect(only(topics)).toMatchObject({ keyId: unknownBecause, unknownProperties: [] });
});

test('a template of which a macro makes resources is not read, which is said', () => {
  const { queues, unread } = inventoryOf({ Dead: DEAD, 'Fn::ForEach::Queues': ['Id', ['A', 'B'], {}] });
  expect([queues, unread]).toEqual([[], [expect.stringContaining('changes it by Fn::ForEach::Queues')]]);
});
