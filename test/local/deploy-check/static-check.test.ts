import { staticRisks } from '../../../local/deploy-check/static-check';

const live = (type: string, logicalId: string, properties: object, ref = logicalId) => ({
  logicalId,
  type,
  ref,
  attributes: { Arn: `arn:${ref}` },
  properties: { ...properties },
  shownProperties: '',
  suffix: '',
  needs: new Set<string>(),
  deletionPolicy: 'Delete',
  isStandIn: false,
});

const change = (
  action: 'Modify' | 'Remove',
  type: string,
  before: object,
  after: object = {},
  replacement: 'True' | 'False' = 'False',
) => ({
  action,
  logicalId: 'It',
  type,
  before: live(type, 'It', before),
  resource: undefined,
  replacement,
  changed: Object.keys({ ...before, ...after }),
  after: { ...after },
});

const allow = (Action: string, more: object = {}) => ({ Effect: 'Allow', Action, Resource: '*', ...more });
const document = (...Statement: readonly object[]) => ({ PolicyDocument: { Statement } });
const risksOf = (...changes: readonly ReturnType<typeof change>[]) =>
  staticRisks('Test', changes, []).map(({ severity }) => severity);

const QUEUE_POLICY = 'AWS::SQS::QueuePolicy';

test.each([
  ['a nested stack that changes', change('Modify', 'AWS::CloudFormation::Stack', {}), ['tried']],
  ['a nested stack that is removed', change('Remove', 'AWS::CloudFormation::Stack', {}), ['tried']],
  [
    'a policy that allows more',
    change('Modify', QUEUE_POLICY, document(allow('a')), document(allow('a'), allow('b'))),
    [],
  ],
  [
    'a policy that loses a statement',
    change('Modify', QUEUE_POLICY, document(allow('a'), allow('b')), document(allow('a'))),
    ['tried'],
  ],
  [
    'a policy with a new condition',
    change('Modify', QUEUE_POLICY, document(allow('a')), document(allow('a', { Condition: {} }))),
    ['tried'],
  ],
  [
    'a policy that denies more',
    change('Modify', QUEUE_POLICY, document(allow('a')), document(allow('a'), allow('b', { Effect: 'Deny' }))),
    ['tried'],
  ],
  [
    'a role that loses a statement',
    change('Modify', 'AWS::IAM::Role', { Policies: [document(allow('a'))] }, { Policies: [] }),
    ['tried'],
  ],
  [
    'a role with other managed policies',
    change('Modify', 'AWS::IAM::Role', { ManagedPolicyArns: ['a'] }, { ManagedPolicyArns: [] }),
    ['tried'],
  ],
  [
    'a key whose policy loses a statement',
    change(
      'Modify',
      'AWS::KMS::Key',
      { KeyPolicy: document(allow('a')).PolicyDocument },
      { KeyPolicy: { Statement: [] } },
    ),
    ['tried'],
  ],
  ['a policy of a role that stays', change('Remove', 'AWS::IAM::Policy', { PolicyName: 'p', Roles: ['r'] }), ['tried']],
  ['a permission that is removed', change('Remove', 'AWS::Lambda::Permission', { FunctionName: 'f' }), ['tried']],
  [
    'a mapping with another filter',
    change('Modify', 'AWS::Lambda::EventSourceMapping', { EventSourceArn: 'arn:aws:sqs:::q', FilterCriteria: 1 }),
    ['tried'],
  ],
  [
    'a custom name that must change',
    change('Modify', 'AWS::SNS::Topic', { TopicName: 'a' }, { TopicName: 'a' }, 'True'),
    ['fails', 'unknown'],
  ],
  [
    'a mapping that names its function',
    change(
      'Modify',
      'AWS::Lambda::EventSourceMapping',
      { EventSourceArn: 'arn:aws:sqs:::q', FunctionName: 'f' },
      { FunctionName: 'f' },
      'True',
    ),
    [],
  ],
])('%s', (_, given, risks) => {
  expect(risksOf(given)).toEqual(risks);
});

test('a policy or a permission that goes with what it protects is no risk', () => {
  const role = {
    ...change('Remove', 'AWS::IAM::Role', {}),
    logicalId: 'Role',
    before: live('AWS::IAM::Role', 'Role', {}, 'r'),
  };
  expect(risksOf(change('Remove', 'AWS::IAM::Policy', { PolicyName: 'p', Roles: ['r'] }), role)).toEqual([]);
  const worker = { ...change('Remove', 'AWS::SNS::Subscription', { Endpoint: 'f' }), logicalId: 'Sub' };
  expect(risksOf(change('Remove', 'AWS::Lambda::Permission', { FunctionName: 'f' }), worker)).toEqual(['note']);
});
