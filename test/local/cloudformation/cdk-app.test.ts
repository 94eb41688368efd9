import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Aws, Fn, Stack, Stage } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { deployAssembly, readAssembly } from '../../../local/cloudformation';
import { iamResourceTypes } from '../../../local/iam';
import { roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { kmsResourceTypes } from '../../../local/kms';
import { SNS } from '../iam/iam-fixture';
import { KmsFixture, VIA_SQS } from '../kms/kms-fixture';
import { NO_REFERENCES } from './fixture';

let outdir: string;

beforeAll(() => {
  outdir = mkdtempSync(join(tmpdir(), 'cdk-app-'));
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });

  const keys = new Stack(app, 'Keys');
  const key = new Key(keys, 'Orders', { alias: 'alias/orders' });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );

  const roles = new Stack(new Stage(app, 'Prod'), 'Roles');
  const worker = new Role(roles, 'Worker', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaBasicExecutionRole')],
    inlinePolicies: {},
  });
  worker.addToPolicy(
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [Fn.sub(`arn:\${AWS::Partition}:sqs:*:\${AWS::AccountId}:*`)],
    }),
  );
  new ManagedPolicy(roles, 'NoDeleting', {
    roles: [worker],
    statements: [new PolicyStatement({ effect: Effect.DENY, actions: ['sqs:DeleteQueue'], resources: ['*'] })],
  });

  const users = new Stack(app, 'Users');
  const user = new Role(users, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  key.grantDecrypt(user);
  new Asset(users, 'Code', { path: __dirname });
  app.synth();
}, 60_000);

afterAll(() => {
  rmSync(outdir, { recursive: true, force: true });
});

async function deployApp() {
  const fixture = new KmsFixture();
  const stacks = await deployAssembly(readAssembly(outdir), {
    types: [...iamResourceTypes(fixture.iam), ...kmsResourceTypes(fixture.kms)],
    place: EXAMPLE_PLACE,
    random: new Random('cdk app'),
    clock: fixture.timeline,
    references: NO_REFERENCES,
  });
  const arnOf = (stack: string, idPrefix: string): string => {
    const resources = stacks.find(({ name }) => name === stack)?.resources ?? new Map();
    const [, resource] =
      [...resources].find(([id, { type }]) => type === 'AWS::IAM::Role' && id.startsWith(idPrefix)) ?? [];
    return resource?.attributes.Arn ?? '';
  };
  return { fixture, stacks, arnOf };
}

describe('an app synthesized by the CDK', () => {
  it('deploys as it is, stacks of stages included', async () => {
    const { stacks } = await deployApp();
    expect(stacks.map(({ name }) => name).sort()).toEqual(['Keys', 'Prod-Roles', 'Users']);
    const paths = stacks.flatMap(({ resources }) => [...resources.values()].map(({ path }) => path));
    expect(paths).toEqual(expect.arrayContaining(['Keys/Orders/Resource', 'Prod/Roles/Worker/Resource']));
  });

  it('has its key used by those its policies name', async () => {
    const { fixture, arnOf } = await deployApp();
    expect(fixture.throughQueue('alias/orders', SNS).send.allowed).toBe(true);
    const user = fixture.throughQueue('alias/orders', roleCaller(arnOf('Users', 'User')));
    expect([user.send.allowed, user.receive.allowed]).toEqual([false, true]);
    const worker = fixture.kms.decide(
      'alias/orders',
      'kms:Decrypt',
      roleCaller(arnOf('Prod-Roles', 'Worker')),
      VIA_SQS,
    );
    expect(worker.allowed).toBe(false);
  });

  it('has roles with the policies attached to them in every way', async () => {
    const { fixture, arnOf } = await deployApp();
    const arn = arnOf('Prod-Roles', 'Worker');
    const may = (action: string, resource: string) =>
      fixture.iam.decide({ caller: roleCaller(arn), action, resource }).allowed;
    expect(may('sqs:SendMessage', 'arn:aws:sqs:us-east-1:123456789012:orders')).toBe(true);
    expect(may('sqs:ReceiveMessage', 'arn:aws:sqs:us-east-1:123456789012:orders')).toBe(false);
    expect(may('logs:PutLogEvents', 'arn:aws:logs:us-east-1:123456789012:log-group:x')).toBe(true);
    expect(fixture.iam.decideAssumeRole('lambda.amazonaws.com', arn).allowed).toBe(true);
    expect(fixture.iam.decide({ caller: roleCaller(arn), action: 'sqs:DeleteQueue', resource: 'x' }).reason).toMatch(
      /NoDeleting.* denies it$/,
    );
  });

  it('finds its file assets on disk', () => {
    const users = readAssembly(outdir).stacks.find(({ name }) => name === 'Users');
    const directories = [...(users?.assets ?? [])].filter(([key]) => key.endsWith('.zip')).map(([, path]) => path);
    expect(directories).toEqual([expect.stringMatching(/asset\.[0-9a-f]{64}$/)]);
  });

  it('leaves the same trace every time', async () => {
    expect((await deployApp()).fixture.trace.toJsonLines()).toBe((await deployApp()).fixture.trace.toJsonLines());
  });
});
