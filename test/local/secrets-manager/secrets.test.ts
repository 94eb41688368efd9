import {
  CreateSecretCommand,
  type CreateSecretCommandInput,
  DeleteResourcePolicyCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetRandomPasswordCommand,
  GetResourcePolicyCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  ListSecretsCommand,
  ListSecretVersionIdsCommand,
  PutResourcePolicyCommand,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  RestoreSecretCommand,
  RotateSecretCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateSecretCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import fc from 'fast-check';
import { Random } from '../../../local/kernel/random';
import { secretsManagerResourceTypes } from '../../../local/secrets-manager';
import { randomPassword } from '../../../local/secrets-manager/random-password';
import { DAY_MS } from '../../../policy/time-units';
import { createResource } from '../create-resource';
import { policy } from '../iam/iam-fixture';
import { refusal, SmallAccount, START_MS } from '../small-account';

describe('secrets', () => {
  const V1 = '11111111-1111-4111-8111-111111111111';
  const V2 = '22222222-2222-4222-8222-222222222222';
  const V3 = '33333333-3333-4333-8333-333333333333';
  const NOT_FOUND = "Secrets Manager can't find the specified secret.";

  function account() {
    const aws = new SmallAccount();
    const { secrets } = aws.clients;
    const create = (input: Partial<CreateSecretCommandInput> = {}) =>
      secrets.send(new CreateSecretCommand({ Name: 'db', SecretString: 'one', ClientRequestToken: V1, ...input }));
    const put = (input: Partial<PutSecretValueCommandInput>) =>
      secrets.send(new PutSecretValueCommand({ SecretId: 'db', ...input }));
    const get = (input: Partial<GetSecretValueCommandInput> = {}) =>
      secrets.send(new GetSecretValueCommand({ SecretId: 'db', ...input }));
    const stages = async () => (await secrets.send(new DescribeSecretCommand({ SecretId: 'db' }))).VersionIdsToStages;
    return { aws, secrets, create, put, get, stages };
  }

  /** https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html */
  describe('a secret', () => {
    it('is read by its name, its ARN, and its ARN without the last six characters', async () => {
      const { create, get } = account();
      const { ARN = '', VersionId } = await create();
      expect(ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:123456789012:secret:db-[A-Za-z0-9]{6}$/);
      const expected = {
        ARN,
        Name: 'db',
        VersionId,
        SecretString: 'one',
        VersionStages: ['AWSCURRENT'],
        CreatedDate: new Date(START_MS),
      };
      for (const SecretId of ['db', ARN, ARN.slice(0, -7)]) expect(await get({ SecretId })).toMatchObject(expected);
      expect(await refusal(get({ SecretId: `${ARN.slice(0, -6)}AAAAAA` }))).toEqual([
        'ResourceNotFoundException',
        NOT_FOUND,
        400,
      ]);
    });

    it('may be bytes', async () => {
      const { create, get } = account();
      await create({ SecretString: undefined, SecretBinary: new Uint8Array([0, 255]) });
      expect([...((await get()).SecretBinary ?? [])]).toEqual([0, 255]);
    });

    it('has a current and a previous value as it is put again', async () => {
      const { create, put, get, stages } = account();
      await create();
      expect(await put({ SecretString: 'two', ClientRequestToken: V2 })).toMatchObject({
        VersionStages: ['AWSCURRENT'],
      });
      expect(await stages()).toEqual({ [V1]: ['AWSPREVIOUS'], [V2]: ['AWSCURRENT'] });
      await put({ SecretString: 'three', ClientRequestToken: V3 });
      expect(await stages()).toEqual({ [V2]: ['AWSPREVIOUS'], [V3]: ['AWSCURRENT'] });
      expect((await get({ VersionStage: 'AWSPREVIOUS' })).SecretString).toBe('two');
      expect((await get({ VersionId: V1 })).SecretString).toBe('one');
      expect(await refusal(get({ VersionStage: 'AWSPENDING' }))).toEqual([
        'ResourceNotFoundException',
        "Secrets Manager can't find the specified secret value for staging label: AWSPENDING",
        400,
      ]);
      expect((await refusal(get({ VersionId: V1, VersionStage: 'AWSCURRENT' })))[0]).toBe('InvalidRequestException');
    });

    it('takes the same version twice, and no other under its id', async () => {
      const { create, put, stages } = account();
      await create();
      await put({ SecretString: 'one', ClientRequestToken: V1 });
      expect(await stages()).toEqual({ [V1]: ['AWSCURRENT'] });
      const [name, text] = await refusal(put({ SecretString: 'other', ClientRequestToken: V1 }));
      expect(name).toBe('ResourceExistsException');
      expect(text).toContain(`You can't use ClientRequestToken ${V1} because that value is already in use`);
    });

    /** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecretVersionStage.html */
    it('has its labels moved by hand, as a rotation does', async () => {
      const { secrets, create, put, stages } = account();
      await create();
      await put({ SecretString: 'two', ClientRequestToken: V2, VersionStages: ['AWSPENDING'] });
      expect(await stages()).toEqual({ [V1]: ['AWSCURRENT'], [V2]: ['AWSPENDING'] });
      const move = (VersionStage: string, from: string | undefined, to: string | undefined) =>
        secrets.send(
          new UpdateSecretVersionStageCommand({
            SecretId: 'db',
            VersionStage,
            ...(from && { RemoveFromVersionId: from }),
            ...(to && { MoveToVersionId: to }),
          }),
        );
      expect((await refusal(move('AWSCURRENT', undefined, V2)))[1]).toBe(
        `The parameter RemoveFromVersionId can't be empty. Staging label AWSCURRENT is currently attached to version ${V1}, so you must explicitly reference that version in RemoveFromVersionId.`,
      );
      await move('AWSCURRENT', V1, V2);
      await move('AWSPENDING', V2, undefined);
      expect(await stages()).toEqual({ [V1]: ['AWSPREVIOUS'], [V2]: ['AWSCURRENT'] });
      expect((await refusal(move('mine', V1, V2)))[0]).toBe('InvalidParameterException');
      expect((await refusal(move('mine', undefined, V3)))[0]).toBe('ResourceNotFoundException');
    });

    it('is updated, and told of without its value', async () => {
      const { aws, secrets, create, get } = account();
      await create({ Tags: [{ Key: 'a', Value: '1' }] });
      await aws.timeline.advanceTo(START_MS + DAY_MS + 5_000);
      await secrets.send(new UpdateSecretCommand({ SecretId: 'db', Description: 'The database', SecretString: 'two' }));
      await secrets.send(new TagResourceCommand({ SecretId: 'db', Tags: [{ Key: 'b', Value: '2' }] }));
      await secrets.send(new UntagResourceCommand({ SecretId: 'db', TagKeys: ['a'] }));
      expect((await get()).SecretString).toBe('two');
      expect(await secrets.send(new DescribeSecretCommand({ SecretId: 'db' }))).toMatchObject({
        Name: 'db',
        Description: 'The database',
        CreatedDate: new Date(START_MS),
        LastChangedDate: new Date(START_MS + DAY_MS + 5_000),
        LastAccessedDate: new Date(START_MS + DAY_MS),
        Tags: [{ Key: 'b', Value: '2' }],
      });
    });

    it('lists its versions, those without labels when asked', async () => {
      const { secrets, create, put } = account();
      await create();
      await put({ SecretString: 'two', ClientRequestToken: V2 });
      await put({ SecretString: 'three', ClientRequestToken: V3 });
      const ids = async (IncludeDeprecated: boolean) => {
        const { Versions = [] } = await secrets.send(
          new ListSecretVersionIdsCommand({ SecretId: 'db', IncludeDeprecated }),
        );
        return Versions.map(({ VersionId }) => VersionId);
      };
      expect([await ids(false), await ids(true)]).toEqual([
        [V2, V3],
        [V1, V2, V3],
      ]);
    });

    it.each<[Partial<CreateSecretCommandInput>, string, string]>([
      [{}, 'ResourceExistsException', 'The operation failed because the secret db already exists.'],
      [{ Name: 'a b' }, 'ValidationException', 'Invalid name. Must be a valid name containing alphanumeric characters'],
      [
        { Name: 'x', SecretBinary: new Uint8Array([1]) },
        'InvalidParameterException',
        "You can't specify both a binary",
      ],
      [{ Name: 'x', AddReplicaRegions: [{ Region: 'eu-west-1' }] }, 'NotImplemented', 'replicas of secrets'],
    ])('refuses to be created as %j', async (input, name, text) => {
      const { create } = account();
      await create();
      const [gotName, gotText] = await refusal(create(input));
      expect([gotName, gotText]).toEqual([name, expect.stringContaining(text)]);
    });

    it('must have a value when it is put, and its rotation is refused as not implemented', async () => {
      const { secrets, create, put } = account();
      await create();
      expect((await refusal(put({})))[1]).toBe('You must provide either SecretString or SecretBinary.');
      expect((await refusal(secrets.send(new RotateSecretCommand({ SecretId: 'db' }))))[2]).toBe(501);
      expect((await refusal(put({ SecretString: 'x', RotationToken: V3 })))[0]).toBe('NotImplemented');
    });
  });

  /** https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html */
  describe('a deletion', () => {
    it('waits for its window, in which the secret can be restored', async () => {
      const { aws, secrets, create, get } = account();
      const { ARN } = await create();
      const remove = () => secrets.send(new DeleteSecretCommand({ SecretId: 'db', RecoveryWindowInDays: 7 }));
      expect((await remove()).DeletionDate).toEqual(new Date(START_MS + 7 * DAY_MS));
      expect((await refusal(get()))[1]).toBe(
        "You can't perform this operation on the secret because it was marked for deletion.",
      );
      expect((await refusal(create()))[1]).toBe(
        "You can't create this secret because a secret with this name is already scheduled for deletion.",
      );
      const described = await secrets.send(new DescribeSecretCommand({ SecretId: 'db' }));
      expect(described.DeletedDate).toEqual(new Date(START_MS));
      await aws.timeline.advanceTo(START_MS + 6 * DAY_MS);
      await secrets.send(new RestoreSecretCommand({ SecretId: 'db' }));
      await aws.timeline.advanceTo(START_MS + 8 * DAY_MS);
      expect((await get()).SecretString).toBe('one');
      await remove();
      await aws.timeline.advanceTo(START_MS + 15 * DAY_MS);
      expect((await refusal(get()))[1]).toBe(NOT_FOUND);
      expect(aws.happened('secretsmanager.secret-deleted')).toHaveLength(1);
      expect((await create()).ARN).not.toBe(ARN);
    });

    it('may be forced, and then there is no window', async () => {
      const { secrets, create, get } = account();
      await create();
      const remove = (input: object) => secrets.send(new DeleteSecretCommand({ SecretId: 'db', ...input }));
      expect((await refusal(remove({ RecoveryWindowInDays: 6 })))[1]).toBe(
        'The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).',
      );
      expect((await refusal(remove({ RecoveryWindowInDays: 7, ForceDeleteWithoutRecovery: true })))[1]).toBe(
        "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.",
      );
      await remove({ ForceDeleteWithoutRecovery: true });
      expect((await refusal(get()))[1]).toBe(NOT_FOUND);
      await create();
      expect((await get()).SecretString).toBe('one');
    });
  });

  it('secrets are listed, newest first, as filters want them, and without those that are being deleted', async () => {
    const { secrets, create } = account();
    await create({ Name: 'prod/db', Description: 'for orders', ClientRequestToken: V1 });
    await create({ Name: 'prod/api', Tags: [{ Key: 'team', Value: 'billing' }], ClientRequestToken: V2 });
    await create({ Name: 'test/db', ClientRequestToken: V3 });
    await secrets.send(new DeleteSecretCommand({ SecretId: 'test/db' }));
    const names = async (input: object) => {
      const { SecretList = [] } = await secrets.send(new ListSecretsCommand(input));
      return SecretList.map(({ Name }) => Name);
    };
    expect(await names({})).toEqual(['prod/api', 'prod/db']);
    expect(await names({ SortOrder: 'asc', IncludePlannedDeletion: true })).toEqual(['prod/db', 'prod/api', 'test/db']);
    expect(await names({ Filters: [{ Key: 'name', Values: ['prod/d', 'x'] }] })).toEqual(['prod/db']);
    expect(await names({ Filters: [{ Key: 'name', Values: ['!prod/d'] }] })).toEqual(['prod/api']);
    expect(await names({ Filters: [{ Key: 'tag-key', Values: ['team'] }] })).toEqual(['prod/api']);
    expect(await names({ Filters: [{ Key: 'tag-value', Values: ['bill'] }] })).toEqual(['prod/api']);
    expect(await names({ Filters: [{ Key: 'all', Values: ['orders'] }] })).toEqual(['prod/db']);
    expect((await refusal(names({ Filters: [{ Key: 'colour', Values: ['red'] }] })))[0]).toBe(
      'InvalidParameterException',
    );
    const first = await secrets.send(new ListSecretsCommand({ MaxResults: 1 }));
    const second = await secrets.send(new ListSecretsCommand({ MaxResults: 1, NextToken: first.NextToken }));
    expect([second.SecretList?.[0]?.Name, second.NextToken]).toEqual(['prod/db', undefined]);
  });
});

describe('access', () => {
  const GETS = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: '*' };

  async function withSecret(KmsKeyId?: (aws: SmallAccount) => string) {
    const aws = new SmallAccount();
    const key = KmsKeyId?.(aws);
    const { ARN = '' } = await aws.clients.secrets.send(
      new CreateSecretCommand({ Name: 'db', SecretString: 'hunter2', ...(key !== undefined && { KmsKeyId: key }) }),
    );
    const read = (from: { readonly clients: SmallAccount['clients'] }) =>
      from.clients.secrets.send(new GetSecretValueCommand({ SecretId: 'db' }));
    return { aws, ARN, read, key: key ?? '' };
  }

  describe('a secret is read', () => {
    it('by a role whose policies say so, and by no other', async () => {
      const { aws, ARN, read } = await withSecret();
      expect((await read(aws.role('Reader', { ...GETS, Resource: ARN }))).SecretString).toBe('hunter2');
      expect(await refusal(read(aws.role('Other')))).toEqual([
        'AccessDeniedException',
        `User: arn:aws:iam::123456789012:role/Other is not authorized to perform: secretsmanager:GetSecretValue on resource: ${ARN}`,
        400,
      ]);
    });

    it('by whom its own policy names', async () => {
      const { aws, read } = await withSecret();
      const { secrets } = aws.clients;
      const other = aws.role('Other');
      const ResourcePolicy = JSON.stringify(policy({ ...GETS, Principal: { AWS: other.arn } }));
      await secrets.send(new PutResourcePolicyCommand({ SecretId: 'db', ResourcePolicy, BlockPublicPolicy: true }));
      expect((await read(other)).SecretString).toBe('hunter2');
      const shown = await secrets.send(new GetResourcePolicyCommand({ SecretId: 'db' }));
      expect(shown.ResourcePolicy).toBe(ResourcePolicy);
      await secrets.send(new DeleteResourcePolicyCommand({ SecretId: 'db' }));
      expect((await refusal(read(other)))[0]).toBe('AccessDeniedException');
      const open = JSON.stringify(policy({ ...GETS, Principal: '*' }));
      const put = (text: string) =>
        secrets.send(new PutResourcePolicyCommand({ SecretId: 'db', ResourcePolicy: text, BlockPublicPolicy: true }));
      expect((await refusal(put(open)))[0]).toBe('PublicPolicyException');
      expect((await refusal(put('{}')))[0]).toBe('MalformedPolicyDocumentException');
    });

    /** https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html */
    it("under a customer's key only by whom that lets", async () => {
      const { aws, ARN, read, key } = await withSecret(account => account.key());
      const reader = aws.role('Reader', GETS);
      expect(await refusal(read(reader))).toEqual(['AccessDeniedException', 'Access to KMS is not allowed', 400]);
      aws.iam.putRolePolicy(
        'Reader',
        'Decrypts',
        policy({
          Effect: 'Allow',
          Action: 'kms:Decrypt',
          Resource: key,
          Condition: {
            StringEquals: {
              'kms:ViaService': 'secretsmanager.us-east-1.amazonaws.com',
              'kms:EncryptionContext:SecretARN': ARN,
            },
          },
        }),
      );
      expect((await read(reader)).SecretString).toBe('hunter2');
      aws.kms.disableKey(key);
      expect(await refusal(read(reader))).toEqual(['DecryptionFailure', 'the key is disabled', 400]);
      aws.faults.set({ service: 'kms', httpStatus: 500 });
      expect((await refusal(read(reader)))[0]).toBe('InternalServiceError');
    });

    it('unless Secrets Manager itself is at fault', async () => {
      const { aws, ARN, read } = await withSecret();
      aws.faults.set({ service: 'secretsmanager', resource: ARN, httpStatus: 500, code: 'InternalServiceError' });
      expect((await refusal(read(aws)))[0]).toBe('InternalServiceError');
      expect(aws.happened('secretsmanager.refused')).toEqual([
        expect.objectContaining({ action: 'GetSecretValue', resource: ARN, code: 'InternalServiceError' }),
      ]);
    });
  });

  it('creating a secret takes the permission to encrypt', async () => {
    const aws = new SmallAccount();
    const KmsKeyId = aws.key();
    const { clients } = aws.role('Writer', { Effect: 'Allow', Action: 'secretsmanager:*', Resource: '*' });
    const create = clients.secrets.send(new CreateSecretCommand({ Name: 'db', SecretString: 'x', KmsKeyId }));
    expect((await refusal(create))[1]).toBe('Access to KMS is not allowed');
  });

  /** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html */
  describe('AWS::SecretsManager::Secret', () => {
    const create = (aws: SmallAccount, properties: object, type = 'Secret') =>
      createResource(secretsManagerResourceTypes(aws.secrets), `AWS::SecretsManager::${type}`, { ...properties });
    const valueIn = (aws: SmallAccount, SecretId: string) =>
      aws.secrets.call('GetSecretValue', aws.secrets.owner, { SecretId }).SecretString ?? '';

    it('holds what it is given', () => {
      const aws = new SmallAccount();
      const { created, problems } = create(aws, {
        Name: 'db',
        Description: 'd',
        SecretString: 'hunter2',
        KmsKeyId: aws.key(),
        Tags: [{ Key: 'a', Value: 'b' }],
      });
      expect(problems).toEqual([]);
      expect(created.ref).toMatch(/:secret:db-[A-Za-z0-9]{6}$/);
      expect(created.attributes).toEqual({ Id: created.ref });
      expect(valueIn(aws, created.ref)).toBe('hunter2');
    });

    it('generates a password into a document, the same one in every run', () => {
      const properties = {
        GenerateSecretString: {
          SecretStringTemplate: '{"username":"admin"}',
          GenerateStringKey: 'password',
          PasswordLength: 20,
          ExcludePunctuation: true,
        },
      };
      const generated = () => {
        const aws = new SmallAccount();
        return valueIn(aws, create(aws, properties).created.ref);
      };
      const document: unknown = JSON.parse(generated());
      expect(document).toEqual({ username: 'admin', password: expect.stringMatching(/^[A-Za-z0-9]{20}$/) });
      expect(generated()).toBe(generated());
    });

    it('may be empty', () => {
      const aws = new SmallAccount();
      const { created } = create(aws, {});
      expect(() => valueIn(aws, created.ref)).toThrow('staging label: AWSCURRENT');
    });

    it.each<[object, string]>([
      [
        { SecretString: 'x', GenerateSecretString: {} },
        'GenerateSecretString must not be used together with SecretString',
      ],
      [
        { GenerateSecretString: { GenerateStringKey: 'k' } },
        'GenerateSecretString must have SecretStringTemplate and GenerateStringKey, or neither',
      ],
      [
        { GenerateSecretString: { PasswordLength: 2 } },
        'GenerateSecretString is refused (InvalidParameterException: Password length is too short based on the required types.)',
      ],
      [{ ReplicaRegions: [{ Region: 'eu-west-1' }] }, 'ReplicaRegions is not implemented by the embedded AWS'],
    ])('%j is a problem', (properties, problem) => {
      expect(create(new SmallAccount(), properties).problems).toContain(problem);
    });

    it('has a policy of its own by AWS::SecretsManager::ResourcePolicy', () => {
      const aws = new SmallAccount();
      const { ref } = create(aws, { Name: 'db', SecretString: 'x' }).created;
      const reader = aws.role('Reader');
      const ResourcePolicy = policy({ ...GETS, Principal: { AWS: reader.arn } });
      const put = create(aws, { SecretId: ref, ResourcePolicy, BlockPublicPolicy: true }, 'ResourcePolicy');
      expect(put).toEqual({ created: { ref, attributes: { Id: ref } }, problems: [] });
      expect(aws.secrets.call('GetSecretValue', reader.caller, { SecretId: 'db' }).SecretString).toBe('x');
    });
  });
});

/** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html */
describe('a random password', () => {
  it('has 32 characters with one of each kind, unless told otherwise', async () => {
    const { secrets } = new SmallAccount().clients;
    const { RandomPassword = '' } = await secrets.send(new GetRandomPasswordCommand({}));
    expect(RandomPassword).toHaveLength(32);
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[!-/:-@[-`{-~]/]) expect(RandomPassword).toMatch(kind);
    expect(RandomPassword).not.toContain(' ');
  });

  it('has exactly the kinds that are left, each of them, and nothing that is excluded', () => {
    const options = fc.record({
      PasswordLength: fc.integer({ min: 5, max: 60 }),
      ExcludeLowercase: fc.boolean(),
      ExcludeUppercase: fc.boolean(),
      ExcludePunctuation: fc.boolean(),
      IncludeSpace: fc.boolean(),
      ExcludeCharacters: fc.constantFrom('', 'aA1!', '"@/\\'),
    });
    fc.assert(
      fc.property(options, fc.integer(), (wanted, seed) => {
        const password = randomPassword(wanted, new Random(seed));
        expect(password).toHaveLength(wanted.PasswordLength);
        expect(/[a-z]/.test(password)).toBe(!wanted.ExcludeLowercase);
        expect(/[A-Z]/.test(password)).toBe(!wanted.ExcludeUppercase);
        expect(/[!-/:-@[-`{-~]/.test(password)).toBe(!wanted.ExcludePunctuation);
        expect(/ /.test(password)).toBe(wanted.IncludeSpace);
        expect(/\d/.test(password)).toBe(true);
        for (const character of wanted.ExcludeCharacters) expect(password).not.toContain(character);
      }),
    );
  });

  it.each([
    [{ PasswordLength: 0 }, 'PasswordLength must be a whole number from 1 to 4096, got 0'],
    [{ PasswordLength: 4097 }, 'PasswordLength must be a whole number from 1 to 4096, got 4097'],
    [{ PasswordLength: 3 }, 'Password length is too short based on the required types.'],
    [
      { ExcludeLowercase: true, ExcludeUppercase: true, ExcludeNumbers: true, ExcludePunctuation: true },
      'The password must have at least one character to choose from.',
    ],
  ])('cannot be made from %j', (options, text) => {
    expect(() => randomPassword(options, new Random(1))).toThrow(text);
  });
});
