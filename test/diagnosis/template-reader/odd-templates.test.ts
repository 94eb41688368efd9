import fc from 'fast-check';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Resource } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { readableFindings } from '../../../diagnosis/template-reader/spoken-findings';
import { parseObject } from '../../../policy/members';
import { stackWith } from './read';

/** Names that are taken in every object are names like others. */
const IDS = ['A', 'B', 'C', 'constructor', 'toString', '__proto__', 'hasOwnProperty'];

const TYPES = [
  'AWS::SNS::Topic',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Lambda::Function',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Permission',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Events::Rule',
  'AWS::Scheduler::Schedule',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::KMS::Key',
  'AWS::KMS::Alias',
  'AWS::IAM::Role',
  'AWS::IAM::Policy',
  'AWS::CloudFormation::Stack',
  'Custom::TopicDeliveryPolicy',
  'constructor',
];

const PROPERTIES = [
  ...['QueueName', 'FifoQueue', 'RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'Queues', 'PolicyDocument'],
  ...['TopicName', 'TopicArn', 'Topics', 'Subscription', 'Protocol', 'Endpoint', 'DeliveryPolicy', 'FilterPolicy'],
  ...['DeliveryStatusLogging', 'FunctionName', 'Role', 'DeadLetterConfig', 'DestinationConfig', 'Qualifier', 'Name'],
  ...['EventSourceArn', 'FunctionResponseTypes', 'Principal', 'Action', 'SourceArn', 'Targets', 'Target', 'RoleArn'],
  ...['EventBusName', 'GroupName', 'Path', 'Namespace', 'MetricName', 'Metrics', 'Dimensions', 'AlarmActions'],
  ...['AlarmRule', 'AliasName', 'TargetKeyId', 'KeyPolicy', 'RoleName', 'Roles', 'Policies', 'ManagedPolicyArns'],
  ...['TemplateURL', 'Parameters', 'Fn::Transform', 'Statement', 'Arn', 'Value', 'MetricStat', 'constructor'],
  ...['deadLetterTargetArn', 'maxReceiveCount', 'MessageRetentionPeriod', 'Timeout', 'Condition', 'Effect'],
];

const INTRINSICS = [
  ...['Ref', 'Fn::GetAtt', 'Fn::Sub', 'Fn::Join', 'Fn::Select', 'Fn::Split', 'Fn::Base64', 'Fn::FindInMap', 'Fn::If'],
  ...['Fn::ImportValue', 'Fn::GetStackOutput', 'Fn::GetAZs', 'Fn::And', 'Fn::Or', 'Fn::Not', 'Fn::Equals', 'Fn::Odd'],
];

const placeholder = (name: string) => `\${${name}}`;

const TEXTS = [
  '',
  ',',
  'Arn',
  'Outputs.A',
  placeholder('A'),
  placeholder('A.Arn') + placeholder('!B'),
  '{"a":',
  '{"Statement":[{}]}',
  'arn:aws:sqs:::a',
  '*',
];

const ids = fc.constantFrom(...IDS);
const texts = fc.oneof(ids, fc.constantFrom(...TEXTS, 'AWS::NoValue', 'AWS::Region', 'sqs', 'sns.amazonaws.com'));

const { value: values } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    texts,
    fc.constantFrom(null, true, false, 0, -1, 1e300, 'true'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...PROPERTIES), tie('value'), { maxKeys: 3 }),
    fc.tuple(fc.constantFrom(...INTRINSICS), tie('value')).map(([name, argument]) => ({ [name]: argument })),
    ids.map(id => ({ 'Fn::GetAtt': [id, 'Arn'] })),
    ids.map(id => ({ Ref: id })),
  ),
}));

const sections = fc.dictionary(ids, values, { maxKeys: 3 });
const resources = fc.record(
  {
    Type: fc.constantFrom(...TYPES),
    Properties: fc.oneof(
      { arbitrary: fc.dictionary(fc.constantFrom(...PROPERTIES), values, { maxKeys: 8 }), weight: 9 },
      values,
    ),
    Condition: ids,
    DependsOn: values,
    Metadata: values,
  },
  { requiredKeys: ['Type'] },
);

const templates = fc.record(
  {
    Resources: fc.oneof(
      { arbitrary: fc.dictionary(ids, fc.oneof({ arbitrary: resources, weight: 9 }, values)), weight: 9 },
      values,
    ),
    Parameters: sections,
    Mappings: sections,
    Conditions: sections,
    Outputs: fc.oneof(sections, fc.dictionary(ids, fc.record({ Value: values, Export: fc.record({ Name: values }) }))),
  },
  { requiredKeys: ['Resources'] },
);

test('templates that CloudFormation would refuse are read as far as they go, and never end in an error', () => {
  fc.assert(
    fc.property(fc.tuple(templates, templates, templates), made => {
      const [one = {}, other = {}, nested = {}] = made.map(it => parseObject(JSON.stringify(it)) ?? {});
      const within = () => ({ template: nested, templatePath: 'Nested.json', nested: () => undefined });
      const inventory = readTemplates([
        stackWith(one, { nested: within, parameters: { A: 'given' } }),
        stackWith(other, { stackName: 'Other', nested: within, region: 'eu-west-1' }),
      ]);
      const findings = readableFindings(checkInventory(inventory), inventory);
      const read: readonly Resource[] = [...inventory.queues, ...inventory.topics, ...inventory.functions];
      const places = read.map(({ place }) => place?.logicalId);
      expect(IDS).toEqual(expect.arrayContaining(places));
      expect(findings.every(({ says, resource }) => says !== '' && resource.place !== undefined)).toBe(true);
    }),
    { seed: 7, numRuns: 500 },
  );
});
