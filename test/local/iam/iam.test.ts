import { administrator, roleCaller } from '../../../local/kernel/caller';
import { ACCOUNT, IamFixture, LAMBDA_TRUST, NO_STATEMENTS, policy, QUEUE, ROOT, TOPIC } from './iam-fixture';

const MANAGED = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
const SEND = policy({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE });

describe('IAM', () => {
  it('lets a service assume a role that trusts it, and no other', () => {
    const { iam } = new IamFixture();
    const { arn } = iam.createRole({ roleName: 'Billing', trustPolicy: LAMBDA_TRUST });
    expect(arn).toBe(`arn:aws:iam::${ACCOUNT}:role/Billing`);
    expect(iam.decideAssumeRole('lambda.amazonaws.com', arn).allowed).toBe(true);
    expect(iam.decideAssumeRole('sns.amazonaws.com', arn).allowed).toBe(false);
    expect(iam.decideAssumeRole('sns.amazonaws.com', arn).reason).toContain(
      `statement 1 of the policy of ${arn} is for other principals`,
    );
    expect(iam.decideAssumeRole('sns.amazonaws.com', `${arn}2`).reason).toBe(`the role ${arn}2 does not exist`);
  });

  it('holds a trust policy to its conditions', () => {
    const { iam } = new IamFixture();
    const { arn } = iam.createRole({
      roleName: 'Feedback',
      trustPolicy: policy({
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sts:AssumeRole',
        Condition: { ArnLike: { 'aws:SourceArn': TOPIC } },
      }),
    });
    expect(iam.decideAssumeRole('sns.amazonaws.com', arn, { 'aws:SourceArn': TOPIC }).allowed).toBe(true);
    expect(iam.decideAssumeRole('sns.amazonaws.com', arn, { 'aws:SourceArn': `${TOPIC}-2` }).allowed).toBe(false);
    expect(iam.decideAssumeRole('sns.amazonaws.com', arn).allowed).toBe(false);
  });

  it('lets nobody of the account assume a role on the strength of its own policy alone', () => {
    const fixture = new IamFixture();
    const caller = fixture.role([{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' }]);
    const assume = (principal: unknown) =>
      fixture.iam.decide({
        caller,
        action: 'sts:AssumeRole',
        resource: `arn:aws:iam::${ACCOUNT}:role/Target`,
        resourcePolicy: policy({ Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole' }),
      }).allowed;
    expect(assume({ Service: 'lambda.amazonaws.com' })).toBe(false);
    expect(assume({ AWS: ROOT })).toBe(true);
  });

  it('evaluates AWS-managed, customer-managed and inline policies alike', () => {
    const fixture = new IamFixture();
    const caller = fixture.role([]);
    const mayWriteLogs = () =>
      fixture.iam.decide({
        caller,
        action: 'logs:PutLogEvents',
        resource: `arn:aws:logs:us-east-1:${ACCOUNT}:log-group:x`,
      });
    expect(mayWriteLogs().reason).toContain('the role has no policies');
    fixture.iam.attachRolePolicy('Billing', MANAGED);
    expect(mayWriteLogs()).toEqual({
      allowed: true,
      reason: `statement 1 of policy ${MANAGED} of role Billing allows it`,
    });
    fixture.iam.detachRolePolicy('Billing', MANAGED);
    expect(mayWriteLogs().allowed).toBe(false);

    const arn = fixture.iam.createPolicy({ policyName: 'Send', document: SEND, path: '/orders/' });
    expect(arn).toBe(`arn:aws:iam::${ACCOUNT}:policy/orders/Send`);
    fixture.iam.attachRolePolicy('Billing', arn);
    expect(fixture.maySend(caller).allowed).toBe(true);
    fixture.iam.createPolicyVersion(arn, NO_STATEMENTS);
    expect(fixture.maySend(caller).allowed).toBe(false);

    fixture.iam.putRolePolicy('Billing', 'Inline', SEND);
    expect(fixture.maySend(caller).allowed).toBe(true);
    fixture.iam.deleteRolePolicy('Billing', 'Inline');
    expect(fixture.maySend(caller).allowed).toBe(false);
  });

  it('follows a trust policy that is changed later', () => {
    const { iam, trace } = new IamFixture();
    const { arn } = iam.createRole({ roleName: 'Billing', trustPolicy: LAMBDA_TRUST });
    iam.updateAssumeRolePolicy('Billing', NO_STATEMENTS);
    expect(iam.decideAssumeRole('lambda.amazonaws.com', arn).allowed).toBe(false);
    expect(trace.events.map(({ type }) => type)).toEqual(['iam.role-created', 'iam.trust-policy-updated']);
  });

  it('knows whose access key is whose, and takes any other for an administrator of the account', () => {
    const { iam } = new IamFixture();
    const { arn } = iam.createRole({ roleName: 'Billing', trustPolicy: LAMBDA_TRUST });
    const first = iam.credentials.issue(arn);
    const second = iam.credentials.issue(arn);
    expect(first.accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(first.secretAccessKey).toHaveLength(40);
    expect(second.accessKeyId).not.toBe(first.accessKeyId);
    expect(iam.credentials.caller(first.accessKeyId)).toEqual(roleCaller(arn));
    expect(iam.credentials.caller('AKIAIOSFODNN7EXAMPLE')).toEqual(administrator(ACCOUNT));
    expect(iam.credentials.caller(undefined)).toEqual(administrator(ACCOUNT));
  });

  it('issues the same credentials in every run of the same seed', () => {
    const issue = () => new IamFixture().iam.credentials.issue('arn:aws:iam::123456789012:role/Billing');
    expect(issue()).toEqual(issue());
  });

  it.each<[string, string, (fixture: IamFixture) => unknown]>([
    [
      'two roles of one name',
      'EntityAlreadyExists',
      ({ iam }) => iam.createRole({ roleName: 'Billing', trustPolicy: LAMBDA_TRUST, path: '/x/' }),
    ],
    [
      'a trust policy it cannot read',
      'MalformedPolicyDocument',
      ({ iam }) => iam.createRole({ roleName: 'New', trustPolicy: SEND }),
    ],
    [
      'an inline policy it cannot read',
      'MalformedPolicyDocument',
      ({ iam }) => iam.putRolePolicy('Billing', 'p', LAMBDA_TRUST),
    ],
    ['a role that is not there', 'NoSuchEntity', ({ iam }) => iam.putRolePolicy('Gone', 'p', SEND)],
    [
      'a managed policy it does not know',
      'NoSuchEntity',
      ({ iam }) => iam.attachRolePolicy('Billing', 'arn:aws:iam::aws:policy/Gone'),
    ],
    [
      'a policy of the account that is not there',
      'NoSuchEntity',
      ({ iam }) => iam.attachRolePolicy('Billing', `arn:aws:iam::${ACCOUNT}:policy/Gone`),
    ],
    ['a policy that was not attached', 'NoSuchEntity', ({ iam }) => iam.detachRolePolicy('Billing', MANAGED)],
    ['an inline policy that is not there', 'NoSuchEntity', ({ iam }) => iam.deleteRolePolicy('Billing', 'p')],
    [
      'a new version of no policy',
      'NoSuchEntity',
      ({ iam }) => iam.createPolicyVersion('arn:aws:iam::123456789012:policy/Gone', SEND),
    ],
    [
      'two managed policies of one name',
      'EntityAlreadyExists',
      ({ iam }) => [1, 2].map(() => iam.createPolicy({ policyName: 'p', document: SEND })),
    ],
  ])('refuses %s with %s', (_, code, act) => {
    const fixture = new IamFixture();
    fixture.role([]);
    expect(() => act(fixture)).toThrow(expect.objectContaining({ name: 'AwsError', code }));
  });
});
