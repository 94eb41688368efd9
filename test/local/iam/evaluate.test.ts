import fc from 'fast-check';
import { administrator, type Caller, roleCaller, serviceCaller } from '../../../local/kernel/caller';
import {
  ACCOUNT,
  ADMIN,
  IamFixture,
  OTHER_ACCOUNT,
  policy,
  QUEUE,
  ROOT,
  SNS,
  type StatementJson,
  TOPIC,
  withContext,
} from './iam-fixture';

const BILLING = `arn:aws:iam::${ACCOUNT}:role/Billing`;
const OTHER_ADMIN = administrator(OTHER_ACCOUNT);
const send = (statement: StatementJson): StatementJson => ({
  Action: 'sqs:SendMessage',
  Resource: QUEUE,
  Effect: 'Allow',
  ...statement,
});
const fromTopic = send({
  Sid: 'FromTopic',
  Principal: { Service: 'sns.amazonaws.com' },
  Condition: { ArnEquals: { 'aws:SourceArn': TOPIC } },
});
const MAY_SEND = [send({})];

describe('who may send to a queue', () => {
  it.each<[string, boolean, readonly StatementJson[], readonly StatementJson[]]>([
    // [description, whether it is allowed, the role's policy, the queue's policy]
    ['a role with an Allow of its own', true, MAY_SEND, []],
    ['a role the queue allows', true, [], [send({ Principal: { AWS: BILLING } })]],
    ['a role among everyone the queue allows', true, [], [send({ Principal: '*' })]],
    ['a role among everyone, spelled as AWS "*"', true, [], [send({ Principal: { AWS: '*' } })]],
    ['a role nobody allows', false, [], []],
    ['a role of which only its account is allowed', false, [], [send({ Principal: { AWS: ROOT } })]],
    ['a role allowed something else', false, [send({ Action: 'sqs:ReceiveMessage' })], []],
    ['a role allowed another queue', false, [send({ Resource: `${QUEUE}-2` })], []],
    ['a role allowed by wildcards', true, [{ Effect: 'Allow', Action: 'SQS:send*', Resource: 'arn:aws:sqs:*' }], []],
    [
      'a role allowed everything but receiving',
      true,
      [{ Effect: 'Allow', NotAction: 'sqs:Receive*', Resource: '*' }],
      [],
    ],
    ['a role allowed everything but sending', false, [{ Effect: 'Allow', NotAction: 'sqs:Send*', Resource: '*' }], []],
    ['a role allowed all queues but this', false, [{ Effect: 'Allow', Action: '*', NotResource: QUEUE }], []],
    ['a role denied by itself', false, [...MAY_SEND, send({ Effect: 'Deny' })], []],
    ['a role denied by the queue', false, MAY_SEND, [send({ Effect: 'Deny', Principal: { AWS: BILLING } })]],
    ['a role whose account the queue denies', false, MAY_SEND, [send({ Effect: 'Deny', Principal: { AWS: ACCOUNT } })]],
    [
      'a role denied for what it does not do',
      true,
      MAY_SEND,
      [send({ Effect: 'Deny', Principal: '*', Action: 'sqs:DeleteQueue' })],
    ],
    ['a role that is excepted from a Deny', true, MAY_SEND, [send({ Effect: 'Deny', NotPrincipal: { AWS: BILLING } })]],
    [
      'a role that is not excepted from a Deny',
      false,
      MAY_SEND,
      [send({ Effect: 'Deny', NotPrincipal: { AWS: ROOT.replace(ACCOUNT, OTHER_ACCOUNT) } })],
    ],
  ])('%s: %s', (_, allowed, roleStatements, queueStatements) => {
    const fixture = new IamFixture();
    expect(fixture.maySend(fixture.role(roleStatements), ...queueStatements).allowed).toBe(allowed);
  });

  it.each<[string, boolean, Caller, readonly StatementJson[]]>([
    ['an administrator of the account', true, ADMIN, []],
    ['an administrator the queue denies', false, ADMIN, [send({ Effect: 'Deny', Principal: '*' })]],
    ['an administrator of another account', false, OTHER_ADMIN, []],
    ['one of another account the queue allows', true, OTHER_ADMIN, [send({ Principal: { AWS: OTHER_ACCOUNT } })]],
    ['SNS without a queue policy', false, SNS, []],
    ['SNS for the topic the queue names', true, SNS, [fromTopic]],
    ['SNS for another topic', false, serviceCaller('sns.amazonaws.com', `${TOPIC}-2`, ACCOUNT), [fromTopic]],
    ['SNS when only the account is allowed', false, SNS, [send({ Principal: { AWS: ROOT } })]],
    ['SNS when everyone is allowed for the topic', true, SNS, [{ ...fromTopic, Principal: { AWS: '*' } }]],
    ['another service', false, serviceCaller('events.amazonaws.com', TOPIC, ACCOUNT), [fromTopic]],
    [
      'a service listed among others',
      true,
      SNS,
      [send({ Principal: { Service: ['s3.amazonaws.com', 'sns.amazonaws.com'] } })],
    ],
    [
      'SNS over an insecure line where that is denied',
      false,
      withContext(SNS, { 'aws:SecureTransport': 'false' }),
      [fromTopic, send({ Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
    ],
    [
      'SNS over a secure line where the other is denied',
      true,
      SNS,
      [fromTopic, send({ Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
    ],
    ['a role that does not exist', false, roleCaller(BILLING), []],
    [
      'a role of another account, which nobody here knows',
      false,
      roleCaller(BILLING.replace(ACCOUNT, OTHER_ACCOUNT)),
      [send({ Principal: '*' })],
    ],
  ])('%s: %s', (_, allowed, caller, queueStatements) => {
    expect(new IamFixture().maySend(caller, ...queueStatements).allowed).toBe(allowed);
  });

  it('sees who a role is in its conditions', () => {
    const fixture = new IamFixture();
    const role = fixture.role(MAY_SEND);
    const onlyThis = {
      ArnNotEquals: { 'aws:PrincipalArn': BILLING },
      StringEquals: { 'aws:PrincipalType': 'AssumedRole' },
    };
    const denyOthers = send({ Effect: 'Deny', Principal: '*', Condition: onlyThis });
    expect(fixture.maySend(role, denyOthers).allowed).toBe(true);
    const other = fixture.role(MAY_SEND, { roleName: 'Other' });
    expect(fixture.maySend(other, denyOthers).allowed).toBe(false);
  });
});

describe('the reason', () => {
  const fixture = new IamFixture();
  const role = fixture.role([
    send({ Resource: `${QUEUE}-2` }),
    send({ Sid: 'Later', Condition: { DateGreaterThan: { 'aws:CurrentTime': '2027-01-01T00:00:00Z' } } }),
  ]);

  it.each<[string, Caller, readonly StatementJson[], string]>([
    [
      'names the statement that allowed',
      SNS,
      [fromTopic],
      `statement 1 ("FromTopic") of the policy of ${QUEUE} allows it`,
    ],
    [
      'names the statement that denied',
      ADMIN,
      [fromTopic, send({ Effect: 'Deny', Principal: '*' })],
      `statement 2 of the policy of ${QUEUE} denies it`,
    ],
    ['names the administrator', ADMIN, [], `being an administrator of account ${ACCOUNT} allows it`],
    [
      'says that a service needs a policy',
      SNS,
      [],
      `nothing allows sns.amazonaws.com to call sqs:SendMessage on ${QUEUE}: a service has no policies of its own; the resource has no policy, and only a resource policy can allow this request`,
    ],
    [
      'shows the condition that failed with both values',
      serviceCaller('sns.amazonaws.com', `${TOPIC}-2`, ACCOUNT),
      [fromTopic],
      `statement 1 ("FromTopic") of the policy of ${QUEUE} does not hold: ArnEquals aws:SourceArn wants ${TOPIC}, got ${TOPIC}-2`,
    ],
    [
      'shows what the request lacks',
      { principal: SNS.principal, context: {} },
      [fromTopic],
      'the request has no aws:SourceArn',
    ],
    [
      'tells other principals from other resources',
      SNS,
      [send({ Principal: { Service: 's3.amazonaws.com' } }), send({ Principal: '*', Resource: 'arn:aws:sqs:*:*:x' })],
      `statement 1 of the policy of ${QUEUE} is for other principals; statement 2 of the policy of ${QUEUE} is for other resources`,
    ],
    [
      'says that nobody is allowed the action',
      SNS,
      [send({ Principal: '*', Action: 'sqs:ReceiveMessage' })],
      `no statement of the policy of ${QUEUE} allows the action`,
    ],
    [
      'goes through the policies of a role',
      role,
      [],
      `statement 1 of policy Inline of role Billing is for other resources; statement 2 ("Later") of policy Inline of role Billing does not hold: DateGreaterThan aws:CurrentTime wants 2027-01-01T00:00:00Z, got 2026-01-01T12:00:00.000Z; the resource has no policy`,
    ],
    [
      'says that the account alone is not enough',
      role,
      [send({ Principal: { AWS: ROOT } })],
      `statement 1 of the policy of ${QUEUE} leaves it to the identity policies of the account`,
    ],
    [
      'says that a role does not exist',
      roleCaller('arn:aws:iam::123456789012:role/Gone'),
      [],
      'the role arn:aws:iam::123456789012:role/Gone does not exist',
    ],
  ])('%s', (_, caller, queuePolicy, reason) => {
    expect(fixture.maySend(caller, ...queuePolicy).reason).toContain(reason);
  });
});

/** Statements over few names, so that they often meet. */
const statements = fc.array(
  fc.record({
    Effect: fc.constantFrom('Allow', 'Deny'),
    Action: fc.constantFrom('sqs:SendMessage', 'sqs:*', 'sqs:ReceiveMessage', '*'),
    Resource: fc.constantFrom(QUEUE, '*', `${QUEUE}-2`, 'arn:aws:sqs:*:*:or?ers'),
    Principal: fc.constantFrom<unknown>('*', { AWS: ROOT }, { AWS: BILLING }, { Service: 'sns.amazonaws.com' }),
    Condition: fc.constantFrom<StatementJson>(
      {},
      { StringEquals: { 'aws:SourceAccount': ACCOUNT } },
      { Bool: { 'aws:SecureTransport': 'true' } },
      { StringNotEquals: { 'aws:PrincipalAccount': OTHER_ACCOUNT } },
    ),
  }),
  { maxLength: 4 },
);
const callers = fc.constantFrom<Caller>(ADMIN, OTHER_ADMIN, SNS, roleCaller(BILLING));
const actions = fc.constantFrom('sqs:SendMessage', 'kms:Decrypt', 'sqs:ReceiveMessage');

function decide(
  identity: readonly StatementJson[],
  resource: readonly StatementJson[],
  caller: Caller,
  action: string,
): boolean {
  const fixture = new IamFixture();
  fixture.role(identity.map(({ Principal: _, ...statement }) => statement));
  return fixture.iam.decide({ caller, action, resource: QUEUE, resourcePolicy: policy(...resource) }).allowed;
}

describe('whatever the policies say', () => {
  it('an explicit Deny wins', () => {
    const deny = { Effect: 'Deny', Action: '*', Resource: '*', Principal: '*' };
    fc.assert(
      fc.property(statements, statements, fc.nat(4), callers, actions, (identity, resource, at, caller, action) => {
        const denying = [...resource.slice(0, at), deny, ...resource.slice(at)];
        expect(decide(identity, denying, caller, action)).toBe(false);
      }),
    );
  });

  it('one more Allow takes no permission away, and one more Deny gives none', () => {
    fc.assert(
      fc.property(statements, statements, statements, callers, actions, (identity, resource, more, caller, action) => {
        const before = decide(identity, resource, caller, action);
        for (const Effect of ['Allow', 'Deny']) {
          const added = more.map(statement => ({ ...statement, Effect }));
          const after = decide([...identity, ...added], [...resource, ...added], caller, action);
          expect(Effect === 'Allow' ? after || !before : before || !after).toBe(true);
        }
      }),
    );
  });

  it('the order of statements does not matter', () => {
    fc.assert(
      fc.property(statements, statements, callers, actions, (identity, resource, caller, action) => {
        const reversed = decide([...identity].reverse(), [...resource].reverse(), caller, action);
        expect(reversed).toBe(decide(identity, resource, caller, action));
      }),
    );
  });

  it('what has no Allow anywhere is refused to everyone but an administrator', () => {
    const refusing = statements.map(list => list.filter(({ Effect }) => Effect === 'Deny'));
    fc.assert(
      fc.property(refusing, refusing, actions, (identity, resource, action) => {
        for (const caller of [OTHER_ADMIN, SNS, roleCaller(BILLING)]) {
          expect(decide(identity, resource, caller, action)).toBe(false);
        }
      }),
    );
  });
});
