import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePermissionsBoundaryCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  GetUserCommand,
  ListAccountAliasesCommand,
  ListAttachedRolePoliciesCommand,
  ListPoliciesCommand,
  ListRolePoliciesCommand,
  ListRolesCommand,
  ListRoleTagsCommand,
  ListUsersCommand,
  PutRolePermissionsBoundaryCommand,
  PutRolePolicyCommand,
  SimulatePrincipalPolicyCommand,
  type SimulatePrincipalPolicyCommandInput,
  TagRoleCommand,
  UntagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { roleCaller } from '../../../local/kernel/caller';
import { refusal, SmallAccount, START_MS } from '../small-account';
import { LAMBDA_TRUST, policy, QUEUE, ROOT } from './iam-fixture';

const SENDS = policy({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE });
const BASIC = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
const NEW = 'arn:aws:iam::aws:policy/AmazonNewFullAccess';
const decoded = (text: string | undefined): unknown => JSON.parse(decodeURIComponent(text ?? ''));

async function account() {
  const aws = new SmallAccount();
  const { iam } = aws.clients;
  await iam.send(
    new CreateRoleCommand({
      RoleName: 'Billing',
      Path: '/jobs/',
      Description: 'Sends bills',
      AssumeRolePolicyDocument: JSON.stringify(LAMBDA_TRUST),
      MaxSessionDuration: 7200,
      Tags: [{ Key: 'team', Value: 'billing' }],
    }),
  );
  return { aws, iam };
}

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRole.html */
describe('a role', () => {
  it('is described as it was created', async () => {
    const { iam } = await account();
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'Billing' }));
    expect(Role).toMatchObject({
      Path: '/jobs/',
      RoleName: 'Billing',
      RoleId: expect.stringMatching(/^AROA/),
      Arn: 'arn:aws:iam::123456789012:role/jobs/Billing',
      CreateDate: new Date(START_MS),
      Description: 'Sends bills',
      MaxSessionDuration: 7200,
      Tags: [{ Key: 'team', Value: 'billing' }],
    });
    expect(decoded(Role?.AssumeRolePolicyDocument)).toEqual(LAMBDA_TRUST);
    expect(Role?.AssumeRolePolicyDocument).toMatch(/^%7B%22/);
  });

  it('is listed by path, in pages', async () => {
    const { aws, iam } = await account();
    for (const name of ['A', 'C']) aws.role(name);
    const list = async (input: object) => {
      const { Roles = [], IsTruncated, Marker } = await iam.send(new ListRolesCommand(input));
      return { names: Roles.map(({ RoleName }) => RoleName), IsTruncated, Marker };
    };
    expect((await list({})).names).toEqual(['A', 'Billing', 'C']);
    expect((await list({ PathPrefix: '/jobs/' })).names).toEqual(['Billing']);
    const first = await list({ MaxItems: 2 });
    expect(first).toMatchObject({ names: ['A', 'Billing'], IsTruncated: true });
    expect(await list({ Marker: first.Marker })).toMatchObject({ names: ['C'], IsTruncated: false });
    expect((await refusal(list({ Marker: 'nonsense' })))[0]).toBe('ValidationError');
  });

  it('has inline policies, which hold at once', async () => {
    const { aws, iam } = await account();
    const about = { RoleName: 'Billing', PolicyName: 'Sends' };
    await iam.send(new PutRolePolicyCommand({ ...about, PolicyDocument: JSON.stringify(SENDS) }));
    expect(decoded((await iam.send(new GetRolePolicyCommand(about))).PolicyDocument)).toEqual(SENDS);
    expect((await iam.send(new ListRolePoliciesCommand({ RoleName: 'Billing' }))).PolicyNames).toEqual(['Sends']);
    const role = aws.iam.role('Billing').arn;
    const maySend = () => {
      const caller = { principal: { kind: 'role', arn: role }, context: {} } as const;
      return aws.iam.decide({ caller, action: 'sqs:SendMessage', resource: QUEUE }).allowed;
    };
    expect(maySend()).toBe(true);
    await iam.send(new DeleteRolePolicyCommand(about));
    expect(maySend()).toBe(false);
    expect(await refusal(iam.send(new GetRolePolicyCommand(about)))).toEqual([
      'NoSuchEntityException',
      'The role policy with name Sends cannot be found.',
      404,
    ]);
  });

  it("has managed policies attached, AWS's and the account's own", async () => {
    const { iam } = await account();
    const created = await iam.send(
      new CreatePolicyCommand({ PolicyName: 'Sends', PolicyDocument: JSON.stringify(SENDS), Description: 'd' }),
    );
    const own = created.Policy?.Arn ?? '';
    for (const PolicyArn of [BASIC, own]) {
      await iam.send(new AttachRolePolicyCommand({ RoleName: 'Billing', PolicyArn }));
    }
    const attached = async () =>
      (await iam.send(new ListAttachedRolePoliciesCommand({ RoleName: 'Billing' }))).AttachedPolicies;
    expect(await attached()).toEqual([
      { PolicyName: 'AWSLambdaBasicExecutionRole', PolicyArn: BASIC },
      { PolicyName: 'Sends', PolicyArn: own },
    ]);
    const { Policies } = await iam.send(new ListPoliciesCommand({ OnlyAttached: true }));
    expect(Policies).toEqual([expect.objectContaining({ Arn: own, AttachmentCount: 1, DefaultVersionId: 'v1' })]);
    expect((await iam.send(new GetPolicyCommand({ PolicyArn: BASIC }))).Policy).toMatchObject({
      PolicyName: 'AWSLambdaBasicExecutionRole',
      Path: '/service-role/',
    });
    const version = await iam.send(new GetPolicyVersionCommand({ PolicyArn: own, VersionId: 'v1' }));
    expect(decoded(version.PolicyVersion?.Document)).toEqual(SENDS);
    const newer = new GetPolicyVersionCommand({ PolicyArn: own, VersionId: 'v2' });
    expect((await refusal(iam.send(newer)))[0]).toBe('NoSuchEntityException');
    await iam.send(new DetachRolePolicyCommand({ RoleName: 'Billing', PolicyArn: own }));
    expect(await attached()).toHaveLength(1);
    const unknown = new GetPolicyCommand({ PolicyArn: 'arn:aws:iam::aws:policy/Gone' });
    expect((await refusal(iam.send(unknown)))[2]).toBe(501);
  });

  it('has a permissions boundary, which limits what its policies allow', async () => {
    const { aws, iam } = await account();
    const caller = roleCaller(aws.iam.role('Billing').arn);
    aws.iam.putRolePolicy('Billing', 'Sends', SENDS);
    const maySend = () => aws.iam.decide({ caller, action: 'sqs:SendMessage', resource: QUEUE }).allowed;
    const put = (PermissionsBoundary: string) =>
      iam.send(new PutRolePermissionsBoundaryCommand({ RoleName: 'Billing', PermissionsBoundary }));
    await put(BASIC);
    expect(maySend()).toBe(false);
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'Billing' }));
    expect(Role?.PermissionsBoundary?.PermissionsBoundaryArn).toBe(BASIC);
    expect((await refusal(put(NEW)))[0]).toBe('NotImplemented');
    await iam.send(new DeleteRolePermissionsBoundaryCommand({ RoleName: 'Billing' }));
    expect(maySend()).toBe(true);
  });

  it('changes whom it trusts, and its tags', async () => {
    const { iam } = await account();
    const trust = policy({ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'sts:AssumeRole' });
    const PolicyDocument = JSON.stringify(trust);
    await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: 'Billing', PolicyDocument }));
    await iam.send(new TagRoleCommand({ RoleName: 'Billing', Tags: [{ Key: 'stage', Value: 'prod' }] }));
    await iam.send(new UntagRoleCommand({ RoleName: 'Billing', TagKeys: ['team'] }));
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'Billing' }));
    expect(decoded(Role?.AssumeRolePolicyDocument)).toEqual(trust);
    const { Tags } = await iam.send(new ListRoleTagsCommand({ RoleName: 'Billing' }));
    expect(Tags).toEqual([{ Key: 'stage', Value: 'prod' }]);
  });

  it('goes once nothing hangs on it', async () => {
    const { aws, iam } = await account();
    const remove = () => iam.send(new DeleteRoleCommand({ RoleName: 'Billing' }));
    await iam.send(new AttachRolePolicyCommand({ RoleName: 'Billing', PolicyArn: BASIC }));
    expect(await refusal(remove())).toEqual([
      'DeleteConflictException',
      'Cannot delete entity, must detach policies first.',
      409,
    ]);
    await iam.send(new DetachRolePolicyCommand({ RoleName: 'Billing', PolicyArn: BASIC }));
    await remove();
    expect(await refusal(iam.send(new GetRoleCommand({ RoleName: 'Billing' })))).toEqual([
      'NoSuchEntityException',
      'The role with name Billing cannot be found.',
      404,
    ]);
    expect(aws.happened('iam.role-deleted')).toHaveLength(1);
    expect(aws.happened('iam.refused').map(it => 'code' in it && it.code)).toEqual(['DeleteConflict', 'NoSuchEntity']);
  });

  it.each<[object, string, string]>([
    [{}, 'EntityAlreadyExistsException', 'Role with name Billing already exists.'],
    [{ RoleName: 'a b' }, 'ValidationError', 'The specified value for roleName is invalid.'],
    [{ RoleName: 'x', MaxSessionDuration: 60 }, 'ValidationError', 'greater than or equal to 3600'],
    [{ RoleName: 'x', AssumeRolePolicyDocument: '{' }, 'MalformedPolicyDocumentException', 'invalid Json'],
    [
      { RoleName: 'x', AssumeRolePolicyDocument: JSON.stringify(SENDS) },
      'MalformedPolicyDocumentException',
      'must have either Principal',
    ],
    [{ RoleName: 'x', PermissionsBoundary: NEW }, 'NotImplemented', `the managed policy ${NEW}`],
    [{ RoleName: 'x', PermissionsBoundary: `${ROOT}:policy/Gone` }, 'NoSuchEntityException', 'does not exist'],
  ])('is not created as %j', async (input, name, text) => {
    const { iam } = await account();
    const AssumeRolePolicyDocument = JSON.stringify(LAMBDA_TRUST);
    const create = new CreateRoleCommand({ RoleName: 'Billing', AssumeRolePolicyDocument, ...input });
    const [gotName, gotText] = await refusal(iam.send(create));
    expect([gotName, gotText]).toEqual([name, expect.stringContaining(text)]);
  });
});

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
describe('a simulation', () => {
  async function simulate(input: Partial<SimulatePrincipalPolicyCommandInput>) {
    const { aws, iam } = await account();
    aws.iam.putRolePolicy(
      'Billing',
      'Inline',
      policy(
        { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE },
        { Effect: 'Deny', Action: 'sqs:DeleteQueue', Resource: '*' },
        {
          Effect: 'Allow',
          Action: 'sqs:ReceiveMessage',
          Resource: '*',
          Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:123456789012:rental' } },
        },
      ),
    );
    const { EvaluationResults = [] } = await iam.send(
      new SimulatePrincipalPolicyCommand({
        PolicySourceArn: 'arn:aws:iam::123456789012:role/jobs/Billing',
        ActionNames: ['sqs:SendMessage'],
        ...input,
      }),
    );
    return EvaluationResults.map(({ EvalActionName, EvalResourceName, EvalDecision }) => [
      EvalActionName,
      EvalResourceName,
      EvalDecision,
    ]);
  }

  it('decides each action on each resource as a call would be', async () => {
    const ActionNames = ['sqs:SendMessage', 'sqs:DeleteQueue'];
    expect(await simulate({ ActionNames, ResourceArns: [QUEUE, `${QUEUE}-other`] })).toEqual([
      ['sqs:SendMessage', QUEUE, 'allowed'],
      ['sqs:SendMessage', `${QUEUE}-other`, 'implicitDeny'],
      ['sqs:DeleteQueue', QUEUE, 'explicitDeny'],
      ['sqs:DeleteQueue', `${QUEUE}-other`, 'explicitDeny'],
    ]);
  });

  it('takes the context and the policy of the resource that it is given', async () => {
    const ContextEntries = [
      {
        ContextKeyName: 'aws:SourceArn',
        ContextKeyValues: ['arn:aws:sns:us-east-1:123456789012:rental'],
        ContextKeyType: 'string' as const,
      },
    ];
    const asked = { ActionNames: ['sqs:ReceiveMessage'], ResourceArns: [QUEUE] };
    expect(await simulate(asked)).toEqual([['sqs:ReceiveMessage', QUEUE, 'implicitDeny']]);
    expect(await simulate({ ...asked, ContextEntries })).toEqual([['sqs:ReceiveMessage', QUEUE, 'allowed']]);
    const ResourcePolicy = JSON.stringify(
      policy({ Effect: 'Allow', Principal: '*', Action: 'sqs:PurgeQueue', Resource: QUEUE }),
    );
    const purge = { ActionNames: ['sqs:PurgeQueue'], ResourceArns: [QUEUE], ResourcePolicy };
    expect(await simulate(purge)).toEqual([['sqs:PurgeQueue', QUEUE, 'allowed']]);
  });

  it.each<[Partial<SimulatePrincipalPolicyCommandInput>, string]>([
    [{ PolicySourceArn: 'arn:aws:iam::123456789012:role/Gone' }, 'NoSuchEntityException'],
    [{ ActionNames: ['nonsense'] }, 'InvalidInputException'],
    [{ PolicyInputList: ['{}'] }, 'NotImplemented'],
  ])('is refused for %j', async (input, name) => {
    expect((await refusal(simulate(input)))[0]).toBe(name);
  });
});

describe('the account', () => {
  it('is its own user, has no alias, and no users or groups', async () => {
    const { aws, iam } = await account();
    expect((await iam.send(new GetUserCommand({}))).User).toMatchObject({ Arn: ROOT, UserId: '123456789012' });
    expect((await refusal(iam.send(new GetUserCommand({ UserName: 'ada' }))))[0]).toBe('NoSuchEntityException');
    expect((await iam.send(new ListAccountAliasesCommand({}))).AccountAliases).toEqual([]);
    expect((await refusal(iam.send(new ListUsersCommand({}))))[2]).toBe(501);
    const { clients } = aws.role('Worker', { Effect: 'Allow', Action: 'iam:GetUser', Resource: '*' });
    expect((await refusal(clients.iam.send(new GetUserCommand({}))))[1]).toBe(
      'Must specify userName when calling with non-User credentials',
    );
  });

  it('lets nobody look at roles who may not', async () => {
    const { aws } = await account();
    const { clients } = aws.role('Worker');
    expect(await refusal(clients.iam.send(new GetRoleCommand({ RoleName: 'Billing' })))).toEqual([
      'AccessDenied',
      'User: arn:aws:iam::123456789012:role/Worker is not authorized to perform: iam:GetRole on resource: arn:aws:iam::123456789012:role/jobs/Billing',
      403,
    ]);
  });

  it('meets the faults a scenario has set, and goes on deciding', async () => {
    const { aws, iam } = await account();
    aws.faults.set({ service: 'iam', httpStatus: 500, code: 'ServiceFailure' });
    expect((await refusal(iam.send(new ListRolesCommand({}))))[0]).toMatch(/^ServiceFailure/);
    expect(aws.iam.decideAssumeRole('lambda.amazonaws.com', aws.iam.role('Billing').arn).allowed).toBe(true);
  });
});
