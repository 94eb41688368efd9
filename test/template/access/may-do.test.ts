import type { RoleQuestion, ServiceQuestion } from '../../../template/access/access-question';
import { mayDo, roleMayDo } from '../../../template/access/may-do';
import { ACCOUNT, policyOf, queueArn, ROOT_STATEMENT, roleArn, topicArn, UNKNOWN } from '../../diagnosis/inventories';

const QUEUE = queueArn('dead');
const TOPIC = topicArn('orders');
const SEND: ServiceQuestion = {
  service: 'sns.amazonaws.com',
  action: 'sqs:SendMessage',
  resource: QUEUE,
  sourceArn: TOPIC,
  sourceAccount: ACCOUNT,
};
const SNS = { Service: 'sns.amazonaws.com' };
const allow = { Effect: 'Allow', Principal: SNS, Action: 'sqs:SendMessage', Resource: QUEUE };
const deny = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: QUEUE };
const allowIf = (Condition: object) => [{ ...allow, Condition }];
const withDeny = (statement: object) => [allow, { ...deny, ...statement }];

describe('A service may do what the resource’s policy says', () => {
  test.each<[what: string, statements: object[]]>([
    ['by name', [allow]],
    ['among services', [{ ...allow, Principal: { Service: ['events.amazonaws.com', 'sns.amazonaws.com'] } }]],
    ['among everyone', [{ ...allow, Principal: '*' }]],
    ['among everyone, as AWS spells it', [{ ...allow, Principal: { AWS: '*' } }]],
    ['by a wildcard in the action', [{ ...allow, Action: ['SQS:Send*'] }]],
    ['by all actions but one', [{ Effect: 'Allow', Principal: SNS, NotAction: 'sqs:DeleteQueue', Resource: QUEUE }]],
    ['by all resources but one', [{ ...allow, Resource: undefined, NotResource: queueArn('other') }]],
    ['for its topic', allowIf({ ArnEquals: { 'aws:SourceArn': TOPIC } })],
    ['for its topic, the key in other letters', allowIf({ ArnLike: { 'AWS:sourcearn': `${topicArn('')}*` } })],
    ['for its account', allowIf({ StringEquals: { 'aws:SourceAccount': ['999999999999', ACCOUNT] } })],
    ['where the call is over TLS', withDeny({ Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
    ['where only others are denied', withDeny({ Principal: undefined, NotPrincipal: SNS })],
    ['where services are excepted', withDeny({ Condition: { BoolIfExists: { 'aws:PrincipalIsAWSService': false } } })],
    ['though something else is not known', [allow, { ...allow, Condition: { Bool: { 'aws:ViaAWSService': 'true' } } }]],
  ])('%s', (_, statements) => {
    expect(mayDo(SEND, policyOf(...statements))).toBe('yes');
  });

  test.each<[what: string, statements: object[]]>([
    ['no statement', []],
    ['another service', [{ ...allow, Principal: { Service: 'events.amazonaws.com' } }]],
    ['its account', [{ ...allow, Principal: { AWS: ACCOUNT } }]],
    ['another action', [{ ...allow, Action: 'sqs:ReceiveMessage' }]],
    ['another queue', [{ ...allow, Resource: queueArn('other') }]],
    ['another topic', allowIf({ ArnEquals: { 'aws:SourceArn': topicArn('other') } })],
    ['another account', allowIf({ StringEquals: { 'aws:SourceAccount': '999999999999' } })],
    ['a star that is none in StringEquals', allowIf({ StringEquals: { 'aws:SourceArn': `${topicArn('')}*` } })],
    ['an ARN pattern with too few parts', allowIf({ ArnLike: { 'aws:SourceArn': 'arn:aws:sns' } })],
    ['a Deny', withDeny({})],
    ['a Deny of all but another', withDeny({ Principal: undefined, NotPrincipal: { AWS: ACCOUNT } })],
    ['an organization', allowIf({ StringEquals: { 'aws:PrincipalOrgID': 'o-1' } })],
    [
      'a Deny of who is of no organization',
      withDeny({ Condition: { StringNotEquals: { 'aws:PrincipalOrgID': 'o' } } }),
    ],
    ['a Deny though an Allow is not known', [...allowIf({ Bool: { 'aws:ViaAWSService': 'true' } }), deny]],
  ])('and not where there is %s', (_, statements) => {
    expect(mayDo(SEND, policyOf(...statements))).toBe('no');
  });

  test.each<[what: string, statements: unknown[]]>([
    ['a key nobody publishes', allowIf({ StringEquals: { 'aws:UserAgent': 'sns' } })],
    ['an operator nobody here knows', allowIf({ BinaryEquals: { 'aws:SourceArn': 'eA==' } })],
    ['an address', withDeny({ Condition: { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })],
    ['a policy variable', allowIf({ ArnEquals: { 'aws:SourceArn': `arn:aws:sns:*:\${aws:SourceAccount}:*` } })],
    ['a value only the deployment tells', allowIf({ ArnEquals: { 'aws:SourceArn': UNKNOWN } })],
    ['a name only the deployment tells', [{ ...allow, Resource: queueArn('<Prefix>') }]],
    ['a service’s name in one Region', [{ ...allow, Principal: { Service: 'sns.eu-west-1.amazonaws.com' } }]],
    ['a statement only the deployment tells', [UNKNOWN]],
    ['an effect only the deployment tells', [{ ...allow, Effect: UNKNOWN }]],
    ['no action at all', [{ ...allow, Action: undefined }]],
    ['a Deny that may apply', withDeny({ Condition: { StringEquals: { 'aws:PrincipalTag/team': 'x' } } })],
    ['a star for an ARN', allowIf({ ArnLike: { 'aws:SourceArn': '*' } })],
  ])('and nobody knows where there is %s', (_, statements) => {
    expect(mayDo(SEND, { Version: '2012-10-17', Statement: statements })).toBe('unknown');
  });

  test('and a principal of another Region is not it, where AWS documents which one the request has', () => {
    const regional = { ...SEND, service: 'sns.eu-west-1.amazonaws.com' };
    expect(mayDo(regional, policyOf(allow))).toBe('unknown');
    expect(mayDo({ ...regional, isOnlyPrincipal: true }, policyOf(allow))).toBe('no');
    expect(mayDo({ ...regional, isOnlyPrincipal: true }, policyOf({ ...allow, Principal: '*' }))).toBe('yes');
    const Condition = { StringEquals: { 'aws:PrincipalServiceName': 'sns.amazonaws.com' } };
    const byName = policyOf({ ...allow, Principal: '*', Condition });
    expect(mayDo({ ...regional, isOnlyPrincipal: true }, byName)).toBe('unknown');
    expect(mayDo(SEND, byName)).toBe('yes');
  });

  test('which may be one statement, nothing, or not known', () => {
    expect(mayDo(SEND, { Statement: allow })).toBe('yes');
    expect(mayDo(SEND, undefined)).toBe('no');
    expect(mayDo(SEND, UNKNOWN)).toBe('unknown');
  });

  test('and of whose source nobody is told nobody knows', () => {
    const { sourceArn: _, ...question } = SEND;
    expect(mayDo(question, policyOf(...allowIf({ ArnEquals: { 'aws:SourceArn': TOPIC } })))).toBe('unknown');
    expect(mayDo(question, policyOf(allow))).toBe('yes');
  });

  test('the same stand-in is the same resource', () => {
    const resource = queueArn('<Test.Dead>');
    const statement = { ...allow, Resource: resource };
    expect(mayDo({ ...SEND, resource }, policyOf(statement))).toBe('yes');
    expect(mayDo({ ...SEND, resource: queueArn('<Test.Other>') }, policyOf(statement))).toBe('no');
  });
});

describe('A role may do what its own policies, or the resource’s, say', () => {
  const ROLE = roleArn('bill');
  const ask: RoleQuestion = { roleArn: ROLE, action: 'sqs:SendMessage', resource: QUEUE };
  const own = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE };
  const ofQueue = (Principal: unknown) => policyOf({ ...own, Principal });

  test.each<[what: string, expected: string, identity: object[], resource: ReturnType<typeof policyOf> | undefined]>([
    ['by itself', 'yes', [own], undefined],
    ['by the queue', 'yes', [], ofQueue({ AWS: ROLE })],
    ['by the queue, as its account, which decides by the role', 'no', [], ofQueue({ AWS: ACCOUNT })],
    ['not at all', 'no', [], undefined],
    ['not where it is denied', 'no', [own, { ...own, Effect: 'Deny' }], undefined],
    ['not where the queue denies its account', 'no', [own], policyOf({ ...deny, Principal: { AWS: ACCOUNT } })],
    ['perhaps, in a session', 'unknown', [], ofQueue({ AWS: 'arn:aws:sts::111122223333:assumed-role/bill/x' })],
  ])('%s: %s', (_, expected, identity, resource) => {
    expect(roleMayDo(ask, { identity: [policyOf(...identity)], resource })).toBe(expected);
  });

  test('of which nobody knows where the role’s are not told', () => {
    expect(roleMayDo(ask, { identity: UNKNOWN, resource: undefined })).toBe('unknown');
    expect(roleMayDo(ask, { identity: UNKNOWN, resource: ofQueue({ AWS: ROLE }) })).toBe('unknown');
    expect(roleMayDo(ask, { identity: UNKNOWN, resource: policyOf(deny) })).toBe('no');
  });

  test('in another account both must say so', () => {
    const resource = QUEUE.replace(ACCOUNT, '999999999999');
    const identity = [policyOf({ ...own, Resource: '*' })];
    const elsewhere = { ...ask, resource };
    const open = policyOf({ ...own, Principal: { AWS: ACCOUNT }, Resource: '*' });
    expect(roleMayDo(elsewhere, { identity, resource: open })).toBe('yes');
    expect(roleMayDo(elsewhere, { identity, resource: undefined })).toBe('no');
    expect(roleMayDo(elsewhere, { identity: [], resource: open })).toBe('no');
    expect(
      roleMayDo({ ...ask, resource: QUEUE.replace(ACCOUNT, '<account>') }, { identity, resource: undefined }),
    ).toBe('unknown');
  });

  test('a key must leave it to its account', () => {
    const question = { roleArn: ROLE, action: 'kms:Decrypt', resource: 'arn:aws:kms:eu-west-1:111122223333:key/a' };
    const identity = [policyOf({ Effect: 'Allow', Action: 'kms:*', Resource: '*' })];
    expect(roleMayDo(question, { identity, resource: policyOf(ROOT_STATEMENT) })).toBe('yes');
    expect(roleMayDo(question, { identity, resource: policyOf() })).toBe('no');
    expect(roleMayDo(question, { identity: [], resource: policyOf(ROOT_STATEMENT) })).toBe('no');
  });
});
