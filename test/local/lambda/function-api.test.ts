import { existsSync } from 'node:fs';
import { zipSync } from 'fflate';
import { evaluateAccess } from '../../../local/iam/evaluate';
import { roleCaller } from '../../../local/kernel/caller';
import { functionPolicy } from '../../../local/lambda/function/permissions';
import { ADMIN, errorOf, LambdaFixture, ROLE_ARN } from './lambda-fixture';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
const GREETING = 'exports.handler = async () => process.env.GREETING ?? null;';
const FUNCTIONS_ONLY =
  'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please specify either a function name or an unqualified function ARN.';
const STALE =
  'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id';

describe("the API for functions (AWS's texts as recorded)", () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', { code: GREETING, variables: { GREETING: 'hello' }, tags: { team: 'rentals' } });
  });
  afterEach(() => world.close());

  describe('GetFunction and its kin', () => {
    const expected = {
      FunctionName: 'f',
      FunctionArn: ARN,
      Runtime: 'nodejs20.x',
      Role: ROLE_ARN,
      Handler: 'index.handler',
      CodeSize: GREETING.length,
      CodeSha256: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      Description: '',
      Timeout: 3,
      MemorySize: 128,
      LastModified: '2026-01-01T00:00:00.000+0000',
      Version: '$LATEST',
      Environment: { Variables: { GREETING: 'hello' } },
      RevisionId: expect.any(String),
      State: 'Active',
      LastUpdateStatus: 'Successful',
      PackageType: 'Zip',
      Architectures: ['x86_64'],
      EphemeralStorage: { Size: 512 },
      SnapStart: { ApplyOn: 'None', OptimizationStatus: 'Off' },
      TracingConfig: { Mode: 'PassThrough' },
      RuntimeVersionConfig: {
        RuntimeVersionArn: expect.stringMatching('^arn:aws:lambda:us-east-1::runtime:[0-9a-f]{64}$'),
      },
      LoggingConfig: { LogFormat: 'Text', LogGroup: '/aws/lambda/f' },
    };

    test('tell what the function is', () => {
      expect(world.call('GetFunctionConfiguration', { FunctionName: 'f' })).toEqual(expected);
      expect(world.call('GetFunction', { FunctionName: ARN })).toEqual({
        Configuration: expected,
        Code: { RepositoryType: 'S3' },
        Tags: { team: 'rentals' },
      });
      // "The ListFunctions operation returns a subset of the FunctionConfiguration fields" (API_ListFunctions).
      const { State: _, LastUpdateStatus: __, RuntimeVersionConfig: ___, ...subset } = expected;
      expect(world.call('ListFunctions', {})).toEqual({ Functions: [subset], NextMarker: undefined });
    });

    test('return the levels of a JSON log, a dead-letter queue, and the reserved concurrency', () => {
      world.deploy('g', {
        code: GREETING,
        deadLetterTargetArn: 'arn:aws:sqs:us-east-1:123456789012:dead',
        logging: { logGroup: 'l', logFormat: 'JSON', applicationLogLevel: 'WARN', systemLogLevel: 'DEBUG' },
        reservedConcurrentExecutions: 7,
      });
      expect(world.call('GetFunction', { FunctionName: 'g' })).toMatchObject({
        Concurrency: { ReservedConcurrentExecutions: 7 },
        Configuration: {
          DeadLetterConfig: { TargetArn: 'arn:aws:sqs:us-east-1:123456789012:dead' },
          LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'WARN', SystemLogLevel: 'DEBUG' },
        },
      });
    });

    test('list in pages', () => {
      for (const name of ['g', 'h']) world.deploy(name, { code: GREETING });
      const first = world.call('ListFunctions', { MaxItems: 2 });
      expect(first.Functions?.map(({ FunctionName }) => FunctionName)).toEqual(['f', 'g']);
      const second = world.call('ListFunctions', { MaxItems: 2, Marker: first.NextMarker });
      expect(second.Functions?.map(({ FunctionName }) => FunctionName)).toEqual(['h']);
      expect(second.NextMarker).toBeUndefined();
      expect(errorOf(() => world.call('ListFunctions', { MaxItems: 0 }))).toEqual({
        code: 'ValidationException',
        status: 400,
        message:
          "1 validation error detected: Value '0' at 'maxItems' failed to satisfy constraint: Member must have value greater than or equal to 1",
      });
    });

    test.each([
      ['a function', 'g', undefined, 'arn:aws:lambda:us-east-1:123456789012:function:g'],
      ['a version', 'f', '7', `${ARN}:7`],
      ['an alias', 'f:live', undefined, `${ARN}:live`],
    ])('say when %s is not there', (_, FunctionName, Qualifier, arn) => {
      for (const action of ['GetFunction', 'GetFunctionConfiguration', 'Invoke'] as const) {
        expect(errorOf(() => world.call(action, { FunctionName, Qualifier }))).toEqual({
          code: 'ResourceNotFoundException',
          status: 404,
          message: `Function not found: ${arn}`,
        });
      }
    });
  });

  describe('UpdateFunctionConfiguration', () => {
    const update = (change: object) => world.call('UpdateFunctionConfiguration', { FunctionName: 'f', ...change });

    test('holds for the next invocation, in a new execution environment', async () => {
      expect((await world.invoke('f')).value).toBe('hello');
      await world.goTo(5);
      const before = world.call('GetFunctionConfiguration', { FunctionName: 'f' });
      const after = update({ Environment: { Variables: { GREETING: 'good evening' } }, Timeout: 9, MemorySize: 256 });
      expect(after).toMatchObject({
        Environment: { Variables: { GREETING: 'good evening' } },
        Timeout: 9,
        MemorySize: 256,
        LastModified: '2026-01-01T00:00:05.000+0000',
      });
      expect(after.RevisionId).not.toBe(before.RevisionId);
      expect((await world.invoke('f')).value).toBe('good evening');
      expect(world.happened('lambda.invoked').map(({ environment, coldStart }) => [environment, coldStart])).toEqual([
        [1, true],
        [2, true],
      ]);
      expect(world.happened('lambda.function-updated')).toMatchObject([{ functionArn: ARN }]);
    });

    test('lets what runs run on as it was', async () => {
      const code = `exports.handler = async () => {
        await new Promise(resolve => setTimeout(resolve, 1000));
        return process.env.GREETING;
      };`;
      world.deploy('slow', { code, variables: { GREETING: 'hello' } });
      const running = world.call('Invoke', { FunctionName: 'slow' });
      await world.goTo(0.5);
      world.call('UpdateFunctionConfiguration', { FunctionName: 'slow', Environment: { Variables: {} } });
      await world.timeline.runUntilIdle();
      expect(Buffer.from((await running).Payload ?? []).toString()).toBe('"hello"');
      expect((await world.invoke('slow')).value).toBeNull();
      expect(world.happened('lambda.invoked')).toMatchObject([{ environment: 1 }, { environment: 2, coldStart: true }]);
    });

    test('leaves what it does not say, and takes away what it says is empty', () => {
      update({
        DeadLetterConfig: { TargetArn: 'arn:aws:sqs:us-east-1:123456789012:dead' },
        Description: 'says hello',
      });
      update({ LoggingConfig: { LogFormat: 'JSON' } });
      // Recorded on AWS: the answer to an empty DeadLetterConfig names the queue still.
      expect(update({ DeadLetterConfig: {} })).toMatchObject({
        DeadLetterConfig: { TargetArn: 'arn:aws:sqs:us-east-1:123456789012:dead' },
      });
      const after = update({ DeadLetterConfig: { TargetArn: '' } });
      expect(after).toMatchObject({
        Description: 'says hello',
        Environment: { Variables: { GREETING: 'hello' } },
        LoggingConfig: { LogFormat: 'JSON', LogGroup: '/aws/lambda/f' },
      });
      expect(after).not.toHaveProperty('DeadLetterConfig');
    });

    // Recorded on AWS: Architectures, Environment, EphemeralStorage, RuntimeVersionConfig, SnapStart and TracingConfig
    // are in the answers of CreateFunction and UpdateFunctionConfiguration.
    test('describes what it says of storage, tracing and an empty environment', () => {
      expect(
        update({
          EphemeralStorage: { Size: 1024 },
          TracingConfig: { Mode: 'Active' },
          Environment: { Variables: {} },
        }),
      ).toMatchObject({
        Architectures: ['x86_64'],
        Environment: { Variables: {} },
        EphemeralStorage: { Size: 1024 },
        RuntimeVersionConfig: { RuntimeVersionArn: expect.stringContaining('::runtime:') },
        SnapStart: { ApplyOn: 'None', OptimizationStatus: 'Off' },
        TracingConfig: { Mode: 'Active' },
      });
      expect(errorOf(() => update({ EphemeralStorage: { Size: 511 } })).message).toContain(
        "Value '511' at 'ephemeralStorage.size' failed to satisfy constraint",
      );
      expect(errorOf(() => update({ TracingConfig: { Mode: 'Passive' } })).message).toContain(
        "at 'tracingConfig.mode'",
      );
    });

    const reserved =
      'Lambda was unable to configure your environment variables because the environment variables you have provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: AWS_REGION';
    const large = { AB: 'x'.repeat(4096) };
    test.each([
      [{ Timeout: 901 }, 'ValidationException', "Value '901' at 'timeout' failed"],
      [
        { Timeout: 0, MemorySize: 10_241 },
        'ValidationException',
        "2 validation errors detected: Value '0' at 'timeout' failed to satisfy constraint: Member must have value greater than or equal to 1; Value '10241' at 'memorySize' failed to satisfy constraint: Member must have value less than or equal to 10240",
      ],
      [{ Environment: { Variables: { AWS_REGION: 'x' } } }, 'InvalidParameterValueException', reserved],
      [
        { Environment: { Variables: large } },
        'InvalidParameterValueException',
        `have provided exceeded the 4KB limit. String measured: ${JSON.stringify(large)}`,
      ],
      [
        { DeadLetterConfig: { TargetArn: 'arn:aws:sqs:us-east-1:123456789012:dead.fifo' } },
        'InvalidParameterValueException',
        'Invalid dead letter queue ARN: FIFO SQS queue is not supported for dead letter configuration',
      ],
      [
        { Environment: { Variables: { 'a=b': 'x' } }, LoggingConfig: { LogFormat: 'XML' } },
        'ValidationException',
        "2 validation errors detected: Value 'XML' at 'loggingConfig.logFormat' failed to satisfy constraint: Member must satisfy enum value set: [JSON, Text]; Value '[a=b]' at 'environment.variables' failed to satisfy constraint: Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]",
      ],
      [{ RevisionId: 'of-yesterday' }, 'PreconditionFailedException', STALE],
      [{ FunctionName: 'f:$LATEST' }, 'InvalidParameterValueException', FUNCTIONS_ONLY],
      [{ Layers: ['l'] }, 'NotImplemented', 'Layers of lambda:UpdateFunctionConfiguration'],
      [{ Runtime: 'python3.13' }, 'NotImplemented', 'the runtime python3.13'],
      [{ Environment: { Variables: { TZ: 'Asia/Tokyo' } } }, 'NotImplemented', 'the time zone Asia/Tokyo'],
    ])('refuses %j', (change, code, text) => {
      const error = errorOf(() => update(change));
      expect(error.code).toBe(code);
      expect(error.message).toContain(text);
    });

    test('takes exactly 4 KB of variables', () => {
      const fits = { AB: 'x'.repeat(4096 - JSON.stringify({ AB: '' }).length) };
      expect(update({ Environment: { Variables: fits } }).Environment?.Variables).toEqual(fits);
    });

    test('refuses a role that Lambda may not act with, or that may not send to the dead-letter queue', () => {
      world.rolesTrustLambda = false;
      expect(errorOf(() => update({ Role: 'arn:aws:iam::123456789012:role/other' }))).toMatchObject({
        code: 'InvalidParameterValueException',
        message: 'The role defined for the function cannot be assumed by Lambda.',
      });
      world.decideAccess = ({ action }) => ({ allowed: action !== 'sns:Publish', reason: 'no statement allows it' });
      const topic = 'arn:aws:sns:us-east-1:123456789012:t';
      expect(errorOf(() => update({ DeadLetterConfig: { TargetArn: topic } })).message).toBe(
        'The provided execution role does not have permissions to call Publish on SNS',
      );
    });
  });

  describe('CreateFunction', () => {
    const ZipFile = zipSync({ 'index.js': Buffer.from('exports.handler = async () => process.env.GREETING;') });
    const create = (input: object = {}) =>
      world.call('CreateFunction', {
        FunctionName: 'new',
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: ROLE_ARN,
        Code: { ZipFile },
        ...input,
      });

    test('unpacks an archive, and has the defaults of AWS', async () => {
      const created = create({ Environment: { Variables: { GREETING: 'hi' } }, Tags: { team: 'rentals' } });
      expect(created).toMatchObject({
        FunctionArn: ARN.replace(/f$/, 'new'),
        Version: '$LATEST',
        Timeout: 3,
        MemorySize: 128,
        State: 'Active',
        LoggingConfig: { LogFormat: 'Text', LogGroup: '/aws/lambda/new' },
      });
      expect((await world.invoke('new')).value).toBe('hi');
      expect(world.call('GetFunction', { FunctionName: 'new' }).Tags).toEqual({ team: 'rentals' });
      const folder = world.lambda.functionNamed('new').configuration.folder;
      await world.close();
      expect(existsSync(folder)).toBe(false);
    });

    test('publishes a version immediately if the request asks for it', () => {
      expect(create({ Publish: true })).toMatchObject({
        Version: '1',
        FunctionArn: expect.stringMatching(/:new:1$/),
      });
    });

    const mandatory = 'Runtime and Handler are mandatory parameters for functions created with deployment packages.';
    test.each([
      [{ FunctionName: 'f' }, 'ResourceConflictException', 'Function already exist: f'],
      [{ FunctionName: 'no name' }, 'ValidationException', "Value 'no name' at 'functionName'"],
      [{ Runtime: undefined }, 'InvalidParameterValueException', mandatory],
      [{ Code: {} }, 'InvalidParameterValueException', 'Please provide a source for function code.'],
      [
        { Code: { ZipFile: Buffer.from('PK') } },
        'InvalidParameterValueException',
        'Could not unzip uploaded file. Please check your file, then try to upload again.',
      ],
      [{ Code: { S3Bucket: 'b', S3Key: 'k' } }, 'NotImplemented', 'code in S3 of lambda:CreateFunction'],
      [{ PackageType: 'Image' }, 'NotImplemented', 'the package type Image'],
      [{ Layers: ['l'] }, 'NotImplemented', 'Layers of lambda:CreateFunction'],
      [{ Timeout: 901 }, 'ValidationException', "Value '901' at 'timeout'"],
    ])('refuses %j', (input, code, text) => {
      const error = errorOf(() => create(input));
      expect(error.code).toBe(code);
      expect(error.message).toContain(text);
      expect(world.lambda.functions()).toHaveLength(1);
    });

    test('refuses a role that Lambda may not act with', () => {
      world.rolesTrustLambda = false;
      expect(errorOf(() => create()).message).toBe('The role defined for the function cannot be assumed by Lambda.');
    });
  });

  describe('DeleteFunction', () => {
    const remove = (FunctionName: string) => world.call('DeleteFunction', { FunctionName });

    test('takes the function away, and its name is free', async () => {
      await world.invoke('f');
      const { url, arn } = world.createQueue('orders');
      world.lambda.createEventSourceMapping('f', { queueArn: arn });
      expect(remove('f')).toEqual({});
      expect(errorOf(() => world.call('GetFunction', { FunctionName: 'f' })).status).toBe(404);
      expect(errorOf(() => remove('f')).message).toBe(`Function not found: ${ARN}`);
      expect(world.happened('lambda.function-deleted')).toMatchObject([{ functionArn: ARN }]);
      world.send(url, 'nobody is there');
      await world.goTo(60);
      expect(world.happened('lambda.invoked')).toHaveLength(1);
      world.deploy('f', { code: GREETING });
      expect((await world.invoke('f')).value).toBeNull();
    });

    test('takes one version away, unless an alias stands for it', () => {
      world.call('PublishVersion', { FunctionName: 'f' });
      world.call('CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1' });
      expect(errorOf(() => remove('f:1')).code).toBe('ResourceConflictException');
      world.call('DeleteAlias', { FunctionName: 'f', Name: 'live' });
      remove('f:1');
      expect(errorOf(() => world.call('GetFunction', { FunctionName: 'f:1' })).message).toBe(
        `Function not found: ${ARN}:1`,
      );
      expect(errorOf(() => remove('f:$LATEST')).message).toBe(
        '$LATEST version cannot be deleted without deleting the function.',
      );
    });
  });

  test.each(['GetLayerVersion', 'PublishLayerVersion', 'CreateFunctionUrlConfig'])(
    '%s is a 501 that names it',
    action => {
      const call = () => world.lambda.call(action as 'GetFunction', ADMIN, { FunctionName: 'f' });
      expect(errorOf(call)).toMatchObject({ code: 'NotImplemented', status: 501 });
      expect(errorOf(call).message).toContain(`lambda:${action}`);
    },
  );

  describe('reserved concurrency', () => {
    test('is put, got and taken away, and throttles with its own reason', async () => {
      expect(world.call('GetFunctionConcurrency', { FunctionName: 'f' })).toEqual({});
      const put = { FunctionName: 'f', ReservedConcurrentExecutions: 0 };
      expect(world.call('PutFunctionConcurrency', put)).toEqual({ ReservedConcurrentExecutions: 0 });
      expect(world.call('GetFunctionConcurrency', { FunctionName: 'f' })).toEqual({
        ReservedConcurrentExecutions: 0,
      });
      const refused = expect(world.invoke('f')).rejects.toMatchObject({
        code: 'TooManyRequestsException',
        httpStatus: 429,
        message: 'Rate Exceeded.',
        members: { Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded', Type: 'User' },
      });
      await refused;
      world.call('DeleteFunctionConcurrency', { FunctionName: 'f' });
      expect(world.call('GetFunctionConcurrency', { FunctionName: 'f' })).toEqual({});
      expect((await world.invoke('f')).value).toBe('hello');
    });

    test('leaves a hundred to the other functions', () => {
      const put = (ReservedConcurrentExecutions: number) =>
        world.call('PutFunctionConcurrency', { FunctionName: 'f', ReservedConcurrentExecutions });
      expect(put(900)).toEqual({ ReservedConcurrentExecutions: 900 });
      expect(errorOf(() => put(901))).toEqual({
        code: 'InvalidParameterValueException',
        status: 400,
        message:
          "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
      });
      expect(put(900)).toEqual({ ReservedConcurrentExecutions: 900 });
    });

    test('is of the whole function', () => {
      const call = () =>
        world.call('PutFunctionConcurrency', { FunctionName: `${ARN}:$LATEST`, ReservedConcurrentExecutions: 1 });
      expect(errorOf(call).message).toBe(FUNCTIONS_ONLY);
    });
  });

  test('RecursiveLoop is Terminate by default', () => {
    expect(world.call('GetFunctionRecursionConfig', { FunctionName: 'f' })).toEqual({ RecursiveLoop: 'Terminate' });
    world.call('PutFunctionRecursionConfig', { FunctionName: 'f', RecursiveLoop: 'Allow' });
    expect(world.call('GetFunctionRecursionConfig', { FunctionName: 'f' })).toEqual({ RecursiveLoop: 'Allow' });
    const input = { FunctionName: 'f', RecursiveLoop: 'Perhaps' as 'Allow' };
    expect(errorOf(() => world.call('PutFunctionRecursionConfig', input)).message).toBe(
      "1 validation error detected: Value 'Perhaps' at 'recursiveLoop' failed to satisfy constraint: Member must satisfy enum value set: [Allow, Terminate]",
    );
  });

  describe('tags', () => {
    test('are added, returned and removed', () => {
      world.call('TagResource', { Resource: ARN, Tags: { stage: 'test', team: 'billing' } });
      expect(world.call('ListTags', { Resource: ARN })).toEqual({ Tags: { stage: 'test', team: 'billing' } });
      world.call('UntagResource', { Resource: ARN, TagKeys: ['stage', 'other'] });
      expect(world.call('ListTags', { Resource: ARN })).toEqual({ Tags: { team: 'billing' } });
    });

    test.each([
      ['function:g', {}, 'Function not found: arn:aws:lambda:us-east-1:123456789012:function:g'],
      ['event-source-mapping:none', {}, 'The resource you requested does not exist.'],
      [
        'function:f:1',
        {},
        'Tagging operations are permitted on Lambda functions only. Tags on aliases and versions are not supported. Please specify either a function name or a function ARN.',
      ],
      [
        'function:f',
        Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`tag-${i}`, ''])),
        'Number of tags exceeds function tag limit.',
      ],
    ])('of %s may be refused', (resource, Tags, message) => {
      const Resource = `arn:aws:lambda:us-east-1:123456789012:${resource}`;
      expect(errorOf(() => world.call('TagResource', { Resource, Tags })).message).toBe(message);
      expect(world.call('ListTags', { Resource: ARN })).toEqual({ Tags: { team: 'rentals' } });
    });
  });

  describe('permissions', () => {
    const permission = {
      FunctionName: 'f',
      StatementId: 'sns',
      Action: 'lambda:InvokeFunction',
      Principal: 'sns.amazonaws.com',
      SourceArn: 'arn:aws:sns:us-east-1:123456789012:t',
    };
    const statement = {
      Sid: 'sns',
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'lambda:InvokeFunction',
      Resource: ARN,
      Condition: { ArnLike: { 'AWS:SourceArn': 'arn:aws:sns:us-east-1:123456789012:t' } },
    };

    test('join the policy and leave it', () => {
      expect(errorOf(() => world.call('GetPolicy', { FunctionName: 'f' }))).toEqual({
        code: 'ResourceNotFoundException',
        status: 404,
        message: 'The resource you requested does not exist.',
      });
      const { Statement = '' } = world.call('AddPermission', permission);
      expect(JSON.parse(Statement)).toEqual(statement);
      const { Policy = '', RevisionId } = world.call('GetPolicy', { FunctionName: 'f' });
      expect(JSON.parse(Policy)).toEqual({ Version: '2012-10-17', Id: 'default', Statement: [statement] });
      world.call('RemovePermission', { FunctionName: 'f', StatementId: 'sns', RevisionId });
      expect(errorOf(() => world.call('GetPolicy', { FunctionName: 'f' })).status).toBe(404);
    });

    /** Recorded: adobe/helix-deploy#24. "Function resource-based policy: 20 KB" (Lambda quotas). */
    test('make a policy of at most 20 KB', () => {
      const add = (i: number) => world.call('AddPermission', { ...permission, StatementId: `${'s'.repeat(90)}-${i}` });
      const fill = () => Array.from({ length: 100 }, (_, i) => add(i));
      expect(errorOf(fill)).toEqual({
        code: 'PolicyLengthExceededException',
        status: 400,
        message: expect.stringMatching(/^The final policy size \(20\d{3}\) is bigger than the limit \(20480\)\.$/),
      });
      const { Policy = '' } = world.call('GetPolicy', { FunctionName: 'f' });
      expect(Policy.length).toBeLessThanOrEqual(20_480);
    });

    test('are refused as on AWS', () => {
      world.call('AddPermission', permission);
      expect(errorOf(() => world.call('AddPermission', permission))).toEqual({
        code: 'ResourceConflictException',
        status: 409,
        message:
          'The statement id (sns) provided already exists. Please provide a new statement id, or remove the existing statement.',
      });
      const refusals: [object, string][] = [
        [{ Qualifier: '$LATEST' }, 'We currently do not support adding policies for $LATEST.'],
        [{ RevisionId: 'of-yesterday' }, STALE],
        [
          { StatementId: 'a b' },
          "1 validation error detected: Value 'a b' at 'statementId' failed to satisfy constraint: Member must satisfy regular expression pattern: ([a-zA-Z0-9-_]+)",
        ],
        [
          { PrincipalOrgID: 'o-1' },
          'The embedded AWS does not implement PrincipalOrgID of lambda:AddPermission. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
        ],
      ];
      for (const [more, message] of refusals) {
        expect(errorOf(() => world.call('AddPermission', { ...permission, ...more })).message).toBe(message);
      }
      const other = { FunctionName: 'f', StatementId: 'other' };
      expect(errorOf(() => world.call('RemovePermission', other)).message).toBe(
        'Statement other is not found in resource policy.',
      );
      world.call('RemovePermission', { FunctionName: 'f', StatementId: 'sns' });
      expect(errorOf(() => world.call('RemovePermission', other)).message).toBe(
        'No policy is associated with the given resource.',
      );
    });
  });
});

const PLACE = { account: '123456789012', region: 'cn-north-1', partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' };
const FUNCTION_ARN = 'arn:aws-cn:lambda:cn-north-1:123456789012:function:f';
const PERMISSION = { statementId: 'it', action: 'lambda:InvokeFunction' };

describe('the policy of a function in the partition aws-cn', () => {
  test('names an account by its ARN there', () => {
    const policy = functionPolicy(FUNCTION_ARN, [{ ...PERMISSION, principal: '999999999999' }]);
    expect(policy?.Statement).toMatchObject([{ Principal: { AWS: 'arn:aws-cn:iam::999999999999:root' } }]);
  });

  test('lets in a role of that partition, by its ARN', () => {
    const roleArn = 'arn:aws-cn:iam::123456789012:role/Caller';
    const decide = (principal: string) =>
      evaluateAccess({
        request: {
          caller: roleCaller(roleArn),
          action: PERMISSION.action,
          resource: FUNCTION_ARN,
          resourcePolicy: functionPolicy(FUNCTION_ARN, [{ ...PERMISSION, principal }]),
        },
        identity: { kind: 'policies', policies: [] },
        place: PLACE,
        clock: { nowMs: 0 },
      }).allowed;
    expect(decide(roleArn)).toBe(true);
    expect(decide('arn:aws:iam::123456789012:role/Caller')).toBe(false);
  });
});
