import {
  CreateSecretCommand,
  DeleteResourcePolicyCommand,
  GetResourcePolicyCommand,
  GetSecretValueCommand,
  PutResourcePolicyCommand,
} from '@aws-sdk/client-secrets-manager';
import { secretsManagerResourceTypes } from '../../../local/secrets-manager';
import { createResource } from '../create-resource';
import { policy } from '../iam/iam-fixture';
import { refusal, SmallAccount } from '../small-account';

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
    [{ SecretString: 'x', GenerateSecretString: {} }, 'GenerateSecretString must not stand beside SecretString'],
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
