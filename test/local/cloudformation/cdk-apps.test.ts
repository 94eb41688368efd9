import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  App,
  Aws,
  CfnCondition,
  CfnOutput,
  CfnParameter,
  CustomResource,
  Duration,
  Fn,
  NestedStack,
  Stack,
  Stage,
} from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId, Provider } from 'aws-cdk-lib/custom-resources';
import { AssemblyError, LocalAws } from '../../../local';
import { deployAssembly, readAssembly } from '../../../local/cloudformation';
import { iamResourceTypes } from '../../../local/iam';
import { roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { kmsResourceTypes } from '../../../local/kms';
import { assemblyOfStack, editTemplate } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { SNS } from '../iam/iam-fixture';
import { KmsFixture, VIA_SQS } from '../kms/kms-fixture';
import { NO_REFERENCES } from './fixture';

describe('cdk app', () => {
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
  });

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
});

function withProvider(stack: Stack, code: string): CustomResource {
  const onEventHandler = inlineFunction(stack, 'OnEvent', code);
  const provider = new Provider(stack, 'Provider', { onEventHandler });
  return new CustomResource(stack, 'Custom', {
    serviceToken: provider.serviceToken,
    properties: { Name: 'x', Count: 2 },
  });
}

/** https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.custom_resources-readme.html#provider-framework */
describe("CDK's provider framework", () => {
  it('calls the handler and answers for it', async () => {
    const world = await Deployed.stack(stack => {
      withProvider(
        stack,
        `exports.handler = async ({ RequestType, ResourceProperties: { Name, Count } }) =>
           ({ PhysicalResourceId: Name + '-made', Data: { Said: RequestType + ' ' + Name + ' ' + typeof Count } });`,
      );
    });
    expect(world.ref('Custom/Default')).toBe('x-made');
    expect(world.aws.resource('Custom').attributes).toEqual({ Said: 'Create x string' });
  });

  it('tells what went wrong in the handler', async () => {
    const assembly = assemblyOfStack(stack => {
      withProvider(stack, `exports.handler = async () => { throw new Error('no such zone'); };`);
    });
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(failure).toBeInstanceOf(AssemblyError);
    expect(String(failure)).toMatch(
      /Received response status \[FAILED\] from custom resource\. Message returned: .*no such zone/s,
    );
  });

  it('is refused by name where it waits: its waiter is a state machine', async () => {
    const assembly = assemblyOfStack(stack => {
      const handler = inlineFunction(stack, 'OnEvent', 'exports.handler = async () => ({});');
      const provider = new Provider(stack, 'Provider', {
        onEventHandler: handler,
        isCompleteHandler: handler,
        totalTimeout: Duration.minutes(5),
      });
      new CustomResource(stack, 'Custom', { serviceToken: provider.serviceToken });
    });
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(String(failure)).toContain('AWS::StepFunctions::StateMachine): this resource type is not simulated');
  });
});

/** https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.custom_resources.AwsCustomResource.html */
it('AwsCustomResource calls a service of the embedded AWS with the SDK of this machine', async () => {
  const world = await Deployed.stack(stack => {
    const source = new StringParameter(stack, 'Source', { parameterName: '/source', stringValue: 'hello' });
    const read = new AwsCustomResource(stack, 'Read', {
      onCreate: {
        service: 'SSM',
        action: 'getParameter',
        parameters: { Name: source.parameterName },
        physicalResourceId: PhysicalResourceId.of('read'),
      },
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [source.parameterArn] }),
      ]),
      installLatestAwsSdk: false,
    });
    new StringParameter(stack, 'Copy', {
      parameterName: '/copy',
      stringValue: read.getResponseField('Parameter.Value'),
    });
  });
  const { ssm } = world.aws.services;
  expect(ssm.call('GetParameter', ssm.owner, { Name: '/copy' }).Parameter?.Value).toBe('hello');
});

async function problemsOf(assembly: string): Promise<readonly string[]> {
  const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
  if (failure instanceof AssemblyError) return failure.problems;
  throw failure instanceof Error ? failure : new Error('it was deployed');
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-nested-stacks.html */
describe('a nested stack', () => {
  it('gets parameters from its parent, and gives it outputs', async () => {
    const world = await Deployed.stack(stack => {
      const outer = new Queue(stack, 'Outer', { queueName: 'outer' });
      const nested = new NestedStack(stack, 'Nested');
      const inner = new Queue(nested, 'Inner', { queueName: `${outer.queueName}-inner` });
      const deeper = new NestedStack(nested, 'Deeper');
      const innermost = new Queue(deeper, 'Innermost', { queueName: `${inner.queueName}-most` });
      new CfnOutput(stack, 'InnerArn', { value: inner.queueArn });
      new CfnOutput(stack, 'InnermostArn', { value: innermost.queueArn });
    });
    const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;
    expect(world.aws.output('InnerArn')).toBe(arn('outer-inner'));
    expect(world.aws.output('InnermostArn')).toBe(arn('outer-inner-most'));
    expect(world.arn('Nested/Deeper/Innermost')).toBe(arn('outer-inner-most'));
    const names = world.aws.stacks.map(({ name }) => name);
    expect(names).toEqual([
      expect.stringMatching(/^Test-NestedNestedStack.*-DeeperNestedStack.*-[A-Z0-9]{12}$/),
      expect.stringMatching(/^Test-NestedNestedStack.*-[A-Z0-9]{12}$/),
      'Test',
    ]);
  });

  it('decides its conditions by what it is given, even where that is known only now', async () => {
    const world = await Deployed.stack(stack => {
      const outer = new Queue(stack, 'Outer', { queueName: 'outer' });
      const nested = new NestedStack(stack, 'Nested', { parameters: { Name: outer.queueName, Other: 'fixed' } });
      new CfnParameter(nested, 'Name');
      new CfnParameter(nested, 'Other');
      const isOuter = Fn.conditionEquals(Fn.ref('Name'), 'outer');
      const made = new CfnQueue(nested, 'Made', { queueName: Fn.ref('Other') });
      const notMade = new CfnQueue(nested, 'NotMade', { queueName: 'never' });
      made.addOverride('Condition', 'IsOuter');
      notMade.addOverride('Condition', 'IsNot');
      const conditions = { IsOuter: isOuter, IsNot: Fn.conditionNot(isOuter) };
      for (const [name, expression] of Object.entries(conditions)) {
        new CfnCondition(nested, name, { expression });
      }
    });
    expect(world.ref('Nested/Made')).toContain('/fixed');
    expect(world.aws.services.sqs.queues().map(({ name }) => name)).toEqual(['outer', 'fixed']);
  });

  it('is checked with its parents before anything is made, and told of by its name', async () => {
    const assembly = assemblyOfStack(stack => {
      const nested = new NestedStack(stack, 'Nested');
      new CfnQueue(nested, 'Odd').addOverride('Type', 'AWS::RDS::DBInstance');
      new CfnQueue(stack, 'AlsoOdd').addOverride('Type', 'AWS::EC2::VPC');
    });
    const problems = await problemsOf(assembly);
    expect(problems).toHaveLength(2);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Test-NestedNestedStack\S+: .*Odd.*AWS::RDS::DBInstance.*not simulated/),
        expect.stringMatching(/^Test: .*AlsoOdd, AWS::EC2::VPC.*not simulated/),
      ]),
    );
  });

  it('that fails is told of once, however much its parent needs it', async () => {
    const assembly = assemblyOfStack(stack => {
      const nested = new NestedStack(stack, 'Nested');
      const inner = new Queue(nested, 'Inner', { queueName: 'a b' });
      new Queue(stack, 'Follows', { queueName: `${inner.queueName}-x` });
      new CfnOutput(stack, 'InnerArn', { value: inner.queueArn });
    });
    expect(await problemsOf(assembly)).toEqual([
      expect.stringMatching(/^Test-Nested\S+: Test\/Nested\/Inner\/Resource/),
    ]);
  });

  it('must have its template in the assembly', async () => {
    const assembly = assemblyOfStack(stack => {
      new Queue(new NestedStack(stack, 'Nested'), 'Inner');
    });
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const { Type, Properties = {} } of Object.values(Resources)) {
        if (Type === 'AWS::CloudFormation::Stack') Properties['TemplateURL'] = 'https://example.com/other.json';
      }
    });
    expect(await problemsOf(assembly)).toEqual([
      expect.stringContaining('TemplateURL must be a file asset of the assembly, got "https://example.com/other.json"'),
    ]);
  });
});
