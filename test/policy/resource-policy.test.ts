import { excessText, joinedSources, policyExcesses } from '../../policy/resource-policy';

const QUEUE = 'arn:aws:sqs:us-east-1:111122223333:dead';

const from = (service: string, source: unknown, more: object = {}) => ({
  Effect: 'Allow',
  Principal: { Service: `${service}.amazonaws.com` },
  Action: 'sqs:SendMessage',
  Resource: QUEUE,
  Condition: { ArnEquals: { 'aws:SourceArn': source } },
  ...more,
});

describe('statements that differ only in aws:SourceArn', () => {
  it('become one with a list, at the place of the first, and others stay', () => {
    const tls = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: QUEUE };
    const joined = joinedSources([
      tls,
      from('sns', { Ref: 'A' }),
      from('events', 'r', { Sid: 'AllowEventRuleStackRule' }),
      from('sns', { Ref: 'B' }),
      from('sns', { Ref: 'A' }),
      from('events', 's', { Sid: 'AllowEventRuleStackOther' }),
    ]);
    expect(joined).toEqual([tls, from('sns', [{ Ref: 'A' }, { Ref: 'B' }]), from('events', ['r', 's'])]);
    expect(joinedSources(joined)).toEqual(joined);
  });

  it.each([
    ['another action', from('sns', 'b', { Action: 'sqs:ReceiveMessage' })],
    ['another resource', from('sns', 'b', { Resource: `${QUEUE}2` })],
    ['another principal', from('events', 'b')],
    ['another operator', from('sns', 'b', { Condition: { ArnLike: { 'aws:SourceArn': 'b' } } })],
    [
      'one more condition',
      from('sns', 'b', {
        Condition: { ArnEquals: { 'aws:SourceArn': 'b' }, StringEquals: { 'aws:SourceAccount': '1' } },
      }),
    ],
    ['a denial', from('sns', 'b', { Effect: 'Deny' })],
    ['a Sid that a user chose', from('sns', 'b', { Sid: 'OrdersTopic' })],
    ['a Sid that only contains a generated one', from('sns', 'b', { Sid: 'OursAllowEventRule' })],
    ['a Sid that is no text', from('sns', 'b', { Sid: { Ref: 'Sid' } })],
    ['no condition', from('sns', 'b', { Condition: undefined })],
    ['no statement in it', null],
    ['a text in its place', 'sns'],
  ])('stay separate from a statement with %s, because one statement would allow something else', (_, other) => {
    expect(joinedSources([from('sns', 'a'), other])).toEqual([from('sns', 'a'), other]);
  });

  it('stay separate if they deny', () => {
    const denials = ['a', 'b'].map(it => from('sns', it, { Effect: 'Deny' }));
    expect(joinedSources(denials)).toEqual(denials);
  });

  it('keep their Sid if nothing is joined, and one source needs no list', () => {
    const alone = from('events', 'r', { Sid: 'AllowEventRuleStackRule' });
    expect(joinedSources([alone])).toEqual([alone]);
    expect(joinedSources([from('sns', 'a'), from('sns', 'a')])).toEqual([from('sns', 'a')]);
  });

  it('may use ArnLike, next to another condition with ArnEquals', () => {
    const like = (source: unknown) =>
      from('sns', '', { Condition: { ArnEquals: { 'aws:PrincipalArn': 'p' }, ArnLike: { 'AWS:SourceArn': source } } });
    expect(joinedSources([like('a'), like('b')])).toEqual([like(['a', 'b'])]);
  });

  it('keep the account that both require', () => {
    const of = (source: unknown) => ({
      Condition: { ArnEquals: { 'aws:SourceArn': source }, StringEquals: { 'aws:SourceAccount': '111122223333' } },
    });
    expect(joinedSources([from('sns', '', of('a')), from('sns', '', of(['b', 'c']))])).toEqual([
      from('sns', '', of(['a', 'b', 'c'])),
    ]);
  });
});

/** The quotas pages of SQS, SNS, KMS and Lambda: see `RESOURCE_POLICY_LIMITS`. */
describe('the limits of a policy', () => {
  const repeated = (count: number, statement: object) => ({ Statement: Array(count).fill(statement) });
  const services = (count: number) => ({ AWS: Array(count).fill('111122223333') });
  const conditions = (count: number) => ({
    StringEquals: Object.fromEntries(Array.from({ length: count }, (_, i) => [`aws:PrincipalTag/${i}`, 'x'])),
  });
  const one = from('sns', 'a');

  it.each([
    ['queue', repeated(20, one), repeated(21, one), 'has 21 statements, but SQS accepts at most 20'],
    [
      'queue',
      { Statement: from('sns', 'a', { Action: Array(7).fill('sqs:SendMessage') }) },
      { Statement: from('sns', 'a', { Action: Array(8).fill('sqs:SendMessage') }) },
      'has 8 actions in one statement, but SQS accepts at most 7',
    ],
    [
      'queue',
      { Statement: [from('sns', 'a', { Principal: services(50) })] },
      { Statement: [from('sns', 'a', { Principal: services(51) })] },
      'has 51 principals in one statement, but SQS accepts at most 50',
    ],
    [
      'queue',
      { Statement: [from('sns', 'a', { Condition: conditions(10) })] },
      { Statement: [from('sns', 'a', { Condition: conditions(11) })] },
      'has 11 conditions in one statement, but SQS accepts at most 10',
    ],
    ['topic', repeated(100, one), repeated(101, one), 'has 101 statements, but SNS accepts at most 100'],
  ] as const)('%s: %#', (owner, accepted, refused, text) => {
    expect(policyExcesses(owner, accepted, 0)).toEqual([]);
    expect(policyExcesses(owner, refused, 0).map(it => excessText(owner, it))).toEqual([text]);
  });

  it.each([
    ['topic', 'bytes', 'has 1,001 bytes, but SNS accepts at most 1,000'],
    ['key', 'bytes', 'has 1,001 bytes, but KMS accepts at most 1,000'],
    ['function', 'bytes', 'has 1,001 bytes, but Lambda accepts at most 1,000'],
  ] as const)('of a %s, in %s, is named in words', (owner, what, text) => {
    expect(excessText(owner, { what, count: 1_001, limit: 1_000 })).toBe(text);
  });

  it('ignore what is no statement', () => {
    expect(policyExcesses('queue', undefined, 0)).toEqual([]);
    expect(policyExcesses('queue', { Statement: [null, 'x'] }, 0)).toEqual([]);
  });

  it.each([
    ['queue', 8_192],
    ['topic', 30_720],
    ['key', 32_768],
    ['function', 20_480],
  ] as const)('of a %s count %i bytes', (owner, bytes) => {
    expect(policyExcesses(owner, { Statement: [one] }, bytes)).toEqual([]);
    expect(policyExcesses(owner, { Statement: [one] }, bytes + 1)).toEqual([
      { what: 'bytes', count: bytes + 1, limit: bytes },
    ]);
  });
});
