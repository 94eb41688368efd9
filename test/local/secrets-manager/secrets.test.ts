import {
  CreateSecretCommand,
  type CreateSecretCommandInput,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  ListSecretsCommand,
  ListSecretVersionIdsCommand,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  RestoreSecretCommand,
  RotateSecretCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateSecretCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { DAY_MS, refusal, SmallAccount, START_MS } from '../small-account';

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
    expect(await put({ SecretString: 'two', ClientRequestToken: V2 })).toMatchObject({ VersionStages: ['AWSCURRENT'] });
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
    [{ Name: 'x', SecretBinary: new Uint8Array([1]) }, 'InvalidParameterException', "You can't specify both a binary"],
    [{ Name: 'x', AddReplicaRegions: [{ Region: 'eu-west-1' }] }, 'NotImplemented', 'replicas of secrets'],
  ])('refuses to be created as %j', async (input, name, text) => {
    const { create } = account();
    await create();
    const [gotName, gotText] = await refusal(create(input));
    expect([gotName, gotText]).toEqual([name, expect.stringContaining(text)]);
  });

  it('must have a value when it is put, and never rotates', async () => {
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
