import {
  AddTagsToResourceCommand,
  DeleteParameterCommand,
  DeleteParametersCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParameterHistoryCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  LabelParameterVersionCommand,
  ListTagsForResourceCommand,
  PutParameterCommand,
  type PutParameterCommandInput,
  RemoveTagsFromResourceCommand,
  SendCommandCommand,
} from '@aws-sdk/client-ssm';
import { ssmResourceTypes } from '../../../local/ssm';
import { createResource } from '../create-resource';
import { arnOf, refusal, SmallAccount, START_MS } from '../small-account';

const ADMIN = 'arn:aws:iam::123456789012:root';

function account(...names: readonly string[]) {
  const aws = new SmallAccount();
  const { ssm } = aws.clients;
  const put = (input: Partial<PutParameterCommandInput>) =>
    ssm.send(new PutParameterCommand({ Name: '/app/host', Value: 'example.com', Type: 'String', ...input }));
  for (const Name of names) aws.ssm.call('PutParameter', aws.ssm.owner, { Name, Value: `of ${Name}`, Type: 'String' });
  const get = (Name: string, WithDecryption = false) => ssm.send(new GetParameterCommand({ Name, WithDecryption }));
  return { aws, ssm, put, get };
}

/** https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
describe('a parameter', () => {
  it('is there with all that is known of it, under its name and its ARN', async () => {
    const { put, get } = account();
    expect(await put({})).toMatchObject({ Version: 1, Tier: 'Standard' });
    const { Parameter } = await get('/app/host');
    const arn = arnOf('ssm', 'parameter/app/host');
    expect(Parameter).toEqual({
      Name: '/app/host',
      Type: 'String',
      Value: 'example.com',
      Version: 1,
      LastModifiedDate: new Date(START_MS),
      ARN: arn,
      DataType: 'text',
    });
    expect((await get(arn)).Parameter).toEqual(Parameter);
    await put({ Name: 'plain', Value: 'v' });
    expect((await get(arnOf('ssm', 'parameter/plain'))).Parameter).toMatchObject({ Name: 'plain', Value: 'v' });
  });

  it('keeps its versions, which may have labels', async () => {
    const { ssm, put, get } = account();
    await put({ Description: 'Where it is' });
    await put({ Value: 'second', Overwrite: true });
    await put({ Value: 'third', Overwrite: true, Type: undefined });
    const label = (ParameterVersion: number | undefined, ...Labels: string[]) =>
      ssm.send(
        new LabelParameterVersionCommand({
          Name: '/app/host',
          Labels,
          ...(ParameterVersion && { ParameterVersion }),
        }),
      );
    expect(await label(1, 'stable', 'aws-not')).toMatchObject({ InvalidLabels: ['aws-not'], ParameterVersion: 1 });
    expect((await get('/app/host:stable')).Parameter).toMatchObject({ Value: 'example.com', Selector: ':stable' });
    expect(await label(undefined, 'stable')).toMatchObject({ ParameterVersion: 3 });
    expect((await get('/app/host:stable')).Parameter).toMatchObject({ Value: 'third', Version: 3 });
    expect((await get('/app/host:2')).Parameter).toMatchObject({ Value: 'second', Selector: ':2' });
    const history = await ssm.send(new GetParameterHistoryCommand({ Name: '/app/host' }));
    expect(
      history.Parameters?.map(({ Version, Value, Labels, Description }) => [Version, Value, Labels, Description]),
    ).toEqual([
      [1, 'example.com', [], 'Where it is'],
      [2, 'second', [], 'Where it is'],
      [3, 'third', ['stable'], 'Where it is'],
    ]);
    expect(await refusal(get('/app/host:4'))).toEqual([
      'ParameterVersionNotFound',
      'Systems Manager could not find version 4 of /app/host. Verify the version and try again.',
      400,
    ]);
  });

  it('forgets the oldest of a hundred versions, unless that has a label', async () => {
    const { aws, get, put } = account('/app/host');
    for (let i = 2; i <= 101; i += 1) {
      aws.ssm.call('PutParameter', aws.ssm.owner, { Name: '/app/host', Value: `${i}`, Overwrite: true });
    }
    expect((await refusal(get('/app/host:1')))[0]).toBe('ParameterVersionNotFound');
    aws.ssm.call('LabelParameterVersion', aws.ssm.owner, { Name: '/app/host', ParameterVersion: 2, Labels: ['old'] });
    expect(await refusal(put({ Overwrite: true }))).toEqual([
      'ParameterMaxVersionLimitExceeded',
      expect.stringContaining("Version 2, the oldest version, can't be deleted because it has a label"),
      400,
    ]);
  });

  it.each<[Partial<PutParameterCommandInput>, string, string]>([
    [
      {},
      'ParameterAlreadyExists',
      'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
    ],
    [{ Overwrite: true, Type: 'StringList' }, 'HierarchyTypeMismatchException', 'it is String, got StringList'],
    [
      { Overwrite: true, Tags: [{ Key: 'a', Value: 'b' }] },
      'ValidationException',
      "tags and overwrite can't be used together",
    ],
    [{ Name: 'ssm-x' }, 'ValidationException', 'can\'t be prefixed with "ssm" (case-insensitive)'],
    [{ Name: '/aws/x' }, 'AccessDeniedException', 'No access to reserved parameter name: /aws/x.'],
    [{ Name: 'a/b' }, 'ValidationException', 'Parameter name must be a fully qualified name.'],
    [{ Name: '/a//b' }, 'ValidationException', 'each sub-path can be formed as a mix of letters'],
    [{ Name: '/a b' }, 'ValidationException', 'each sub-path can be formed as a mix of letters'],
    [{ Name: `/${'a/'.repeat(15)}b` }, 'HierarchyLevelLimitExceededException', 'at most 15 levels, got 16'],
    [
      { Name: '/new', Type: undefined },
      'ValidationException',
      'A parameter type is required when you create a parameter.',
    ],
    [
      { Name: '/new', Type: 'Text' as 'String' },
      'ValidationException',
      "Value 'Text' at 'type' failed to satisfy constraint",
    ],
    [
      { Name: '/new', Value: 'x'.repeat(4097) },
      'ValidationException',
      'Standard tier parameters support a maximum parameter value of 4096 characters.',
    ],
    [
      { Name: '/new', Value: 'x'.repeat(8193), Tier: 'Advanced' },
      'ValidationException',
      'Advanced tier parameters support a maximum parameter value of 8192',
    ],
    [{ Name: '/new', Value: '' }, 'ValidationException', 'Member must have length greater than or equal to 1'],
    [{ Name: '/new', Value: '{{ssm:x}}' }, 'ValidationException', "can't nest another parameter"],
    [{ Name: '/new', AllowedPattern: '\\d+' }, 'ParameterPatternMismatchException', 'allowedPattern: \\d+'],
    [{ Name: '/new', AllowedPattern: 'a(?=b).*' }, 'NotImplemented', 'the AllowedPattern a(?=b).*'],
    [{ Name: '/new', AllowedPattern: '(' }, 'InvalidAllowedPatternException', 'The allowed pattern ( is not valid.'],
    [
      { Name: '/new', KeyId: 'alias/x' },
      'ValidationException',
      'KeyId is required for SecureString type parameter only.',
    ],
    [{ Name: '/new', Policies: '[{}]' }, 'NotImplemented', 'parameter policies'],
    [{ Name: '/new', DataType: 'aws:ec2:image' }, 'NotImplemented', 'parameters of data type aws:ec2:image'],
  ])('refuses to be put as %j', async (input, name, text) => {
    const { put } = account('/app/host');
    const [gotName, gotText] = await refusal(put(input));
    expect(gotName).toBe(name);
    expect(gotText).toContain(text);
  });

  it('grows into the advanced tier where it may', async () => {
    const { put } = account();
    expect(await put({ Value: 'x'.repeat(5000), Tier: 'Intelligent-Tiering' })).toMatchObject({ Tier: 'Advanced' });
    expect(await put({ Value: 'short', Overwrite: true })).toMatchObject({ Tier: 'Advanced', Version: 2 });
  });

  it('is gone when it is deleted', async () => {
    const { ssm, get, aws } = account('/a', '/b', '/c');
    await ssm.send(new DeleteParameterCommand({ Name: '/a' }));
    expect((await refusal(get('/a')))[0]).toBe('ParameterNotFound');
    expect((await refusal(ssm.send(new DeleteParameterCommand({ Name: '/a' }))))[0]).toBe('ParameterNotFound');
    expect(await ssm.send(new DeleteParametersCommand({ Names: ['/b', '/gone'] }))).toMatchObject({
      DeletedParameters: ['/b'],
      InvalidParameters: ['/gone'],
    });
    expect(aws.happened('ssm.parameter-deleted')).toHaveLength(2);
    expect(aws.happened('ssm.refused')).toEqual([
      expect.objectContaining({
        action: 'GetParameter',
        resource: arnOf('ssm', 'parameter/a'),
        code: 'ParameterNotFound',
      }),
      expect.objectContaining({ action: 'DeleteParameter', code: 'ParameterNotFound' }),
    ]);
  });
});

describe('several parameters', () => {
  it('are got by name, and names that are none are told', async () => {
    const { ssm } = account('/a', 'b');
    const answer = await ssm.send(new GetParametersCommand({ Names: ['/a', 'b', '/gone', '/a:7', '/a'] }));
    expect(answer.Parameters?.map(({ Name }) => Name)).toEqual(['/a', 'b']);
    expect(answer.InvalidParameters).toEqual(['/gone', '/a:7']);
    const eleven = Array.from({ length: 11 }, (_, i) => `/n${i}`);
    expect((await refusal(ssm.send(new GetParametersCommand({ Names: eleven }))))[0]).toBe('ValidationException');
  });

  /** https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html */
  it('are got by path, one level deep or all, ten at a time', async () => {
    const { ssm, aws } = account(
      '/app/a',
      '/app/b',
      '/app/db/host',
      '/apple',
      ...Array.from({ length: 11 }, (_, i) => `/many/${i + 10}`),
    );
    const names = async (Path: string, Recursive = false) => {
      const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path, Recursive }));
      return Parameters.map(({ Name }) => Name);
    };
    expect(await names('/app')).toEqual(['/app/a', '/app/b']);
    expect(await names('/app/', true)).toEqual(['/app/a', '/app/b', '/app/db/host']);
    expect(await names('/')).toEqual(['/apple']);
    const first = await ssm.send(new GetParametersByPathCommand({ Path: '/many' }));
    expect(first.Parameters).toHaveLength(10);
    const second = await ssm.send(new GetParametersByPathCommand({ Path: '/many', NextToken: first.NextToken }));
    expect([second.Parameters?.map(({ Name }) => Name), second.NextToken]).toEqual([['/many/20'], undefined]);
    expect((await refusal(ssm.send(new GetParametersByPathCommand({ Path: 'app' }))))[1]).toContain(
      'The parameter name must begin with a forward slash "/"',
    );
    const eleven = new GetParametersByPathCommand({ Path: '/many', MaxResults: 11 });
    expect(await refusal(ssm.send(eleven))).toEqual([
      'ValidationException',
      "1 validation error detected: Value '11' at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 10",
      400,
    ]);
    aws.ssm.call('LabelParameterVersion', aws.ssm.owner, { Name: '/app/a', Labels: ['live'] });
    const labelled = new GetParametersByPathCommand({
      Path: '/app',
      ParameterFilters: [{ Key: 'Label', Values: ['live'] }],
    });
    expect((await ssm.send(labelled)).Parameters?.map(({ Name }) => Name)).toEqual(['/app/a']);
  });

  it.each<[string, string | undefined, string[], string[]]>([
    ['Name', undefined, ['/app/a'], ['/app/a']],
    ['Name', 'BeginsWith', ['/app'], ['/app/a', '/app/db/host', '/apple']],
    ['Name', 'Contains', ['db'], ['/app/db/host']],
    ['Path', undefined, ['/app'], ['/app/a']],
    ['Path', 'Recursive', ['/app/'], ['/app/a', '/app/db/host']],
    ['Type', undefined, ['StringList'], []],
    ['tag:stage', undefined, ['prod', 'test'], ['/apple']],
    ['tag:stage', undefined, [], ['/apple']],
  ])('are described where %s %s %j', async (Key, Option, Values, expected) => {
    const { ssm, aws } = account('/app/a', '/app/db/host', '/apple');
    aws.ssm.call('AddTagsToResource', aws.ssm.owner, {
      ResourceType: 'Parameter',
      ResourceId: '/apple',
      Tags: [{ Key: 'stage', Value: 'prod' }],
    });
    const filter = { Key, Values, ...(Option !== undefined && { Option }) };
    const { Parameters = [] } = await ssm.send(new DescribeParametersCommand({ ParameterFilters: [filter] }));
    expect(Parameters.map(({ Name }) => Name)).toEqual(expected);
  });

  it('are described with everything but their values', async () => {
    const { ssm, put } = account();
    await put({ Description: 'Where it is', AllowedPattern: '.*' });
    const { Parameters } = await ssm.send(new DescribeParametersCommand({}));
    expect(Parameters).toEqual([
      {
        Name: '/app/host',
        ARN: arnOf('ssm', 'parameter/app/host'),
        Type: 'String',
        LastModifiedDate: new Date(START_MS),
        LastModifiedUser: ADMIN,
        Description: 'Where it is',
        AllowedPattern: '.*',
        Version: 1,
        Tier: 'Standard',
        Policies: [],
        DataType: 'text',
      },
    ]);
    const unknown = new DescribeParametersCommand({ ParameterFilters: [{ Key: 'Colour', Values: ['red'] }] });
    expect((await refusal(ssm.send(unknown)))[0]).toBe('InvalidFilterKey');
    const odd = new DescribeParametersCommand({
      ParameterFilters: [{ Key: 'Name', Option: 'Sounds', Values: ['a'] }],
    });
    expect((await refusal(ssm.send(odd)))[0]).toBe('InvalidFilterOption');
  });
});

describe('access', () => {
  const SECRET = { Name: '/db/password', Value: 'hunter2', Type: 'SecureString' } as const;
  const ARN = arnOf('ssm', 'parameter/db/password');
  const READS = { Effect: 'Allow', Action: 'ssm:GetParameter*', Resource: ARN };

  /** https://docs.aws.amazon.com/kms/latest/developerguide/services-parameter-store.html */
  describe('a SecureString', () => {
    it('is shown as it is only to whoever asks for that', async () => {
      const { ssm } = new SmallAccount().clients;
      await ssm.send(new PutParameterCommand(SECRET));
      const value = async (WithDecryption: boolean) =>
        (await ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption }))).Parameter?.Value;
      expect(await value(true)).toBe('hunter2');
      expect(await value(false)).toMatch(/^AQICAH[A-Za-z0-9+/=]{100,}$/);
      const history = await ssm.send(new GetParameterHistoryCommand({ Name: SECRET.Name, WithDecryption: true }));
      expect(history.Parameters).toEqual([expect.objectContaining({ KeyId: 'alias/aws/ssm', Value: 'hunter2' })]);
    });

    it('is missing to whoever may read it, and closed to others', async () => {
      const aws = new SmallAccount();
      const get = ({ clients }: Pick<SmallAccount, 'clients'>, Name: string = SECRET.Name) =>
        refusal(clients.ssm.send(new GetParameterCommand({ Name })));
      const reader = aws.role('Reader', READS);
      expect((await get(reader))[0]).toBe('ParameterNotFound');
      expect((await get(reader, '/other'))[0]).toBe('AccessDeniedException');
    });

    it("takes permission on its key as well, which AWS's own key gives to the account", async () => {
      const aws = new SmallAccount();
      await aws.clients.ssm.send(new PutParameterCommand(SECRET));
      const reader = aws.role('Reader', READS);
      const get = reader.clients.ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption: true }));
      expect((await get).Parameter?.Value).toBe('hunter2');
    });

    it("cannot be read under a customer's key that does not let the reader", async () => {
      const aws = new SmallAccount();
      const KeyId = aws.key();
      await aws.clients.ssm.send(new PutParameterCommand({ ...SECRET, KeyId }));
      const reader = aws.role('Reader', READS);
      const get = () => reader.clients.ssm.send(new GetParameterCommand({ Name: SECRET.Name, WithDecryption: true }));
      expect(await refusal(get())).toEqual([
        'AccessDeniedException',
        expect.stringContaining('you are not allowed to access.'),
        400,
      ]);
      expect(aws.happened('kms.refused')).toEqual([
        expect.objectContaining({ action: 'kms:Decrypt', resource: KeyId, viaService: 'ssm.us-east-1.amazonaws.com' }),
      ]);
      aws.iam.putRolePolicy('Reader', 'Decrypts', {
        Version: '2012-10-17',
        Statement: {
          Effect: 'Allow',
          Action: 'kms:Decrypt',
          Resource: KeyId,
          Condition: { StringEquals: { 'kms:EncryptionContext:PARAMETER_ARN': ARN } },
        },
      });
      expect((await get()).Parameter?.Value).toBe('hunter2');
      aws.kms.disableKey(KeyId);
      expect(await refusal(get())).toEqual(['InvalidKeyId', 'the key is disabled', 400]);
    });
  });

  describe('a caller with a role', () => {
    it('gets what its policies allow, and all of several or nothing', async () => {
      const aws = new SmallAccount();
      for (const Name of ['/db/password', '/db/host']) {
        aws.ssm.call('PutParameter', aws.ssm.owner, { Name, Value: 'v', Type: 'String' });
      }
      const { clients } = aws.role('Reader', READS);
      const get = (...Names: string[]) => clients.ssm.send(new GetParametersCommand({ Names }));
      expect((await get('/db/password')).Parameters).toHaveLength(1);
      const host = arnOf('ssm', 'parameter/db/host');
      expect(await refusal(get('/db/password', '/db/host'))).toEqual([
        'AccessDeniedException',
        `User: arn:aws:iam::123456789012:role/Reader is not authorized to perform: ssm:GetParameters on resource: ${host}`,
        400,
      ]);
      expect((await refusal(clients.ssm.send(new PutParameterCommand(SECRET))))[0]).toBe('AccessDeniedException');
    });

    it('meets the faults a scenario has set', async () => {
      const aws = new SmallAccount();
      aws.faults.set({ service: 'ssm', action: 'GetParameter', httpStatus: 500, code: 'InternalServerError' });
      const get = aws.clients.ssm.send(new GetParameterCommand({ Name: '/any' }));
      expect((await refusal(get))[0]).toBe('InternalServerError');
    });
  });

  describe('that refers to a secret', () => {
    const REFERENCE = '/aws/reference/secretsmanager/app/db';
    const missing = (name: string) =>
      `An error occurred (ParameterNotFound) when referencing Secrets Manager: Secret ${name} not found.`;

    async function withSecret() {
      const it = account('/plain');
      const { secrets } = it.aws;
      const { ARN } = secrets.call('CreateSecret', secrets.owner, { Name: 'app/db', SecretString: "it's" });
      await it.aws.timeline.advanceTo(START_MS + 13 * 3_600_000);
      const { VersionId = '' } = secrets.call('PutSecretValue', secrets.owner, {
        SecretId: 'app/db',
        SecretString: 'new',
      });
      return { ...it, ARN, VersionId };
    }

    it('has the value of the secret, or of one of its versions', async () => {
      const { get, ARN, VersionId } = await withSecret();
      const { Parameter } = await get(REFERENCE, true);
      expect(Parameter).toEqual({
        Name: REFERENCE,
        Type: 'SecureString',
        Value: 'new',
        Version: 0,
        ARN,
        LastModifiedDate: new Date(START_MS + 13 * 3_600_000),
        SourceResult:
          `{"ARN":"${ARN}","name":"app/db","versionId":"${VersionId}","secretString":"new",` +
          '"versionStages":["AWSCURRENT"],"createdDate":"Jan 1, 2026, 1:00:00 PM"}',
      });
      expect((await get(`${REFERENCE}:${VersionId}`, true)).Parameter?.Value).toBe('new');
      const previous = (await get(`${REFERENCE}:AWSPREVIOUS`, true)).Parameter;
      expect(previous).toMatchObject({ Name: REFERENCE, Selector: ':AWSPREVIOUS', Value: "it's" });
      expect(previous?.SourceResult).toContain(String.raw`it\u0027s`);
    });

    it('is refused as on AWS', async () => {
      const { aws, get } = await withSecret();
      const decrypt = 'WithDecryption flag must be True for retrieving a Secret Manager secret.';
      const syntax =
        'Invalid parameter name. Please use correct syntax for referencing a version/label  <name>:<version/label>';
      const name = REFERENCE.slice(1);
      for (const [asked, isDecrypted, code, text] of [
        [REFERENCE, false, 'ValidationException', decrypt],
        [`${REFERENCE}:`, false, 'ValidationException', syntax],
        [`${REFERENCE}:a:b`, true, 'ValidationException', syntax],
        [`${REFERENCE}x`, true, 'ParameterNotFound', missing(`${name}xnull`)],
        [`${REFERENCE}:NONE`, true, 'ParameterNotFound', missing(`${name}:NONE`)],
      ] as const) {
        expect(await refusal(get(asked, isDecrypted))).toEqual([code, text, 400]);
      }
      aws.secrets.call('DeleteSecret', aws.secrets.owner, { SecretId: 'app/db', RecoveryWindowInDays: 7 });
      const invalid = ['ValidationException', 'Invalid Request to Secrets Manager', 400];
      expect(await refusal(get(REFERENCE, true))).toEqual(invalid);
    });

    it('needs the permission on the secret, whether the secret exists or not', async () => {
      const { aws, ARN = '' } = await withSecret();
      const reads = { Effect: 'Allow', Action: ['ssm:GetParameter', 'ssm:GetParameters'], Resource: '*' };
      const secret = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: ARN };
      const denied = ['ValidationException', 'An error occurred while calling one AWS dependency service.', 400];
      const without = aws.role('Without', reads).clients.ssm;
      for (const Name of [REFERENCE, `${REFERENCE}x`]) {
        expect(await refusal(without.send(new GetParameterCommand({ Name, WithDecryption: true })))).toEqual(denied);
      }
      const names = { Names: ['/plain', REFERENCE, `${REFERENCE}:NONE`], WithDecryption: true };
      expect(await refusal(without.send(new GetParametersCommand(names)))).toEqual(denied);
      const allowed = await aws.role('With', reads, secret).clients.ssm.send(new GetParametersCommand(names));
      expect(allowed.Parameters?.map(({ Value }) => Value)).toEqual(['of /plain', 'new']);
      expect(allowed.InvalidParameters).toEqual([`${REFERENCE}:NONE`]);
      const [code] = await refusal(
        aws.role('Only', secret).clients.ssm.send(new GetParameterCommand({ Name: REFERENCE })),
      );
      expect(code).toBe('AccessDeniedException');
    });
  });

  it('tags are put on parameters, and taken away', async () => {
    const { ssm } = new SmallAccount().clients;
    await ssm.send(new PutParameterCommand({ ...SECRET, Tags: [{ Key: 'a', Value: '1' }] }));
    const about = { ResourceType: 'Parameter', ResourceId: SECRET.Name } as const;
    await ssm.send(new AddTagsToResourceCommand({ ...about, Tags: [{ Key: 'b', Value: '2' }] }));
    await ssm.send(new RemoveTagsFromResourceCommand({ ...about, TagKeys: ['a'] }));
    const { TagList } = await ssm.send(new ListTagsForResourceCommand(about));
    expect(TagList).toEqual([{ Key: 'b', Value: '2' }]);
    const gone = new ListTagsForResourceCommand({ ...about, ResourceId: '/gone' });
    expect((await refusal(ssm.send(gone)))[0]).toBe('InvalidResourceId');
    const document = new ListTagsForResourceCommand({ ResourceType: 'Document', ResourceId: 'd' });
    expect((await refusal(ssm.send(document)))[0]).toBe('InvalidResourceType');
  });

  it('answers 501 to whatever else Systems Manager does', async () => {
    const { ssm } = new SmallAccount().clients;
    const run = ssm.send(new SendCommandCommand({ DocumentName: 'AWS-RunShellScript' }));
    expect(await refusal(run)).toEqual(['NotImplemented', expect.stringContaining('ssm:SendCommand'), 501]);
  });

  /** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ssm-parameter.html */
  describe('AWS::SSM::Parameter', () => {
    it('is put with everything the template says', () => {
      const aws = new SmallAccount();
      const { created, problems } = createResource(ssmResourceTypes(aws.ssm), 'AWS::SSM::Parameter', {
        Name: '/app/hosts',
        Type: 'StringList',
        Value: 'a,b',
        Description: 'd',
        AllowedPattern: '.*',
        Tier: 'Advanced',
        Tags: { stage: 'prod' },
      });
      expect({ created, problems }).toEqual({
        created: { ref: '/app/hosts', attributes: { Type: 'StringList', Value: 'a,b' } },
        problems: [],
      });
      const { Parameters } = aws.ssm.call('DescribeParameters', aws.ssm.owner, {
        ParameterFilters: [{ Key: 'tag:stage', Values: ['prod'] }],
      });
      expect(Parameters).toEqual([expect.objectContaining({ Name: '/app/hosts', Description: 'd', Tier: 'Advanced' })]);
    });

    it('is named by CloudFormation when it has no name, and never a SecureString', () => {
      const types = ssmResourceTypes(new SmallAccount().ssm);
      const { created, problems } = createResource(types, 'AWS::SSM::Parameter', { Type: 'SecureString', Value: 'x' });
      expect(created.ref).toBe('Rental-Thing-1A2B3C');
      expect(problems).toEqual(['Type must be String or StringList']);
    });
  });
});
