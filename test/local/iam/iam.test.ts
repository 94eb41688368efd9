import { iamResourceTypes } from '../../../local/iam';
import { administrator, roleCaller } from '../../../local/kernel/caller';
import { type Deployed, deploy, type Json, problemsOf, stack } from '../cloudformation/fixture';
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
    [
      'inline policies that are too large together',
      'LimitExceeded',
      ({ iam }) => {
        for (const name of ['p', 'q', 'q']) {
          const Resource = `arn:aws:sqs:us-east-1:123456789012:${name.repeat(5_000)}`;
          const Statement = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource };
          iam.putRolePolicy('Billing', name, { Version: '2012-10-17', Statement });
        }
        iam.putRolePolicy('Billing', 'r', SEND);
      },
    ],
    ['a role that is not there', 'NoSuchEntity', ({ iam }) => iam.putRolePolicy('Gone', 'p', SEND)],
    [
      'a managed policy it does not know',
      'NotImplemented',
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

describe('resources', () => {
  const SEND = policy({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE });
  const TRUST = { AssumeRolePolicyDocument: LAMBDA_TRUST };
  const role = (Properties: Json): Json => ({ Type: 'AWS::IAM::Role', Properties });

  function deployWith(fixture: IamFixture, Resources: Json): Promise<Deployed> {
    return deploy([stack({ Resources })], { types: iamResourceTypes(fixture.iam) });
  }

  const problems = (Resources: Json): Promise<readonly string[]> =>
    problemsOf(() => deployWith(new IamFixture(), Resources));

  describe('AWS::IAM::Role', () => {
    it('has the name and path it is given, inline policies, and managed ones', async () => {
      const fixture = new IamFixture();
      const { stacks } = await deployWith(fixture, {
        It: role({
          ...TRUST,
          RoleName: 'Billing',
          Path: '/orders/',
          Description: 'x',
          ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
          Policies: [{ PolicyName: 'Send', PolicyDocument: SEND }],
        }),
      });
      const arn = `arn:aws:iam::${ACCOUNT}:role/orders/Billing`;
      expect(stacks[0]?.resources.get('It')).toEqual({
        type: 'AWS::IAM::Role',
        ref: 'Billing',
        attributes: { Arn: arn, RoleId: expect.stringMatching(/^AROA[0-9A-F]{17}$/) },
      });
      expect(fixture.iam.findRole(arn)?.policies.map(({ name }) => name)).toEqual([
        'policy Send of role Billing',
        'policy arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole of role Billing',
      ]);
    });

    it('is named by CloudFormation, within 64 characters, when it has no name', async () => {
      const { stacks } = await deployWith(new IamFixture(), { [`A${'x'.repeat(100)}`]: role(TRUST) });
      const [made] = [...(stacks[0]?.resources.values() ?? [])];
      expect(made?.ref).toMatch(/^App-Ax+-[A-Z0-9]{12}$/);
      expect(made?.ref).toHaveLength(64);
    });

    it.each<[Json, string]>([
      [{}, 'AssumeRolePolicyDocument is required'],
      [
        { ...TRUST, PermissionsBoundary: 'arn' },
        'PermissionsBoundary must name policies that the embedded AWS knows: with standIns \'warn\', what others may allow is allowed and listed, got "arn"',
      ],
      [
        { ...TRUST, ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonSQSFulAccess'] },
        'ManagedPolicyArns must name policies that the embedded AWS knows, such as AmazonSQSFullAccess: with standIns \'warn\', what others may allow is allowed and listed, got "arn:aws:iam::aws:policy/AmazonSQSFulAccess"',
      ],
      [
        { AssumeRolePolicyDocument: SEND },
        'AssumeRolePolicyDocument cannot be evaluated: statement 1 must have either Principal or NotPrincipal',
      ],
      [{ ...TRUST, Policies: [{ PolicyName: 'p' }] }, 'Policies[0].PolicyDocument is required'],
      [
        {
          ...TRUST,
          Policies: [
            {
              PolicyName: 'p',
              PolicyDocument: policy({
                Effect: 'Allow',
                Action: 'a:b',
                Resource: '*',
                Condition: { Odd: { 'aws:SourceArn': 'x' } },
              }),
            },
          ],
        },
        'Policies[0].PolicyDocument cannot be evaluated: statement 1 Condition.Odd.aws:SourceArn: there is no condition operator Odd',
      ],
    ])('with %j is a problem', async (properties, problem) => {
      expect(await problems({ It: role(properties) })).toContain(`App: It (AWS::IAM::Role): ${problem}`);
    });
  });

  describe('policies on roles', () => {
    it('AWS::IAM::Policy and AWS::IAM::ManagedPolicy give their roles what they say', async () => {
      const fixture = new IamFixture();
      const receive = policy({ Effect: 'Allow', Action: 'sqs:ReceiveMessage', Resource: QUEUE });
      const { stacks } = await deployWith(fixture, {
        Inline: {
          Type: 'AWS::IAM::Policy',
          Properties: { PolicyName: 'Send', PolicyDocument: SEND, Roles: [{ Ref: 'It' }] },
        },
        Managed: {
          Type: 'AWS::IAM::ManagedPolicy',
          Properties: { PolicyDocument: receive, Path: '/', Description: 'x', Roles: [{ Ref: 'It' }] },
        },
        It: role({ ...TRUST, RoleName: 'Billing' }),
      });
      const caller = fixture.iam.credentials.caller(
        fixture.iam.credentials.issue(`arn:aws:iam::${ACCOUNT}:role/Billing`).accessKeyId,
      );
      const may = (action: string) => fixture.iam.decide({ caller, action, resource: QUEUE }).allowed;
      expect(['sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'].map(may)).toEqual([true, true, false]);
      expect(stacks[0]?.resources.get('Managed')?.ref).toMatch(
        new RegExp(`^arn:aws:iam::${ACCOUNT}:policy/App-Managed-[A-Z0-9]{12}$`),
      );
    });

    it.each<[string, Json, string]>([
      ['AWS::IAM::Policy', { PolicyName: 'p', PolicyDocument: SEND }, 'Roles must name at least one role'],
      [
        'AWS::IAM::Policy',
        { PolicyName: 'p', PolicyDocument: SEND, Roles: ['Gone'] },
        'NoSuchEntity: The role with name Gone cannot be found.',
      ],
      ['AWS::IAM::Policy', { PolicyDocument: SEND, Roles: [] }, 'PolicyName is required'],
      [
        'AWS::IAM::ManagedPolicy',
        { PolicyDocument: LAMBDA_TRUST },
        'PolicyDocument cannot be evaluated: statement 1 must have either Resource or NotResource',
      ],
      [
        'AWS::IAM::ManagedPolicy',
        { PolicyDocument: SEND, Users: ['me'] },
        'Users is not implemented by the embedded AWS, got ["me"]',
      ],
    ])('%s with %j is a problem', async (Type, Properties, problem) => {
      expect(await problems({ It: { Type, Properties } })).toContain(`App: It (${Type}): ${problem}`);
    });
  });
});
