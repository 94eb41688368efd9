import { errorOf, LambdaFixture } from './lambda-fixture';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
const CODE = `exports.handler = async (event, context) => ({
  greeting: process.env.GREETING, version: context.functionVersion, arn: context.invokedFunctionArn, log: context.logStreamName,
});`;

describe('versions and aliases', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', { code: CODE, variables: { GREETING: 'one' } });
  });
  afterEach(() => world.close());

  const publish = (input: object = {}) => world.call('PublishVersion', { FunctionName: 'f', ...input });
  const say = (GREETING: string) =>
    world.call('UpdateFunctionConfiguration', { FunctionName: 'f', Environment: { Variables: { GREETING } } });
  /** Versions 1 and 2, which differ, and a `$LATEST` that is neither. */
  function publishTwo(): void {
    publish();
    say('two');
    publish();
    say('three');
  }

  describe('a version', () => {
    test('is what $LATEST was, for good', async () => {
      publishTwo();
      const expected = { greeting: 'one', version: '1', arn: `${ARN}:1`, log: expect.stringContaining('/[1]') };
      expect((await world.invoke('f:1')).value).toEqual(expected);
      const { value, response } = await world.invoke('f', {}, { Qualifier: '2' });
      expect(value).toMatchObject({ greeting: 'two', version: '2', arn: `${ARN}:2` });
      expect(response.ExecutedVersion).toBe('2');
      expect((await world.invoke('f')).value).toMatchObject({ greeting: 'three', version: '$LATEST', arn: ARN });
      expect(world.messages).toContainEqual(expect.stringMatching(/^START RequestId: \S+ Version: 1$/));
      expect(world.happened('lambda.invoked')).toMatchObject([
        { functionArn: ARN, qualifier: '1', version: '1' },
        { functionArn: ARN, qualifier: '2', version: '2' },
        { functionArn: ARN },
      ]);
    });

    test('has a number, a description and an ARN of its own', () => {
      const first = publish({ Description: 'the first' });
      expect(first).toMatchObject({ Version: '1', FunctionArn: `${ARN}:1`, Description: 'the first' });
      say('two');
      expect(publish()).toMatchObject({ Version: '2', Description: '' });
      const { Versions = [] } = world.call('ListVersionsByFunction', { FunctionName: 'f' });
      expect(Versions.map(({ Version, FunctionArn }) => [Version, FunctionArn])).toEqual([
        ['$LATEST', `${ARN}:$LATEST`],
        ['1', `${ARN}:1`],
        ['2', `${ARN}:2`],
      ]);
      const all = world.call('ListFunctions', { FunctionVersion: 'ALL' }).Functions ?? [];
      expect(all.map(({ Version }) => Version)).toEqual(['$LATEST', '1', '2']);
      expect(world.call('GetFunctionConfiguration', { FunctionName: 'f', Qualifier: '1' })).toMatchObject({
        Version: '1',
        Environment: { Variables: { GREETING: 'one' } },
      });
    });

    test('is not published again while nothing has changed', () => {
      expect(publish().Version).toBe('1');
      expect(publish({ Description: 'again' })).toMatchObject({ Version: '1', Description: '' });
      say('two');
      expect(publish().Version).toBe('2');
    });

    test('is published only from the code and the revision one has seen', () => {
      const { CodeSha256, RevisionId } = world.call('GetFunctionConfiguration', { FunctionName: 'f' });
      expect(errorOf(() => publish({ CodeSha256: 'other' }))).toEqual({
        code: 'InvalidParameterValueException',
        status: 400,
        message: `CodeSHA256 (other) is different from current CodeSHA256 in $LATEST (${CodeSha256}). Please try again with the CodeSHA256 in $LATEST.`,
      });
      expect(errorOf(() => publish({ RevisionId: 'other' }))).toMatchObject({
        code: 'PreconditionFailedException',
        status: 412,
      });
      expect(publish({ CodeSha256, RevisionId }).Version).toBe('1');
    });
  });

  describe('an alias', () => {
    const create = (input: object = {}) =>
      world.call('CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1', ...input });

    test('stands for a version, and for another one later', async () => {
      publishTwo();
      expect(create({ Description: 'what customers use' })).toEqual({
        AliasArn: `${ARN}:live`,
        Name: 'live',
        FunctionVersion: '1',
        Description: 'what customers use',
        RevisionId: expect.any(String),
      });
      const first = await world.invoke(`${ARN}:live`);
      expect(first.value).toMatchObject({ greeting: 'one', version: '1', arn: `${ARN}:live` });
      expect(first.response.ExecutedVersion).toBe('1');
      const updated = world.call('UpdateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '2' });
      expect(updated).toMatchObject({ FunctionVersion: '2', Description: 'what customers use' });
      expect(world.call('GetAlias', { FunctionName: 'f', Name: 'live' })).toEqual(updated);
      expect((await world.invoke('f:live')).value).toMatchObject({ greeting: 'two', arn: `${ARN}:live` });
      expect(world.call('GetFunctionConfiguration', { FunctionName: 'f:live' })).toMatchObject({
        FunctionArn: `${ARN}:live`,
        Version: '2',
      });
      world.call('DeleteAlias', { FunctionName: 'f', Name: 'live' });
      await expect(async () => world.invoke('f:live')).rejects.toMatchObject({
        message: `Function not found: ${ARN}:live`,
      });
    });

    test('shares its invocations between two versions, by their weights', async () => {
      publishTwo();
      const RoutingConfig = { AdditionalVersionWeights: { 2: 0.25 } };
      expect(create({ RoutingConfig })).toMatchObject({ FunctionVersion: '1', RoutingConfig });
      const versions: (string | undefined)[] = [];
      for (let i = 0; i < 100; i += 1) versions.push((await world.invoke('f:live')).response.ExecutedVersion);
      const second = versions.filter(version => version === '2').length;
      expect(versions.filter(version => version === '1')).toHaveLength(100 - second);
      expect(second).toBeGreaterThan(15);
      expect(second).toBeLessThan(35);
      const measured = world.measuredUnder('Invocations', 'FunctionName', 'Resource', 'ExecutedVersion');
      expect(measured).toHaveLength(100);
      const routed = world.call('UpdateAlias', { FunctionName: 'f', Name: 'live', RoutingConfig: {} });
      expect(routed).not.toHaveProperty('RoutingConfig');
    });

    test('are listed, all or of one version, in pages', () => {
      publishTwo();
      for (const [Name, FunctionVersion] of [
        ['a', '1'],
        ['b', '2'],
        ['c', '1'],
      ] as const)
        create({ Name, FunctionVersion });
      const names = (input: object) => {
        const { Aliases = [], NextMarker } = world.call('ListAliases', { FunctionName: 'f', ...input });
        return [Aliases.map(({ Name }) => Name), NextMarker];
      };
      expect(names({})).toEqual([['a', 'b', 'c'], undefined]);
      expect(names({ FunctionVersion: '1' })).toEqual([['a', 'c'], undefined]);
      expect(names({ MaxItems: 2 })).toEqual([['a', 'b'], '2']);
      expect(names({ Marker: '2' })).toEqual([['c'], undefined]);
    });

    test.each([
      [{ FunctionVersion: '9' }, 'ResourceNotFoundException', `Function not found: ${ARN}:9`],
      [{ Name: 'known' }, 'ResourceConflictException', `Alias already exists: ${ARN}:known`],
      [
        { Name: '1' },
        'ValidationException',
        "1 validation error detected: Value '1' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)",
      ],
      [
        { RoutingConfig: { AdditionalVersionWeights: { 1: 0.5 } } },
        'InvalidParameterValueException',
        'Invalid function version 1. Function version 1 is already included in routing configuration.',
      ],
      [
        { RoutingConfig: { AdditionalVersionWeights: { 2: 0.1, 3: 0.1 } } },
        'InvalidParameterValueException',
        'Number of items in AdditionalVersionWeights cannot be greater than 1',
      ],
      [
        { FunctionVersion: '$LATEST', RoutingConfig: { AdditionalVersionWeights: { 2: 0.1 } } },
        'InvalidParameterValueException',
        '$LATEST is not supported for an alias pointing to more than 1 version',
      ],
      [
        { RoutingConfig: { AdditionalVersionWeights: { 2: 1.5 } } },
        'ValidationException',
        "1 validation error detected: Value '{2=1.5}' at 'routingConfig.additionalVersionWeights' failed to satisfy constraint: Map value must satisfy constraint: [Member must have value less than or equal to 1.0, Member must have value greater than or equal to 0.0, Member must not be null]",
      ],
    ])('is refused: %j', (input, code, message) => {
      publishTwo();
      create({ Name: 'known' });
      expect(errorOf(() => create(input))).toMatchObject({ code, message });
    });

    test('that does not exist is reported, and deleted without an error', () => {
      const input = { FunctionName: 'f', Name: 'live' };
      for (const action of ['GetAlias', 'UpdateAlias'] as const) {
        expect(errorOf(() => world.call(action, input))).toEqual({
          code: 'ResourceNotFoundException',
          status: 404,
          message: `Cannot find alias arn: ${ARN}:live`,
        });
      }
      expect(world.call('DeleteAlias', input)).toEqual({});
    });

    test('is changed only by who has seen its revision', () => {
      publish();
      const { RevisionId } = create();
      const update = (revision: string | undefined) =>
        world.call('UpdateAlias', { FunctionName: 'f', Name: 'live', Description: 'x', RevisionId: revision });
      expect(update(RevisionId).RevisionId).not.toBe(RevisionId);
      expect(errorOf(() => update(RevisionId)).code).toBe('PreconditionFailedException');
    });

    test('has a policy, and limits for its events, of its own', async () => {
      publish();
      create();
      world.call('AddPermission', {
        FunctionName: 'f',
        Qualifier: 'live',
        StatementId: 'sns',
        Action: 'lambda:InvokeFunction',
        Principal: 'sns.amazonaws.com',
      });
      const { Policy = '' } = world.call('GetPolicy', { FunctionName: 'f:live' });
      expect(JSON.parse(Policy)).toMatchObject({ Statement: [{ Resource: `${ARN}:live` }] });
      expect(errorOf(() => world.call('GetPolicy', { FunctionName: 'f' })).status).toBe(404);
      const asked: unknown[] = [];
      world.decideAccess = ({ action, resource, resourcePolicy }) => {
        if (action === 'lambda:InvokeFunction') asked.push([resource, resourcePolicy !== undefined]);
        return { allowed: true, reason: 'the test allows it' };
      };
      for (const name of ['f:live', 'f', 'f:$LATEST', 'f:1']) await world.invoke(name);
      expect(asked).toEqual([
        [`${ARN}:live`, true],
        [ARN, false],
        [ARN, false],
        [`${ARN}:1`, false],
      ]);
    });

    test('that is deleted while its events wait sends them to the dead-letter queue of the function', async () => {
      const { url, arn } = world.createQueue('dead');
      const code = 'exports.handler = async () => { throw new Error("no"); };';
      world.deploy('g', { code, deadLetterTargetArn: arn });
      world.call('PublishVersion', { FunctionName: 'g' });
      world.call('CreateAlias', { FunctionName: 'g', Name: 'live', FunctionVersion: '1' });
      world.queue('g:live', { n: 1 });
      await world.goTo(30);
      world.call('DeleteAlias', { FunctionName: 'g', Name: 'live' });
      await world.timeline.runUntilIdle();
      expect(world.receive(url)).toMatchObject([
        {
          Body: '{"n":1}',
          MessageAttributes: {
            ErrorCode: { StringValue: '404' },
            ErrorMessage: { StringValue: 'Function not found: arn:aws:lambda:us-east-1:123456789012:function:g:live' },
          },
        },
      ]);
    });
  });
});
