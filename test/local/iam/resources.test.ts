import { iamResourceTypes } from '../../../local/iam';
import { type Deployed, deploy, type Json, problemsOf, stack } from '../cloudformation/fixture';
import { ACCOUNT, IamFixture, LAMBDA_TRUST, policy, QUEUE } from './iam-fixture';

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
    [{ ...TRUST, PermissionsBoundary: 'arn' }, 'PermissionsBoundary is not implemented by the embedded AWS, got "arn"'],
    [
      { ...TRUST, ManagedPolicyArns: ['arn:aws:iam::aws:policy/Gone'] },
      'ManagedPolicyArns must name policies the embedded AWS knows, got "arn:aws:iam::aws:policy/Gone"',
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
      'Policies[0].PolicyDocument cannot be evaluated: statement 1 Condition.Odd.aws:SourceArn: the condition operator Odd is not implemented by the embedded AWS',
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
