import { roleCaller } from '../../../local/kernel/caller';
import { parsePolicy } from '../../../local/policy-document/policy';
import { awsManagedPolicy, awsPolicyNames } from '../../../template/access/managed-policies';
import { ACCOUNT, IamFixture, OTHER_ACCOUNT, policy, QUEUE, ROOT, SNS, type StatementJson } from './iam-fixture';

const ofAws = (name: string): string => `arn:aws:iam::aws:policy/${name}`;
const SQS = ofAws('AmazonSQSFullAccess');
const LOGS = ofAws('service-role/AWSLambdaBasicExecutionRole');
/** AWS may have such a policy. */
const NEW = ofAws('AmazonNewFullAccess');
const BILLING = `arn:aws:iam::${ACCOUNT}:role/Billing`;
const KEY = `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`;
const SEND = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE };
const DENY = { ...SEND, Effect: 'Deny' };

interface Case {
  readonly attached?: readonly string[];
  readonly boundary?: string;
  readonly own?: readonly StatementJson[];
  readonly action?: string;
  readonly resource?: string;
  readonly resourcePolicy?: readonly StatementJson[];
}

function decisionOf(fixture: IamFixture, { attached = [], boundary, own = [], resourcePolicy, ...asked }: Case) {
  const { iam } = fixture;
  const caller = fixture.role(own);
  const role = iam.role('Billing');
  for (const arn of attached) iam.attachRolePolicy('Billing', arn);
  if (boundary !== undefined) iam.limit(role, boundary);
  const request = { caller, action: 'sqs:SendMessage', resource: QUEUE, ...asked };
  return iam.decide(resourcePolicy ? { ...request, resourcePolicy: policy(...resourcePolicy) } : request);
}

describe('a role', () => {
  test.each<[string, string, Case]>([
    // [the role, the decision, what it has and asks]
    ['with a policy that allows it', 'allowed', { attached: [SQS] }],
    ['with a policy that allows something else', 'refused', { attached: [LOGS] }],
    ['with a policy that allows it, and a Deny', 'refused', { attached: [SQS], own: [DENY] }],
    ['with an unknown policy', 'unknown', { attached: [NEW] }],
    ['with a known and an unknown policy', 'allowed', { attached: [SQS, NEW] }],
    ['with an unknown policy, and a Deny', 'refused', { attached: [NEW], own: [DENY] }],
    [
      'with an unknown policy, at a queue that denies it',
      'refused',
      { attached: [NEW], resourcePolicy: [{ ...DENY, Principal: { AWS: BILLING } }] },
    ],
    [
      'with an unknown policy, at a queue of another account',
      'refused',
      { attached: [NEW], resource: QUEUE.replace(ACCOUNT, OTHER_ACCOUNT) },
    ],
    [
      'with an unknown policy, at a key that leaves nothing to the account',
      'refused',
      { attached: [NEW], action: 'kms:Decrypt', resource: KEY, resourcePolicy: [] },
    ],
    [
      'with an unknown policy, at a key that leaves it to the account',
      'unknown',
      {
        attached: [NEW],
        action: 'kms:Decrypt',
        resource: KEY,
        resourcePolicy: [{ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' }],
      },
    ],
    [
      'with a policy of which a part is known, that says nothing of SQS',
      'refused',
      { attached: [ofAws('AmazonRDSFullAccess')] },
    ],
    [
      'with a policy of which a part is known, about another service',
      'unknown',
      { attached: [ofAws('AmazonRDSFullAccess')], action: 'rds:StartDBInstance', resource: '*' },
    ],
    ['whose boundary allows it too', 'allowed', { own: [SEND], boundary: SQS }],
    ['whose boundary alone allows it', 'refused', { boundary: SQS }],
    ['whose boundary does not allow it', 'refused', { own: [SEND], boundary: LOGS }],
    ['whose boundary denies it', 'refused', { own: [SEND], boundary: ofAws('AWSDenyAll') }],
    [
      'that the queue allows, and whose boundary does not',
      'refused',
      { resourcePolicy: [{ ...SEND, Principal: { AWS: BILLING } }], boundary: LOGS },
    ],
    [
      'that the queue allows to everyone, and whose boundary does not',
      'refused',
      { resourcePolicy: [{ ...SEND, Principal: '*' }], boundary: LOGS },
    ],
    [
      'that the queue allows by aws:PrincipalArn, which no boundary limits',
      'allowed',
      {
        resourcePolicy: [{ ...SEND, Principal: '*', Condition: { ArnEquals: { 'aws:PrincipalArn': BILLING } } }],
        boundary: LOGS,
      },
    ],
    [
      'with a boundary, that a Deny of all others denies too',
      'refused',
      { own: [SEND], resourcePolicy: [{ ...DENY, NotPrincipal: { AWS: BILLING } }], boundary: SQS },
    ],
    [
      'without one, that a Deny of all others leaves out',
      'allowed',
      {
        own: [SEND],
        resourcePolicy: [{ ...DENY, NotPrincipal: { AWS: BILLING } }],
      },
    ],
    ['whose boundary is unknown', 'unknown', { own: [SEND], boundary: NEW }],
    ['whose boundary is unknown, without an Allow', 'refused', { boundary: NEW }],
    ['whose boundary is unknown, with a Deny', 'refused', { own: [SEND, DENY], boundary: NEW }],
  ])('%s: %s', (_, expected, asked) => {
    const fixture = new IamFixture(true);
    const { allowed, unknownPolicies } = decisionOf(fixture, asked);
    expect(allowed ? (unknownPolicies ? 'unknown' : 'allowed') : 'refused').toBe(expected);
    expect(fixture.trace.events.some(({ type }) => type === 'iam.decision-unknown')).toBe(expected === 'unknown');
  });

  test('has each unknown decision in the trace once, with what a reader needs', () => {
    const fixture = new IamFixture(true);
    decisionOf(fixture, { attached: [NEW, ofAws('OtherAccess')] });
    fixture.maySend(roleCaller(BILLING));
    fixture.maySend(SNS);
    expect(fixture.trace.events.filter(({ type }) => type === 'iam.decision-unknown')).toEqual([
      expect.objectContaining({
        roleArn: BILLING,
        policyArns: [NEW, ofAws('OtherAccess')],
        action: 'sqs:SendMessage',
        resource: QUEUE,
      }),
    ]);
  });

  test('knows a policy of the account once it is created', () => {
    const fixture = new IamFixture(true);
    const arn = `arn:aws:iam::${ACCOUNT}:policy/Sends`;
    const caller = fixture.role([]);
    fixture.iam.attach(fixture.iam.role('Billing'), arn);
    expect(fixture.maySend(caller).unknownPolicies).toEqual([arn]);
    fixture.iam.createPolicy({ policyName: 'Sends', document: policy(SEND) });
    expect(fixture.maySend(caller)).toEqual({ allowed: true, reason: expect.stringContaining(`policy ${arn}`) });
  });
});

test('a policy that may exist is refused as a limit of ours, unless unknown ones are allowed', () => {
  const { iam } = new IamFixture();
  iam.createRole({ roleName: 'Billing', trustPolicy: policy() });
  expect(() => iam.attachRolePolicy('Billing', ofAws('AmazonSQSFulAccess'))).toThrow(
    /^The embedded AWS does not implement the managed policy \S+AmazonSQSFulAccess: .*AmazonSQSFullAccess/,
  );
  expect(() => iam.attachRolePolicy('Billing', ofAws('toString'))).toThrow('The embedded AWS does not implement');
  expect(() => iam.attachRolePolicy('Billing', `arn:aws:iam::${ACCOUNT}:policy/Gone`)).toThrow('does not exist');
});

test('every document of AWS can be evaluated', () => {
  const unusable = awsPolicyNames().flatMap(name => {
    const { document } = awsManagedPolicy(ofAws(name)) ?? {};
    const problems = document ? parsePolicy(document, 'identity').problems : ['it is not found'];
    return problems.map(problem => `${name}: ${problem}`);
  });
  expect(unusable).toEqual([]);
  expect(awsPolicyNames().length).toBeGreaterThan(1000);
});
