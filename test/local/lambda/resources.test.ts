import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import { PropertyReader } from '../../../local/cloudformation/property-reader';
import type { CreatedResource } from '../../../local/cloudformation/resource-type';
import { lambdaResourceTypes } from '../../../local/lambda';
import { LambdaFixture, ROLE_ARN } from './lambda-fixture';

const FUNCTION = 'AWS::Lambda::Function';
const MAPPING = 'AWS::Lambda::EventSourceMapping';
const INLINE = { Code: { ZipFile: 'exports.handler = async () => process.env.GREETING;' } };
const MINIMAL = { ...INLINE, Handler: 'index.handler', Role: ROLE_ARN, Runtime: 'nodejs24.x' };
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';

describe('CloudFormation resource types of Lambda', () => {
  let world: LambdaFixture;
  let folder: string;
  beforeEach(() => {
    world = new LambdaFixture();
    folder = mkdtempSync(path.join(tmpdir(), 'asset-'));
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  interface Created extends CreatedResource {
    /** `property rule` of everything that was wrong. */
    readonly problems: readonly string[];
  }

  function create(type: string, properties: Record<string, unknown>, name = 'Stack-Thing-ABC'): Created {
    const found = lambdaResourceTypes(world.lambda).find(resource => resource.type === type);
    if (!found) throw new Error(`no resource type ${type}`);
    const reader = new PropertyReader(properties, type);
    const created = found.create(reader, {
      logicalId: 'Thing',
      stackName: 'Stack',
      physicalName: () => name,
      takesTime: false,
      assetPath: key => (key === 'known.zip' ? folder : key === 'file.zip' ? path.join(folder, 'one-file') : undefined),
    });
    return { ...created, problems: reader.allProblems().map(({ property, rule }) => `${property} ${rule}`) };
  }

  describe(FUNCTION, () => {
    test('runs an asset of the assembly with everything the template says', async () => {
      writeFileSync(path.join(folder, 'index.js'), 'exports.handler = async () => process.env.GREETING;');
      const created = create(FUNCTION, {
        ...MINIMAL,
        Architectures: ['arm64'],
        Code: { S3Bucket: 'assets', S3Key: 'known.zip' },
        DeadLetterConfig: { TargetArn: QUEUE },
        Description: 'says hello',
        Environment: { Variables: { GREETING: 'hello' } },
        EphemeralStorage: { Size: 1024 },
        FunctionName: 'greeter',
        LoggingConfig: { LogGroup: 'greetings', LogFormat: 'JSON', ApplicationLogLevel: 'DEBUG' },
        MemorySize: '256',
        RecursiveLoop: 'Allow',
        ReservedConcurrentExecutions: 3,
        Timeout: 15,
        TracingConfig: { Mode: 'Active' },
      });
      const arn = 'arn:aws:lambda:us-east-1:123456789012:function:greeter';
      expect(created).toEqual({ ref: 'greeter', attributes: { Arn: arn }, problems: [] });
      expect(world.lambda.functions()).toEqual([
        {
          functionName: 'greeter',
          functionArn: arn,
          version: '$LATEST',
          description: 'says hello',
          runtime: 'nodejs24.x',
          handler: 'index.handler',
          roleArn: ROLE_ARN,
          folder,
          timeoutSeconds: 15,
          memorySizeMb: 256,
          variables: { GREETING: 'hello' },
          logging: { logGroup: 'greetings', logFormat: 'JSON', applicationLogLevel: 'DEBUG', systemLogLevel: 'INFO' },
          deadLetterTargetArn: QUEUE,
          hasEnvironment: true,
          architectures: ['arm64'],
          ephemeralStorageMb: 1024,
          tracingMode: 'Active',
        },
      ]);
      expect(world.lambda.functionNamed('greeter')).toMatchObject({ recursiveLoop: 'Allow', reservedConcurrency: 3 });
      expect((await world.invoke('greeter')).value).toBe('hello');
    });

    test('unpacks an archive of the assembly, until everything is closed', async () => {
      const files = {
        'index.js': 'exports.handler = async () => require("./lib/greeting").text;',
        'lib/greeting.js': 'exports.text = "from an archive";',
        'empty/': '',
      };
      const entries = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]);
      writeFileSync(path.join(folder, 'one-file'), zipSync(Object.fromEntries(entries)));
      const created = create(FUNCTION, { ...MINIMAL, Code: { S3Bucket: 'b', S3Key: 'file.zip' } });
      expect(created.problems).toEqual([]);
      expect((await world.invoke(created.ref)).value).toBe('from an archive');
      const unpacked = world.lambda.functions()[0]?.folder ?? '';
      expect(existsSync(unpacked)).toBe(true);
      await world.close();
      expect(existsSync(unpacked)).toBe(false);
    });

    test.each(['../outside.js', 'a/../../outside.js', '/etc/outside.js'])('unpacks nothing to %s', name => {
      writeFileSync(path.join(folder, 'one-file'), zipSync({ [name]: Buffer.from('1') }));
      const { problems } = create(FUNCTION, { ...MINIMAL, Code: { S3Bucket: 'b', S3Key: 'file.zip' } });
      expect(problems).toEqual([`Code.S3Key must not contain paths outside of its folder: ${name}`]);
    });

    test('unpacks nothing larger than Lambda does', () => {
      const large = zipSync({ 'index.js': new Uint8Array(1000) });
      // Changes the size in the directory of the archive, which is read before anything is unpacked.
      const directory = Buffer.from(large.buffer).lastIndexOf(Buffer.from('PK\x01\x02'));
      Buffer.from(large.buffer).writeUInt32LE(262_144_000, directory + 24);
      writeFileSync(path.join(folder, 'one-file'), large);
      const { problems } = create(FUNCTION, { ...MINIMAL, Code: { S3Bucket: 'b', S3Key: 'file.zip' } });
      expect(problems).toEqual(['Code.S3Key is refused (Unzipped size must be smaller than 262144000 bytes)']);
    });

    test('runs code from the template itself, and has the defaults of AWS', async () => {
      expect(create(FUNCTION, MINIMAL)).toMatchObject({ ref: 'Stack-Thing-ABC', problems: [] });
      const [configuration] = world.lambda.functions();
      expect(configuration).toMatchObject({
        timeoutSeconds: 3,
        memorySizeMb: 128,
        logging: { logGroup: '/aws/lambda/Stack-Thing-ABC', logFormat: 'Text' },
      });
      expect(world.lambda.functionNamed('Stack-Thing-ABC')).toMatchObject({
        recursiveLoop: 'Terminate',
        reservedConcurrency: undefined,
      });
      expect((await world.invoke('Stack-Thing-ABC')).value).toBeNull();
      await world.close();
      expect(existsSync(configuration?.folder ?? '')).toBe(false);
    });

    test.each([
      [{ Runtime: 'python3.13' }, 'Runtime must be a Node.js runtime: the embedded AWS runs no others'],
      [{ Role: undefined }, 'Role is required'],
      [{ Timeout: 901 }, 'Timeout must be a whole number from 1 to 900'],
      [{ MemorySize: 127 }, 'MemorySize must be a whole number from 128 to 10240'],
      [{ Code: {} }, 'Code must have an S3Key or a ZipFile'],
      [{ Code: { S3Bucket: 'b', S3Key: 'other.zip' } }, 'Code.S3Key must name an asset of this cloud assembly'],
      [{ Code: { S3Bucket: 'b', S3Key: 'file.zip' } }, 'Code.S3Key must be a zip archive (invalid zip data)'],
      [
        { VpcConfig: { SubnetIds: ['subnet-1'] } },
        'VpcConfig is refused (SubnetIds and SecurityIds must coexist or be both empty list.)',
      ],
      [
        { VpcConfig: { SecurityGroupIds: ['sg-1'], SubnetIds: [] } },
        'VpcConfig is refused (SubnetIds and SecurityIds must coexist or be both empty list.)',
      ],
      [{ VpcConfig: { SubnetIds: 'subnet-1' } }, 'VpcConfig.SubnetIds must be a list of strings'],
      [{ VpcConfig: { VpcId: 'vpc-1' } }, 'VpcConfig.VpcId is not implemented by the embedded AWS'],
      [{ Layers: ['arn:aws:lambda:us-east-1:1:layer:x:1'] }, 'Layers is not implemented by the embedded AWS'],
      [{ LoggingConfig: { LogFormat: 'XML' } }, 'LoggingConfig.LogFormat must be one of Text, JSON'],
      [
        { Environment: { Variables: { TZ: 'Asia/Tokyo' } } },
        'Environment.Variables.TZ must be UTC: the embedded AWS supports no other time zone',
      ],
      [{ Environment: { Variables: { AB: { b: 1 } } } }, 'Environment.Variables.AB must be a string'],
      [
        { Environment: { Variables: { 'a=b': '1' } } },
        expect.stringContaining('Environment.Variables must have valid names: Map keys'),
      ],
      [
        { Environment: { Variables: { AWS_REGION: 'x', _HANDLER: 'y' } } },
        'Environment.Variables is refused (Lambda was unable to configure your environment variables because the environment variables you have provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: AWS_REGION, _HANDLER)',
      ],
      [
        { ReservedConcurrentExecutions: 901 },
        "ReservedConcurrentExecutions is refused (InvalidParameterValueException: Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].)",
      ],
      [{ Architectures: ['riscv'] }, 'Architectures may hold x86_64 or arm64 only'],
      [{ EphemeralStorage: { Size: 20_000 } }, 'EphemeralStorage.Size must be a whole number from 512 to 10240'],
      [{ TracingConfig: { Mode: 'Passive' } }, 'TracingConfig.Mode must be one of Active, PassThrough'],
      [
        { DeadLetterConfig: { TargetArn: `${QUEUE}.fifo` } },
        'DeadLetterConfig.TargetArn is refused (Invalid dead letter queue ARN: FIFO SQS queue is not supported for dead letter configuration)',
      ],
      [
        { DeadLetterConfig: { TargetArn: 'arn:aws:s3:::bucket' } },
        'DeadLetterConfig.TargetArn is refused (Invalid dead letter queue ARN: arn:aws:s3:::bucket is no standard queue or topic)',
      ],
    ])('fails by name for %j', (properties, problem) => {
      writeFileSync(path.join(folder, 'one-file'), '');
      expect(create(FUNCTION, { ...MINIMAL, ...properties }).problems).toEqual([problem]);
    });

    test('fails when the role may not send to the dead-letter queue, as on AWS', () => {
      world.decideAccess = ({ action }) => ({
        allowed: action !== 'sqs:SendMessage',
        reason: 'no statement allows it',
      });
      expect(create(FUNCTION, { ...MINIMAL, DeadLetterConfig: { TargetArn: QUEUE } }).problems).toEqual([
        'DeadLetterConfig.TargetArn is refused (The provided execution role does not have permissions to call SendMessage on SQS: no statement allows it)',
      ]);
    });

    test.each(['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'])(
      'fails when the role of a function in a VPC may not %s of all there are, as on AWS',
      name => {
        const VpcConfig = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'], Ipv6AllowedForDualStack: false };
        expect(create(FUNCTION, { ...MINIMAL, VpcConfig }, 'allowed').problems).toEqual([]);
        world.decideAccess = ({ action, resource, caller }) => {
          expect([resource, caller.principal]).toEqual(['*', { kind: 'role', arn: ROLE_ARN }]);
          return { allowed: action !== `ec2:${name}`, reason: 'no statement allows it' };
        };
        expect(create(FUNCTION, { ...MINIMAL, VpcConfig }).problems).toEqual([
          `VpcConfig is refused (The provided execution role does not have permissions to call ${name} on EC2: no statement allows it)`,
        ]);
      },
    );

    test('asks for no network interfaces where the function is in no VPC', () => {
      world.decideAccess = ({ action }) => ({ allowed: !action.startsWith('ec2:'), reason: 'no statement allows it' });
      const VpcConfig = { SubnetIds: [], SecurityGroupIds: [] };
      expect(create(FUNCTION, { ...MINIMAL, VpcConfig }).problems).toEqual([]);
    });

    test('fails when Lambda may not act with the role, as on AWS', () => {
      world.rolesTrustLambda = false;
      expect(create(FUNCTION, MINIMAL).problems).toEqual([
        `Role is refused (InvalidParameterValueException: The role defined for the function cannot be assumed by Lambda. the trust policy of ${ROLE_ARN})`,
      ]);
    });

    test('fails when there is a function of that name', () => {
      create(FUNCTION, { ...MINIMAL, FunctionName: 'twice' });
      expect(create(FUNCTION, { ...MINIMAL, FunctionName: 'twice' }).problems).toEqual([
        'FunctionName is refused (ResourceConflictException: Function already exist: twice)',
      ]);
    });
  });

  test('a Permission joins the policy of its function, with its conditions', () => {
    create(FUNCTION, { ...MINIMAL, FunctionName: 'f' });
    const permission = {
      Action: 'lambda:InvokeFunction',
      FunctionName: 'arn:aws:lambda:us-east-1:123456789012:function:f',
      Principal: 'sns.amazonaws.com',
      SourceArn: 'arn:aws:sns:us-east-1:123456789012:t',
      SourceAccount: '123456789012',
    };
    expect(create('AWS::Lambda::Permission', permission).problems).toEqual([]);
    const another = { ...permission, Principal: '210987654321', SourceArn: undefined, SourceAccount: undefined };
    create('AWS::Lambda::Permission', another, 'Stack-Another-DEF');
    expect(world.lambda.functionNamed('f').policy?.Statement).toMatchObject([
      {
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: {
          ArnLike: { 'AWS:SourceArn': permission.SourceArn },
          StringEquals: { 'AWS:SourceAccount': '123456789012' },
        },
      },
      { Principal: { AWS: 'arn:aws:iam::210987654321:root' } },
    ]);
    const mistaken = create('AWS::Lambda::Permission', { ...permission, Action: 'lambda:InvokeFunktion' }, 'Mistaken');
    expect(mistaken.problems).toEqual([
      'Action must be lambda:InvokeFunction, lambda:*, *, or an action that the embedded Lambda implements',
    ]);
    expect(
      create('AWS::Lambda::Permission', { ...permission, FunctionName: 'g', PrincipalOrgID: 'o-1' }).problems,
    ).toEqual([
      'FunctionName is refused (ResourceNotFoundException: Function not found: arn:aws:lambda:us-east-1:123456789012:function:g)',
      'PrincipalOrgID is not implemented by the embedded AWS',
    ]);
  });

  test('an EventInvokeConfig sets retries, age and destinations', () => {
    create(FUNCTION, { ...MINIMAL, FunctionName: 'f' });
    const config = {
      FunctionName: 'f',
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: QUEUE } },
    };
    expect(create('AWS::Lambda::EventInvokeConfig', config).problems).toEqual([]);
    expect(world.lambda.functionNamed('f').eventInvokes.of()).toEqual({
      maximumRetryAttempts: 0,
      maximumEventAgeSeconds: 60,
      onFailureArn: QUEUE,
      onSuccessArn: undefined,
    });
    const wrong = {
      ...config,
      Qualifier: 'live',
      MaximumRetryAttempts: 3,
      MaximumEventAgeInSeconds: 59,
      DestinationConfig: { OnSuccess: { Destination: 'arn:aws:events:us-east-1:123456789012:event-bus/b' } },
    };
    expect(create('AWS::Lambda::EventInvokeConfig', wrong).problems).toEqual([
      'MaximumRetryAttempts must be a whole number from 0 to 2',
      'MaximumEventAgeInSeconds must be a whole number from 60 to 21600',
      'FunctionName is refused (ResourceNotFoundException: Function not found: arn:aws:lambda:us-east-1:123456789012:function:f:live)',
    ]);
  });

  test('an EventInvokeConfig whose role may not send to its destination is refused', () => {
    create(FUNCTION, { ...MINIMAL, FunctionName: 'f' });
    world.decideAccess = ({ action }) => ({ allowed: action !== 'sqs:SendMessage', reason: 'no statement allows it' });
    const DestinationConfig = { OnFailure: { Destination: QUEUE } };
    const config = { FunctionName: 'f', Qualifier: '$LATEST', DestinationConfig };
    expect(create('AWS::Lambda::EventInvokeConfig', config).problems).toEqual([
      `DestinationConfig is refused (InvalidParameterValueException: The function's execution role does not have permissions to call SendMessage on ${QUEUE})`,
    ]);
  });

  test('an EventInvokeConfig takes every destination AWS has, but for buckets', () => {
    for (const FunctionName of ['f', 'next']) create(FUNCTION, { ...MINIMAL, FunctionName });
    const config = (Destination: string) =>
      create('AWS::Lambda::EventInvokeConfig', {
        FunctionName: 'f',
        Qualifier: '$LATEST',
        DestinationConfig: { OnSuccess: { Destination } },
      }).problems;
    for (const arn of ['sns:us-east-1:123456789012:t', 'events:us-east-1:123456789012:event-bus/b']) {
      expect(config(`arn:aws:${arn}`)).toEqual([]);
    }
    expect(config('arn:aws:lambda:us-east-1:123456789012:function:next')).toEqual([]);
    expect(config('arn:aws:s3:::bucket')).toEqual([
      'DestinationConfig is refused (NotImplemented: The embedded AWS does not implement an S3 bucket as a destination of a function: arn:aws:s3:::bucket. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.)',
    ]);
  });

  describe('versions and aliases', () => {
    const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
    beforeEach(() => {
      create(FUNCTION, { ...MINIMAL, FunctionName: 'f', Environment: { Variables: { GREETING: 'hello' } } });
    });

    test('a Version is published, and an Alias stands for it', async () => {
      const version = create('AWS::Lambda::Version', { FunctionName: 'f', Description: 'the first' });
      expect(version).toEqual({
        ref: `${ARN}:1`,
        attributes: { Version: '1', FunctionArn: `${ARN}:1` },
        problems: [],
      });
      const alias = create('AWS::Lambda::Alias', { FunctionName: 'f', FunctionVersion: '1', Name: 'live' });
      expect(alias).toEqual({ ref: `${ARN}:live`, attributes: { AliasArn: `${ARN}:live` }, problems: [] });
      expect((await world.invoke(alias.ref)).response.ExecutedVersion).toBe('1');
      const permission = { FunctionName: alias.ref, Action: 'lambda:InvokeFunction', Principal: 'sns.amazonaws.com' };
      expect(create('AWS::Lambda::Permission', permission).problems).toEqual([]);
      expect(world.lambda.target(alias.ref).policy).toMatchObject({ Statement: [{ Resource: alias.ref }] });
      const limits = { FunctionName: 'f', Qualifier: 'live', MaximumRetryAttempts: 0 };
      expect(create('AWS::Lambda::EventInvokeConfig', limits).problems).toEqual([]);
      expect(world.lambda.target(alias.ref).eventInvoke.maximumRetryAttempts).toBe(0);
    });

    test('an Alias shares its invocations between two', () => {
      create('AWS::Lambda::Version', { FunctionName: 'f' });
      world.call('UpdateFunctionConfiguration', { FunctionName: 'f', Timeout: 9 });
      create('AWS::Lambda::Version', { FunctionName: 'f' });
      const shared = {
        FunctionName: 'f',
        FunctionVersion: '1',
        Name: 'live',
        RoutingConfig: { AdditionalVersionWeights: [{ FunctionVersion: '2', FunctionWeight: 0.1 }] },
      };
      expect(create('AWS::Lambda::Alias', shared).problems).toEqual([]);
      expect(world.lambda.functionNamed('f').aliases.get('live').route).toEqual({ version: '2', weight: 0.1 });
    });

    test.each([
      [
        'AWS::Lambda::Version',
        { CodeSha256: 'other' },
        expect.stringMatching(/^CodeSha256 is refused .*CodeSHA256 \(other\) is different from current CodeSHA256/),
      ],
      [
        'AWS::Lambda::Version',
        { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 1 } },
        'ProvisionedConcurrencyConfig is not implemented by the embedded AWS',
      ],
      [
        'AWS::Lambda::Alias',
        { Name: 'live', FunctionVersion: '7' },
        `FunctionName is refused (ResourceNotFoundException: Function not found: ${ARN}:7)`,
      ],
      [
        'AWS::Lambda::Alias',
        {
          Name: 'live',
          FunctionVersion: '$LATEST',
          RoutingConfig: { AdditionalVersionWeights: [{ FunctionVersion: '1', FunctionWeight: 2 }] },
        },
        'RoutingConfig.AdditionalVersionWeights[0].FunctionWeight must be a number from 0 to 1',
      ],
    ])('%s fails by name for %j', (type, properties, problem) => {
      expect(create(type, { FunctionName: 'f', ...properties }).problems).toContainEqual(problem);
    });
  });

  describe(MAPPING, () => {
    beforeEach(() => {
      create(FUNCTION, { ...MINIMAL, FunctionName: 'f', Timeout: 30 });
    });

    test('feeds the function', async () => {
      const { url, arn } = world.createQueue('orders');
      const created = create(MAPPING, {
        EventSourceArn: arn,
        FunctionName: 'f',
        BatchSize: 5,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
        FilterCriteria: { Filters: [{ Pattern: '{"body":["x"]}' }] },
        MetricsConfig: { Metrics: ['EventCount'] },
        Tags: [{ Key: 'team', Value: 'rentals' }],
      });
      expect(created).toMatchObject({ problems: [], attributes: { Id: created.ref } });
      expect(world.lambda.eventSourceMappings()).toMatchObject([
        {
          uuid: created.ref,
          arn: created.attributes['EventSourceMappingArn'],
          state: 'Enabled',
          configuration: {
            batchSize: 5,
            reportBatchItemFailures: true,
            maximumConcurrency: 2,
            filters: ['{"body":["x"]}'],
            countsEvents: true,
          },
        },
      ]);
      const { Tags } = world.call('ListTags', { Resource: created.attributes['EventSourceMappingArn'] });
      expect(Tags).toEqual({ team: 'rentals' });
      world.send(url, 'x');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.batch-finished')).toMatchObject([{ outcome: 'success', deleted: 1 }]);
    });

    test.each([
      [
        { BatchSize: 11 },
        'BatchSize is refused (Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10)',
      ],
      [
        { EventSourceArn: 'arn:aws:kafka:us-east-1:123456789012:cluster/c/1' },
        'EventSourceArn names a source whose mappings are not simulated: the function receives none of its records',
      ],
      [{ FunctionResponseTypes: ['Other'] }, 'FunctionResponseTypes may hold ReportBatchItemFailures only'],
      [
        { ScalingConfig: { MaximumConcurrency: 1 } },
        'ScalingConfig.MaximumConcurrency must be a whole number from 2 to 1000',
      ],
      [
        { FilterCriteria: { Filters: [{ Pattern: '{"body":"x"}' }] } },
        'FilterCriteria is refused (Invalid filter pattern definition.)',
      ],
      [
        { ProvisionedPollerConfig: { MinimumPollers: 2 }, ScalingConfig: { MaximumConcurrency: 2 } },
        'ProvisionedPollerConfig is refused (MaximumConcurrency and ProvisionedPollerConfig exclude each other.)',
      ],
      [
        { ProvisionedPollerConfig: { MinimumPollers: 201 } },
        'ProvisionedPollerConfig.MinimumPollers must be a whole number from 2 to 200',
      ],
      [{ KmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/k' }, 'KmsKeyArn is not implemented by the embedded AWS'],
      [
        { DestinationConfig: { OnFailure: {} } },
        'DestinationConfig is refused (Unsupported DestinationConfig parameter for given event source mapping type.)',
      ],
      [{ MetricsConfig: { Metrics: ['ErrorCount'] } }, 'MetricsConfig.Metrics may hold EventCount only'],
    ])('fails by name for %j', (properties, problem) => {
      const { arn } = world.createQueue('orders');
      expect(create(MAPPING, { EventSourceArn: arn, FunctionName: 'f', ...properties }).problems).toContain(problem);
    });

    test('fails as on AWS when the queue hides messages for less time than the function has', () => {
      const { arn } = world.createQueue('quick', { VisibilityTimeout: '29' });
      expect(create(MAPPING, { EventSourceArn: arn, FunctionName: 'f' }).problems).toEqual([
        'EventSourceArn is refused (Queue visibility timeout: 29 seconds is less than Function timeout: 30 seconds)',
      ]);
    });

    test('fails as on AWS when the queue does not exist, or the role may not receive', () => {
      expect(create(MAPPING, { EventSourceArn: QUEUE, FunctionName: 'f' }).problems).toEqual([
        expect.stringContaining('AWS.SimpleQueueService.NonExistentQueue'),
      ]);
      world.decideAccess = ({ action }) => ({
        allowed: action !== 'sqs:ReceiveMessage',
        reason: 'no statement allows it',
      });
      expect(create(MAPPING, { EventSourceArn: QUEUE, FunctionName: 'f' }).problems).toEqual([
        expect.stringContaining('The provided execution role does not have permissions to call ReceiveMessage on SQS'),
      ]);
    });
  });
});
