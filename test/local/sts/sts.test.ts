import { GetRoleCommand } from '@aws-sdk/client-iam';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import {
  AssumeRoleCommand,
  type AssumeRoleCommandInput,
  AssumeRoleWithWebIdentityCommand,
  type Credentials,
  GetCallerIdentityCommand,
  GetSessionTokenCommand,
} from '@aws-sdk/client-sts';
import type { SessionCredentials } from '../../../local/kernel/access';
import { policy, ROOT, type StatementJson } from '../iam/iam-fixture';
import { refusal, SmallAccount, START_MS } from '../small-account';

const ROLE = 'arn:aws:iam::123456789012:role/jobs/Deployer';
const SESSION = 'arn:aws:sts::123456789012:assumed-role/Deployer/ci-7';

function account(trust: StatementJson = {}, role: { readonly maxSessionSeconds?: number } = {}) {
  const aws = new SmallAccount();
  const trustPolicy = policy({ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'sts:AssumeRole', ...trust });
  aws.iam.createRole({ roleName: 'Deployer', path: '/jobs/', trustPolicy, ...role });
  const assume = (input: Partial<AssumeRoleCommandInput> = {}, clients = aws.clients) =>
    clients.sts.send(new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: 'ci-7', ...input }));
  return { aws, assume };
}

function keysOf({
  AccessKeyId = '',
  SecretAccessKey = '',
  SessionToken = '',
}: Partial<Credentials> = {}): SessionCredentials {
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

const whoAmI = ({ sts }: SmallAccount['clients']) => sts.send(new GetCallerIdentityCommand({}));

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
describe('a role that is assumed', () => {
  it('gives a session that goes by its own name, and by the role in policies', async () => {
    const { aws, assume } = account();
    const { Credentials, AssumedRoleUser } = await assume();
    expect(AssumedRoleUser).toEqual({ Arn: SESSION, AssumedRoleId: expect.stringMatching(/^AROA[0-9A-F]{17}:ci-7$/) });
    expect(Credentials?.AccessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(Credentials?.Expiration).toEqual(new Date(START_MS + 3_600_000));
    const session = aws.clientsWith(keysOf(Credentials));
    expect(await whoAmI(session)).toMatchObject({
      Account: '123456789012',
      Arn: SESSION,
      UserId: AssumedRoleUser?.AssumedRoleId,
    });
    aws.ssm.call('PutParameter', aws.ssm.owner, { Name: 'p', Value: 'v', Type: 'String' });
    const read = () => session.ssm.send(new GetParameterCommand({ Name: 'p' }));
    expect((await refusal(read()))[1]).toContain(`User: ${SESSION} is not authorized to perform: ssm:GetParameter`);
    aws.iam.putRolePolicy(
      'Deployer',
      'Reads',
      policy({
        Effect: 'Allow',
        Action: 'ssm:GetParameter',
        Resource: '*',
        Condition: { ArnEquals: { 'aws:PrincipalArn': ROLE } },
      }),
    );
    expect((await read()).Parameter?.Value).toBe('v');
  });

  it('is over when its time is up, in virtual time', async () => {
    const { aws, assume } = account();
    const { Credentials } = await assume({ DurationSeconds: 900 });
    const session = aws.clientsWith(keysOf(Credentials));
    await aws.timeline.advanceTo(START_MS + 899_999);
    expect((await whoAmI(session)).Arn).toBe(SESSION);
    await aws.timeline.advanceTo(START_MS + 900_000);
    expect((await refusal(whoAmI(session))).slice(0, 2)).toEqual([
      expect.stringMatching(/^ExpiredToken/),
      'The security token included in the request is expired',
    ]);
  });

  it.each<[StatementJson, Partial<AssumeRoleCommandInput>, boolean]>([
    [{ Condition: { StringEquals: { 'sts:ExternalId': 'x1' } } }, { ExternalId: 'x1' }, true],
    [{ Condition: { StringEquals: { 'sts:ExternalId': 'x1' } } }, {}, false],
    [{ Condition: { StringLike: { 'sts:RoleSessionName': 'ci-*' } } }, {}, true],
    [{ Condition: { StringLike: { 'sts:RoleSessionName': 'me-*' } } }, {}, false],
    [{ Principal: { AWS: '999999999999' } }, {}, false],
    [{ Effect: 'Deny' }, {}, false],
  ])('trusts as its policy says: %j given %j', async (trust, input, isAllowed) => {
    const { aws, assume } = account(trust);
    const answer = assume(input);
    if (isAllowed) await expect(answer).resolves.toMatchObject({ AssumedRoleUser: { Arn: SESSION } });
    else {
      expect(await refusal(answer)).toEqual([
        'AccessDenied',
        `User: ${ROOT} is not authorized to perform: sts:AssumeRole on resource: ${ROLE}`,
        403,
      ]);
      expect(aws.happened('sts.refused')).toEqual([expect.objectContaining({ action: 'AssumeRole', resource: ROLE })]);
    }
  });

  it('may be trusted to one session alone', async () => {
    const { aws, assume } = account();
    const { Credentials } = await assume();
    const { Credentials: other } = await assume({ RoleSessionName: 'ci-8' });
    const trustPolicy = policy({ Effect: 'Allow', Principal: { AWS: SESSION }, Action: 'sts:AssumeRole' });
    const next = aws.iam.createRole({ roleName: 'Next', trustPolicy });
    const assumeNext = (keys: Partial<Credentials> | undefined) =>
      assume({ RoleArn: next.arn }, aws.clientsWith(keysOf(keys)));
    await expect(assumeNext(Credentials)).resolves.toBeDefined();
    expect((await refusal(assumeNext(other)))[0]).toBe('AccessDenied');
  });

  it('is assumed by a role whose own policy allows it, or by one that the trust policy names', async () => {
    const { aws, assume } = account();
    const worker = aws.role('Worker');
    expect((await refusal(assume({}, worker.clients)))[0]).toBe('AccessDenied');
    aws.iam.putRolePolicy('Worker', 'Assumes', policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: ROLE }));
    await expect(assume({}, worker.clients)).resolves.toMatchObject({ AssumedRoleUser: { Arn: SESSION } });
    const named = account({ Principal: { AWS: 'arn:aws:iam::123456789012:role/Worker' } });
    await expect(named.assume({}, named.aws.role('Worker').clients)).resolves.toBeDefined();
  });

  it.each<[Partial<AssumeRoleCommandInput>, string, string]>([
    [
      { RoleArn: 'arn:aws:iam::123456789012:role/Gone' },
      'AccessDenied',
      'is not authorized to perform: sts:AssumeRole',
    ],
    [{ RoleArn: 'Deployer' }, 'ValidationError', 'Deployer is invalid'],
    [{ RoleSessionName: 'a b' }, 'ValidationError', "Value 'a b' at 'roleSessionName' failed to satisfy constraint"],
    [{ DurationSeconds: 60 }, 'ValidationError', 'Member must have value greater than or equal to 900'],
    [{ DurationSeconds: 50_000 }, 'ValidationError', 'Member must have value less than or equal to 43200'],
    [{ DurationSeconds: 7200 }, 'ValidationError', 'exceeds the MaxSessionDuration set for this role.'],
    [{ Policy: '{}' }, 'NotImplemented', 'AssumeRole with Policy'],
    [{ Tags: [{ Key: 'a', Value: 'b' }] }, 'NotImplemented', 'AssumeRole with Tags'],
  ])('cannot be assumed with %j', async (input, name, text) => {
    const [gotName, gotText] = await refusal(account().assume(input));
    expect([gotName, gotText]).toEqual([name, expect.stringContaining(text)]);
  });

  it('lasts longer where the role says so, though not out of another session', async () => {
    const { aws, assume } = account({}, { maxSessionSeconds: 7200 });
    const { Credentials } = await assume({ DurationSeconds: 7200 });
    expect(Credentials?.Expiration).toEqual(new Date(START_MS + 7_200_000));
    const { clients } = aws.role('Worker', { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: ROLE });
    expect((await refusal(assume({ DurationSeconds: 7200 }, clients)))[1]).toContain('role chaining');
  });
});

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html */
describe('whoever asks who they are', () => {
  it('is the account, or a role that a service acts with', async () => {
    const aws = new SmallAccount();
    expect(await whoAmI(aws.clients)).toMatchObject({ UserId: '123456789012', Account: '123456789012', Arn: ROOT });
    const { arn, clients } = aws.role('Worker');
    expect(await whoAmI(clients)).toMatchObject({ Account: '123456789012', Arn: arn });
  });

  it('must sign', async () => {
    const aws = new SmallAccount();
    const reply = await aws.network.send({
      protocol: 'https',
      host: 'sts.amazonaws.com',
      port: 443,
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('Action=GetCallerIdentity&Version=2011-06-15'),
    });
    expect(reply).toMatchObject({ kind: 'response', status: 403 });
    expect(reply.kind === 'response' && Buffer.from(reply.body).toString()).toContain('MissingAuthenticationToken');
  });
});

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html */
describe('a session token', () => {
  it('acts for the account until it expires', async () => {
    const aws = new SmallAccount();
    const { Credentials } = await aws.clients.sts.send(new GetSessionTokenCommand({ DurationSeconds: 900 }));
    const session = aws.clientsWith(keysOf(Credentials));
    expect((await whoAmI(session)).Arn).toBe(ROOT);
    await aws.timeline.advanceTo(START_MS + 900_000);
    expect((await refusal(session.iam.send(new GetRoleCommand({ RoleName: 'x' }))))[0]).toMatch(/^ExpiredToken/);
  });

  it('is for no role', async () => {
    const { clients } = new SmallAccount().role('Worker', { Effect: 'Allow', Action: '*', Resource: '*' });
    expect(await refusal(clients.sts.send(new GetSessionTokenCommand({})))).toEqual([
      'AccessDenied',
      'Cannot call GetSessionToken with session credentials',
      403,
    ]);
  });
});

it('answers 501 to whoever is federated', async () => {
  const { sts } = new SmallAccount().clients;
  const assume = new AssumeRoleWithWebIdentityCommand({
    RoleArn: ROLE,
    RoleSessionName: 'web',
    WebIdentityToken: 'token-of-web',
  });
  const [, text, status] = await refusal(sts.send(assume));
  expect([text, status]).toEqual([expect.stringContaining('sts:AssumeRoleWithWebIdentity'), 501]);
});
