import {
  CancelKeyDeletionCommand,
  CreateAliasCommand,
  CreateGrantCommand,
  CreateKeyCommand,
  DecryptCommand,
  DeleteAliasCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  DisableKeyRotationCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  type EncryptCommandInput,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  ListAliasesCommand,
  ListKeyPoliciesCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
  PutKeyPolicyCommand,
  ScheduleKeyDeletionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateAliasCommand,
  UpdateKeyDescriptionCommand,
} from '@aws-sdk/client-kms';
import { kmsResourceTypes } from '../../../local/kms';
import { DAY_MS } from '../../../policy/time-units';
import { type Deployed, deploy, type Json, problemsOf, stack } from '../cloudformation/fixture';
import { ADMIN, policy, ROOT } from '../iam/iam-fixture';
import { arnOf, refusal, SmallAccount, START_MS } from '../small-account';
import { KmsFixture } from './kms-fixture';

describe('api', () => {
  const PLAIN = Buffer.from('hunter2');
  const GONE = '00000000-0000-4000-8000-000000000000';

  async function account() {
    const aws = new SmallAccount();
    const { kms } = aws.clients;
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: 'orders' }));
    const KeyId = KeyMetadata?.KeyId ?? '';
    const arn = KeyMetadata?.Arn ?? '';
    const encrypt = (input: Partial<EncryptCommandInput> = {}, client = kms) =>
      client.send(new EncryptCommand({ KeyId, Plaintext: PLAIN, ...input }));
    const decrypt = (CiphertextBlob: Uint8Array | undefined, input: object = {}, client = kms) =>
      client.send(new DecryptCommand({ CiphertextBlob, ...input }));
    return { aws, kms, KeyId, arn, KeyMetadata, encrypt, decrypt };
  }

  /** https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html */
  describe('what is encrypted', () => {
    it('is decrypted by whoever has it, its key and its encryption context, in whatever order', async () => {
      const { arn, encrypt, decrypt } = await account();
      const { CiphertextBlob, KeyId } = await encrypt({ EncryptionContext: { a: '1', b: '2' } });
      expect(KeyId).toBe(arn);
      expect(Buffer.from(CiphertextBlob ?? []).includes(PLAIN)).toBe(false);
      const back = await decrypt(CiphertextBlob, { EncryptionContext: { b: '2', a: '1' } });
      expect([Buffer.from(back.Plaintext ?? []), back.KeyId, back.EncryptionAlgorithm]).toEqual([
        PLAIN,
        arn,
        'SYMMETRIC_DEFAULT',
      ]);
      for (const EncryptionContext of [undefined, { a: '1' }, { a: '2', b: '1' }]) {
        expect((await refusal(decrypt(CiphertextBlob, { EncryptionContext })))[0]).toBe('InvalidCiphertextException');
      }
    });

    it('cannot be changed, nor taken for what it is not', async () => {
      const { encrypt, decrypt } = await account();
      const { CiphertextBlob = new Uint8Array() } = await encrypt();
      for (const at of [0, 20, 45, CiphertextBlob.length - 1]) {
        const changed = Uint8Array.from(CiphertextBlob, (byte, i) => (i === at ? byte ^ 1 : byte));
        expect((await refusal(decrypt(changed)))[0]).toBe('InvalidCiphertextException');
      }
      expect((await refusal(decrypt(CiphertextBlob.subarray(0, 50))))[0]).toBe('InvalidCiphertextException');
    });

    it('differs each time, and is the same in every run', async () => {
      const blobs = async () => {
        const { encrypt } = await account();
        return [(await encrypt()).CiphertextBlob, (await encrypt()).CiphertextBlob];
      };
      const [first, second] = await blobs();
      expect(first).not.toEqual(second);
      expect(await blobs()).toEqual([first, second]);
    });

    it('is under one key, whichever the caller names', async () => {
      const { kms, arn, encrypt, decrypt } = await account();
      const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
      const { CiphertextBlob } = await encrypt();
      expect((await decrypt(CiphertextBlob, { KeyId: arn })).KeyId).toBe(arn);
      expect((await refusal(decrypt(CiphertextBlob, { KeyId: KeyMetadata?.KeyId })))[0]).toBe('IncorrectKeyException');
    });

    it('may be a data key', async () => {
      const { kms, KeyId, arn, decrypt } = await account();
      const made = await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }));
      expect(made).toMatchObject({ KeyId: arn });
      expect(made.Plaintext).toHaveLength(32);
      expect((await decrypt(made.CiphertextBlob)).Plaintext).toEqual(made.Plaintext);
      const hidden = await kms.send(new GenerateDataKeyWithoutPlaintextCommand({ KeyId, NumberOfBytes: 64 }));
      expect('Plaintext' in hidden).toBe(false);
      expect((await decrypt(hidden.CiphertextBlob)).Plaintext).toHaveLength(64);
      for (const input of [{}, { KeySpec: 'AES_128', NumberOfBytes: 1 } as const, { NumberOfBytes: 1025 }]) {
        const [name] = await refusal(kms.send(new GenerateDataKeyCommand({ KeyId, ...input })));
        expect(name).toBe('ValidationException');
      }
    });

    it.each<[Partial<EncryptCommandInput>, string, string]>([
      [{ Plaintext: new Uint8Array(4097) }, 'ValidationException', 'less than or equal to 4096'],
      [{ Plaintext: new Uint8Array() }, 'ValidationException', 'greater than or equal to 1'],
      [{ EncryptionAlgorithm: 'RSAES_OAEP_SHA_256' }, 'InvalidKeyUsageException', 'RSAES_OAEP_SHA_256'],
      [{ DryRun: true }, 'DryRunOperationException', 'would have succeeded'],
      [{ KeyId: GONE }, 'NotFoundException', `Key '${arnOf('kms', `key/${GONE}`)}' does not exist`],
      [{ KeyId: 'nonsense' }, 'NotFoundException', "Invalid keyId 'nonsense'"],
      [{ KeyId: 'alias/gone' }, 'NotFoundException', `Alias ${arnOf('kms', 'alias/gone')} is not found.`],
    ])('is not encrypted with %j', async (input, name, text) => {
      const { encrypt } = await account();
      const [gotName, gotText] = await refusal(encrypt(input));
      expect([gotName, gotText]).toEqual([name, expect.stringContaining(text)]);
    });
  });

  /** https://docs.aws.amazon.com/kms/latest/developerguide/policy-conditions.html#conditions-kms-encryption-context */
  describe('a role', () => {
    it('uses a key where its own policies and the key let it, and with the encryption context they ask for', async () => {
      const { aws, arn, encrypt, decrypt } = await account();
      const { CiphertextBlob } = await encrypt({ EncryptionContext: { Team: 'billing' } });
      const { clients } = aws.role('Reader', {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: arn,
        Condition: { StringEquals: { 'kms:EncryptionContext:team': 'billing', 'kms:CallerAccount': '123456789012' } },
      });
      const read = (EncryptionContext: object) => decrypt(CiphertextBlob, { EncryptionContext }, clients.kms);
      expect(Buffer.from((await read({ Team: 'billing' })).Plaintext ?? [])).toEqual(PLAIN);
      const refused = await refusal(read({ Team: 'sales' }));
      expect(refused).toEqual([
        'AccessDeniedException',
        `User: arn:aws:iam::123456789012:role/Reader is not authorized to perform: kms:Decrypt on resource: ${arn}`,
        400,
      ]);
      expect(aws.happened('kms.refused')).toEqual([
        expect.objectContaining({ action: 'Decrypt', resource: arn, code: 'AccessDeniedException' }),
      ]);
      expect((await refusal(encrypt({}, clients.kms)))[0]).toBe('AccessDeniedException');
    });

    it('makes and lists keys with its own policies alone', async () => {
      const { clients } = new SmallAccount().role('Maker', {
        Effect: 'Allow',
        Action: ['kms:CreateKey', 'kms:ListKeys'],
        Resource: '*',
      });
      await clients.kms.send(new CreateKeyCommand({}));
      expect((await clients.kms.send(new ListKeysCommand({}))).Keys).toHaveLength(1);
      expect((await refusal(clients.kms.send(new ListAliasesCommand({}))))[0]).toBe('AccessDeniedException');
    });
  });

  describe('a key', () => {
    it('is described', async () => {
      const { kms, KeyId, arn, KeyMetadata } = await account();
      expect(KeyMetadata).toEqual({
        AWSAccountId: '123456789012',
        KeyId,
        Arn: arn,
        CreationDate: new Date(START_MS),
        Enabled: true,
        Description: 'orders',
        KeyUsage: 'ENCRYPT_DECRYPT',
        KeyState: 'Enabled',
        Origin: 'AWS_KMS',
        KeyManager: 'CUSTOMER',
        CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
        KeySpec: 'SYMMETRIC_DEFAULT',
        EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
        MultiRegion: false,
      });
      await kms.send(new UpdateKeyDescriptionCommand({ KeyId, Description: 'bills' }));
      const described = await kms.send(new DescribeKeyCommand({ KeyId: arn }));
      expect(described.KeyMetadata?.Description).toBe('bills');
      const own = await kms.send(new DescribeKeyCommand({ KeyId: 'alias/aws/secretsmanager' }));
      expect(own.KeyMetadata?.KeyManager).toBe('AWS');
    });

    /** https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html#API_DescribeKey_RequestParameters */
    it('of AWS is created when its predefined alias is first named; of an alias that is not known here, nothing is said', async () => {
      const { kms } = await account();
      const describe = (KeyId: string) => kms.send(new DescribeKeyCommand({ KeyId }));
      for (const name of ['s3', 'lambda', 'dynamodb', 'ebs']) {
        const { KeyMetadata } = await describe(`alias/aws/${name}`);
        expect(KeyMetadata).toMatchObject({ KeyManager: 'AWS', Enabled: true });
        expect((await describe(`alias/aws/${name}`)).KeyMetadata).toEqual(KeyMetadata);
      }
      for (const name of ['toString', 'of-tomorrow']) {
        expect(await refusal(describe(`alias/aws/${name}`))).toEqual([
          'NotImplemented',
          expect.stringContaining(`the AWS managed key alias/aws/${name}`),
          501,
        ]);
      }
    });

    /** https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html */
    it('that is disabled, or will be deleted, encrypts nothing', async () => {
      const { aws, kms, KeyId, arn, encrypt } = await account();
      await kms.send(new DisableKeyCommand({ KeyId }));
      expect(await refusal(encrypt())).toEqual(['DisabledException', `${arn} is disabled.`, 400]);
      await kms.send(new EnableKeyCommand({ KeyId }));
      const scheduled = await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }));
      expect(scheduled).toMatchObject({ KeyId: arn, KeyState: 'PendingDeletion', PendingWindowInDays: 7 });
      expect(scheduled.DeletionDate).toEqual(new Date(START_MS + 7 * DAY_MS));
      expect(await refusal(encrypt())).toEqual(['KMSInvalidStateException', `${arn} is pending deletion.`, 400]);
      await kms.send(new TagResourceCommand({ KeyId, Tags: [{ TagKey: 'a', TagValue: 'b' }] }));
      await kms.send(new CancelKeyDeletionCommand({ KeyId }));
      await kms.send(new EnableKeyCommand({ KeyId }));
      await expect(encrypt()).resolves.toMatchObject({ KeyId: arn });
      await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 8 }));
      await kms.send(new UntagResourceCommand({ KeyId, TagKeys: ['a'] }));
      await aws.timeline.advanceTo(START_MS + 8 * DAY_MS);
      expect((await refusal(encrypt()))[0]).toBe('NotFoundException');
    });

    it('has a policy that its owner cannot lock themselves out of', async () => {
      const { kms, KeyId } = await account();
      const Policy = JSON.stringify(
        policy({ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' }),
      );
      await kms.send(new PutKeyPolicyCommand({ KeyId, Policy }));
      const shown = await kms.send(new GetKeyPolicyCommand({ KeyId }));
      expect([JSON.parse(shown.Policy ?? ''), shown.PolicyName]).toEqual([JSON.parse(Policy), 'default']);
      expect((await kms.send(new ListKeyPoliciesCommand({ KeyId }))).PolicyNames).toEqual(['default']);
      const nobody = JSON.stringify(policy());
      expect((await refusal(kms.send(new PutKeyPolicyCommand({ KeyId, Policy: nobody }))))[0]).toBe(
        'MalformedPolicyDocumentException',
      );
      const named = new GetKeyPolicyCommand({ KeyId, PolicyName: 'other' });
      expect(await refusal(kms.send(named))).toEqual(['NotFoundException', 'No such policy exists: other', 400]);
    });

    it('goes by aliases', async () => {
      const { kms, KeyId, encrypt } = await account();
      const { KeyMetadata: other } = await kms.send(new CreateKeyCommand({}));
      await kms.send(new CreateAliasCommand({ AliasName: 'alias/orders', TargetKeyId: KeyId }));
      await expect(encrypt({ KeyId: 'alias/orders' })).resolves.toBeDefined();
      const list = async (of?: string) => {
        const { Aliases = [] } = await kms.send(new ListAliasesCommand(of === undefined ? {} : { KeyId: of }));
        return Aliases.map(({ AliasName, TargetKeyId }) => [AliasName, TargetKeyId]);
      };
      expect(await list(KeyId)).toEqual([['alias/orders', KeyId]]);
      await kms.send(new UpdateAliasCommand({ AliasName: 'alias/orders', TargetKeyId: other?.KeyId }));
      expect([await list(KeyId), await list()]).toEqual([[], [['alias/orders', other?.KeyId]]]);
      await kms.send(new DeleteAliasCommand({ AliasName: 'alias/orders' }));
      expect(await list()).toEqual([]);
      const unknown = new UpdateAliasCommand({ AliasName: 'alias/gone', TargetKeyId: KeyId });
      expect((await refusal(kms.send(unknown)))[0]).toBe('NotFoundException');
    });

    /** https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html */
    it('says when its material is rotated next', async () => {
      const { aws, kms, KeyId } = await account();
      const status = () => kms.send(new GetKeyRotationStatusCommand({ KeyId }));
      expect((await status()).KeyRotationEnabled).toBe(false);
      await kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 90 }));
      expect(await status()).toMatchObject({
        KeyRotationEnabled: true,
        RotationPeriodInDays: 90,
        NextRotationDate: new Date(START_MS + 90 * DAY_MS),
      });
      await aws.timeline.advanceTo(START_MS + 200 * DAY_MS);
      expect((await status()).NextRotationDate).toEqual(new Date(START_MS + 270 * DAY_MS));
      await kms.send(new DisableKeyRotationCommand({ KeyId }));
      expect((await status()).KeyRotationEnabled).toBe(false);
      const often = new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 1 });
      expect((await refusal(kms.send(often)))[0]).toBe('ValidationException');
    });

    it('has tags', async () => {
      const { kms, KeyId } = await account();
      const tag = (TagKey: string) => ({ TagKey, TagValue: `of ${TagKey}` });
      await kms.send(new TagResourceCommand({ KeyId, Tags: ['a', 'b', 'c'].map(tag) }));
      await kms.send(new UntagResourceCommand({ KeyId, TagKeys: ['b'] }));
      const first = await kms.send(new ListResourceTagsCommand({ KeyId, Limit: 1 }));
      expect(first).toMatchObject({ Tags: [tag('a')], Truncated: true });
      const rest = await kms.send(new ListResourceTagsCommand({ KeyId, Marker: first.NextMarker }));
      expect(rest).toMatchObject({ Tags: [tag('c')], Truncated: false });
      const odd = new ListResourceTagsCommand({ KeyId, Marker: 'nonsense' });
      expect((await refusal(kms.send(odd)))[0]).toBe('InvalidMarkerException');
    });
  });

  it('answers 501 to grants, and to keys of other kinds', async () => {
    const { kms, KeyId } = await account();
    const grant = new CreateGrantCommand({ KeyId, GranteePrincipal: ROOT, Operations: ['Decrypt'] });
    expect((await refusal(kms.send(grant)))[2]).toBe(501);
    expect(await refusal(kms.send(new CreateKeyCommand({ KeySpec: 'RSA_2048' })))).toEqual([
      'NotImplemented',
      'The embedded AWS does not implement keys whose KeySpec is RSA_2048. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      501,
    ]);
  });

  it('meets the faults a scenario has set', async () => {
    const { aws, encrypt } = await account();
    aws.faults.set({ service: 'kms', action: 'Encrypt', httpStatus: 500, code: 'KMSInternalException' });
    expect((await refusal(encrypt()))[0]).toBe('KMSInternalException');
  });
});

const OWN = policy({ Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' });
const key = (Properties: Json): Json => ({ Type: 'AWS::KMS::Key', Properties });
const alias = (Properties: Json): Json => ({ Type: 'AWS::KMS::Alias', Properties });

function deployWith(fixture: KmsFixture, Resources: Json): Promise<Deployed> {
  return deploy([stack({ Resources })], { types: kmsResourceTypes(fixture.kms) });
}

const problems = (Resources: Json): Promise<readonly string[]> =>
  problemsOf(() => deployWith(new KmsFixture(), Resources));

describe('AWS::KMS::Key and AWS::KMS::Alias', () => {
  it('make a key that is there under its alias', async () => {
    const fixture = new KmsFixture();
    const { stacks } = await deployWith(fixture, {
      Name: alias({ AliasName: 'alias/orders', TargetKeyId: { 'Fn::GetAtt': ['It', 'Arn'] } }),
      It: key({
        KeyPolicy: OWN,
        EnableKeyRotation: true,
        KeySpec: 'SYMMETRIC_DEFAULT',
        MultiRegion: false,
        Enabled: 'false',
      }),
    });
    const { keyId, arn, state } = fixture.kms.describeKey('alias/orders');
    expect(stacks[0]?.resources.get('It')).toMatchObject({ ref: keyId, attributes: { Arn: arn, KeyId: keyId } });
    expect(stacks[0]?.resources.get('Name')?.ref).toBe('alias/orders');
    expect(state).toBe('Disabled');
    fixture.kms.enableKey(keyId);
    expect(fixture.throughQueue('alias/orders', ADMIN).send.allowed).toBe(true);
  });

  it.each<[Json, string]>([
    [key({ KeyPolicy: OWN, KeySpec: 'RSA_2048' }), 'KeySpec must be SYMMETRIC_DEFAULT here, got "RSA_2048"'],
    [key({ KeyPolicy: OWN, KeyUsage: 'SIGN_VERIFY' }), 'KeyUsage must be ENCRYPT_DECRYPT here, got "SIGN_VERIFY"'],
    [key({ KeyPolicy: OWN, MultiRegion: true }), 'MultiRegion must be false here, got "true"'],
    [key({ KeyPolicy: OWN, Origin: 'EXTERNAL' }), 'Origin must be AWS_KMS here, got "EXTERNAL"'],
    [key({ KeyPolicy: OWN, Colour: 'red' }), 'Colour is not implemented by the embedded AWS, got "red"'],
    [
      key({ KeyPolicy: policy({}) }),
      'KeyPolicy cannot be evaluated: statement 1 Effect must be Allow or Deny, got undefined',
    ],
    [
      key({ KeyPolicy: policy() }),
      'MalformedPolicyDocumentException: The new key policy will not allow you to update the key policy in the future.',
    ],
    [alias({ AliasName: 'alias/a' }), 'TargetKeyId is required'],
    [alias({ AliasName: 'alias/a', TargetKeyId: 'gone' }), "NotFoundException: Invalid keyId 'gone'"],
  ])('%j is a problem', async (resource, problem) => {
    expect(await problems({ It: resource })).toContain(`App: It (${String(resource['Type'])}): ${problem}`);
  });
});
