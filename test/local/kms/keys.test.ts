import { KEY_ACCESS_DENIED, keyRefusal, kmsAnswer, type PolicyDocument } from '../../../local/kernel/access';
import { administrator, type Caller, roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { DAY_MS } from '../../../policy/time-units';
import {
  ACCOUNT,
  ADMIN,
  LAMBDA_TRUST,
  OTHER_ACCOUNT,
  policy,
  ROOT,
  SNS,
  type StatementJson,
  TOPIC,
} from '../iam/iam-fixture';
import { KmsFixture, VIA_SNS, VIA_SQS } from './kms-fixture';

const delegates = { Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' };
const toSns = { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'kms:*', Resource: '*' };

function codes(fixture: KmsFixture, keyId: string): readonly (string | undefined)[] {
  const { send, receive } = fixture.throughQueue(keyId, ADMIN);
  return [send.code, receive.code];
}

const USABLE = [undefined, undefined];

/** The error of a call; undefined if it succeeds. */
function refusalOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a key', () => {
  it('goes by its id, its ARN and its aliases', () => {
    const fixture = new KmsFixture();
    const { keyId, arn } = fixture.kms.createKey();
    expect(arn).toBe(`arn:aws:kms:us-east-1:123456789012:key/${keyId}`);
    fixture.kms.createAlias('alias/orders', keyId);
    for (const name of [keyId, arn, 'alias/orders', 'arn:aws:kms:us-east-1:123456789012:alias/orders']) {
      expect(fixture.kms.describeKey(name)).toMatchObject({ keyId, arn, state: 'Enabled', manager: 'CUSTOMER' });
      expect(codes(fixture, name)).toEqual(USABLE);
    }
    fixture.kms.deleteAlias('alias/orders');
    expect(codes(fixture, 'alias/orders')).toEqual(['KMS.NotFoundException', 'KMS.NotFoundException']);
    expect(codes(fixture, keyId)).toEqual(USABLE);
  });

  it('cannot be used while it is disabled, by those who otherwise may', () => {
    const fixture = new KmsFixture();
    const { keyId } = fixture.kms.createKey({ enabled: false });
    expect(codes(fixture, keyId)).toEqual(['KMS.DisabledException', 'KMS.DisabledException']);
    expect(fixture.throughQueue(keyId, SNS).send.code).toBe('KMS.AccessDeniedException');
    fixture.kms.enableKey(keyId);
    expect(codes(fixture, keyId)).toEqual(USABLE);
    fixture.kms.disableKey(keyId);
    expect(codes(fixture, keyId)).toEqual(['KMS.DisabledException', 'KMS.DisabledException']);
  });

  it('follows a policy that is changed later', () => {
    const fixture = new KmsFixture();
    const { keyId } = fixture.kms.createKey();
    expect(fixture.throughQueue(keyId, SNS).send.allowed).toBe(false);
    fixture.kms.putKeyPolicy(keyId, policy(delegates, toSns));
    expect(fixture.throughQueue(keyId, SNS).send.allowed).toBe(true);
    fixture.kms.putKeyPolicy(keyId, policy(delegates));
    expect(fixture.throughQueue(keyId, SNS).send.allowed).toBe(false);
  });

  /**
   * "The kms:ResourceAliases condition key allows or denies access to a KMS key based on the aliases associated with
   * the KMS key. kms:RequestAlias: based on the alias in a request."
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/alias-authorization.html
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html
   */
  describe('has condition keys', () => {
    const SOURCE_QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';
    const ORDERS = { 'kms:EncryptionContext:aws:sqs:arn': SOURCE_QUEUE };

    /** What SNS may do through a queue, with a condition in the key policy. */
    function allowed(Condition: object, context = {}, keyNamed: string | undefined = undefined) {
      const fixture = new KmsFixture();
      const { keyId } = fixture.kms.createKey({ policy: policy(delegates, { ...toSns, Condition }) });
      fixture.kms.createAlias('alias/orders', keyId);
      fixture.kms.createAlias('alias/shop/all', keyId);
      fixture.kms.createAlias('alias/other', fixture.kms.createKey().keyId);
      const caller = { ...SNS, context: { ...SNS.context, ...context } };
      const { send, receive } = fixture.throughQueue(keyNamed ?? keyId, caller);
      return [send.allowed, receive.allowed];
    }

    it.each([
      ['an alias', { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': 'alias/orders' } }, true],
      ['a pattern of aliases', { 'ForAnyValue:StringLike': { 'kms:ResourceAliases': 'alias/shop/*' } }, true],
      ['the alias of another key', { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': 'alias/other' } }, false],
      ['all its aliases', { 'ForAllValues:StringLike': { 'kms:ResourceAliases': 'alias/orders' } }, false],
      ['its kind', { StringEquals: { 'kms:KeySpec': 'SYMMETRIC_DEFAULT', 'kms:KeyUsage': 'ENCRYPT_DECRYPT' } }, true],
      ['its origin', { StringEquals: { 'kms:KeyOrigin': 'EXTERNAL' } }, false],
      ['its Regions', { Bool: { 'kms:MultiRegion': 'false' } }, true],
      ['the algorithm', { StringEquals: { 'kms:EncryptionAlgorithm': 'SYMMETRIC_DEFAULT' } }, true],
      ['the queue', { StringEquals: ORDERS }, true],
      ['another queue', { StringLike: { 'kms:EncryptionContext:aws:sqs:arn': '*:returns' } }, false],
      ['an encryption context', { 'ForAnyValue:StringEquals': { 'kms:EncryptionContextKeys': 'aws:sqs:arn' } }, true],
      ['grants, which do not exist here', { Bool: { 'kms:GrantIsForAWSResource': 'true' } }, false],
    ])('for %s', (_, condition, expected) => {
      expect(allowed(condition, ORDERS)).toEqual([expected, expected]);
    });

    it('for the alias by which a queue names it, when it encrypts', () => {
      const condition = { StringEquals: { 'kms:RequestAlias': 'alias/orders' } };
      expect(allowed(condition)).toEqual([false, false]);
      expect(allowed(condition, {}, 'alias/orders')).toEqual([true, false]);
      expect(allowed(condition, {}, 'arn:aws:kms:us-east-1:123456789012:alias/orders')).toEqual([true, false]);
      expect(allowed(condition, {}, 'alias/shop/all')).toEqual([false, false]);
    });

    it('for the parameters of a direct request', () => {
      const fixture = new KmsFixture();
      const may = (Condition: object, request: object): boolean => {
        const statement = { ...toSns, Principal: { AWS: '*' }, Condition };
        const { keyId } = fixture.kms.createKey({ policy: policy(delegates, statement) });
        const caller = { ...SNS, context: {} };
        const ask = () =>
          fixture.kms.call('Encrypt', caller, { KeyId: keyId, Plaintext: Buffer.from('x'), ...request });
        return refusalOf(ask) === undefined;
      };
      const team = { EncryptionContext: { team: 'orders' } };
      expect(may({ StringEquals: { 'kms:EncryptionContext:team': 'orders' } }, team)).toBe(true);
      expect(may({ StringEquals: { 'kms:EncryptionContext:team': 'returns' } }, team)).toBe(false);
      expect(may({ 'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['team'] } }, team)).toBe(true);
      expect(may({ Null: { 'kms:EncryptionContextKeys': 'false' } }, {})).toBe(false);
      expect(may({ Null: { 'kms:ViaService': 'true' } }, {})).toBe(true);
    });
  });

  it('cannot be given a policy that locks its owner out, unless that is asked for', () => {
    const { kms } = new KmsFixture();
    const lockout = expect.objectContaining({
      code: 'MalformedPolicyDocumentException',
      message: 'The new key policy will not allow you to update the key policy in the future.',
    });
    expect(() => kms.createKey({ policy: policy(toSns) })).toThrow(lockout);
    const { keyId } = kms.createKey();
    expect(() => kms.putKeyPolicy(keyId, policy(toSns))).toThrow(lockout);
    kms.putKeyPolicy(keyId, policy(toSns), true);
    expect(kms.describeKey(keyId).policy).toEqual(policy(toSns));
  });

  /** "The request was rejected because a length constraint or quota was exceeded." The limit is 32 KB. */
  it('has a policy of at most 32,768 bytes', () => {
    const { kms } = new KmsFixture();
    const { keyId } = kms.createKey();
    const large = policy(delegates, { ...toSns, Sid: 'x'.repeat(32_768) });
    const refused = expect.objectContaining({ code: 'LimitExceededException' });
    expect(() => kms.createKey({ policy: large })).toThrow(refused);
    expect(() => kms.putKeyPolicy(keyId, large)).toThrow(refused);
  });

  it('is unusable from the moment its deletion is scheduled, and gone after the window', async () => {
    const fixture = new KmsFixture();
    const { keyId } = fixture.kms.createKey();
    fixture.kms.createAlias('alias/orders', keyId);
    fixture.kms.scheduleKeyDeletion(keyId, 7);
    expect(codes(fixture, keyId)).toEqual(['KMS.InvalidStateException', 'KMS.InvalidStateException']);
    await fixture.timeline.advanceTo(fixture.timeline.nowMs + 7 * DAY_MS - 1);
    expect(fixture.kms.describeKey(keyId).state).toBe('PendingDeletion');
    await fixture.timeline.advanceTo(fixture.timeline.nowMs + 1);
    expect(codes(fixture, keyId)).toEqual(['KMS.NotFoundException', 'KMS.NotFoundException']);
    expect(codes(fixture, 'alias/orders')).toEqual(['KMS.NotFoundException', 'KMS.NotFoundException']);
  });

  it('is disabled when its deletion is cancelled, and an earlier date no longer counts', async () => {
    const fixture = new KmsFixture();
    const start = fixture.timeline.nowMs;
    const { keyId } = fixture.kms.createKey();
    fixture.kms.scheduleKeyDeletion(keyId, 7);
    fixture.kms.cancelKeyDeletion(keyId);
    expect(fixture.kms.describeKey(keyId).state).toBe('Disabled');
    fixture.kms.scheduleKeyDeletion(keyId);
    await fixture.timeline.advanceTo(start + 29 * DAY_MS);
    expect(fixture.kms.describeKey(keyId).state).toBe('PendingDeletion');
    await fixture.timeline.advanceTo(start + 30 * DAY_MS);
    expect(() => fixture.kms.describeKey(keyId)).toThrow(
      `Key 'arn:aws:kms:us-east-1:123456789012:key/${keyId}' does not exist`,
    );
  });

  it('does not keep a world awake that waits for nothing else', async () => {
    const fixture = new KmsFixture();
    const start = fixture.timeline.nowMs;
    fixture.kms.scheduleKeyDeletion(fixture.kms.createKey().keyId);
    await fixture.timeline.runUntilIdle();
    expect(fixture.timeline.nowMs).toBe(start);
  });

  it.each<[string, string, (fixture: KmsFixture, keyId: string) => unknown]>([
    [
      'an alias that is taken',
      'AlreadyExistsException',
      ({ kms }, id) => [1, 2].map(() => kms.createAlias('alias/a', id)),
    ],
    ["an alias of AWS's", 'InvalidAliasNameException', ({ kms }, id) => kms.createAlias('alias/aws/mine', id)],
    ['an alias without its prefix', 'InvalidAliasNameException', ({ kms }, id) => kms.createAlias('orders', id)],
    ['an alias of no key', 'NotFoundException', ({ kms }) => kms.createAlias('alias/a', 'gone')],
    ['deleting no alias', 'NotFoundException', ({ kms }) => kms.deleteAlias('alias/gone')],
    ['a window of 6 days', 'ValidationException', ({ kms }, id) => kms.scheduleKeyDeletion(id, 6)],
    ['a window of 31 days', 'ValidationException', ({ kms }, id) => kms.scheduleKeyDeletion(id, 31)],
    ['cancelling what is not scheduled', 'KMSInvalidStateException', ({ kms }, id) => kms.cancelKeyDeletion(id)],
    [
      'enabling what is pending deletion',
      'KMSInvalidStateException',
      ({ kms }, id) => [kms.scheduleKeyDeletion(id), kms.enableKey(id)],
    ],
    ['disabling no key', 'NotFoundException', ({ kms }) => kms.disableKey('gone')],
  ])('refuses %s with %s', (_, code, act) => {
    const fixture = new KmsFixture();
    const { keyId } = fixture.kms.createKey();
    expect(() => act(fixture, keyId)).toThrow(expect.objectContaining({ name: 'AwsError', code }));
  });

  it('writes down what is done to it', () => {
    const { kms, trace } = new KmsFixture();
    const { keyId, arn } = kms.createKey();
    kms.disableKey(keyId);
    kms.enableKey(keyId);
    kms.putKeyPolicy(keyId, policy(delegates));
    kms.scheduleKeyDeletion(keyId);
    kms.cancelKeyDeletion(keyId);
    expect(trace.events.map(({ type, ...rest }) => [type, 'keyArn' in rest ? rest.keyArn : undefined])).toEqual(
      [
        'kms.key-created',
        'kms.key-disabled',
        'kms.key-enabled',
        'kms.key-policy-put',
        'kms.key-deletion-scheduled',
        'kms.key-deletion-cancelled',
      ].map(type => [type, arn]),
    );
  });

  it('has the same id in every run of the same seed', () => {
    expect(new KmsFixture().kms.createKey()).toEqual(new KmsFixture().kms.createKey());
  });
});

describe('decide', () => {
  const USE = ['kms:Decrypt', 'kms:GenerateDataKey*'];
  const BILLING = `arn:aws:iam::${ACCOUNT}:role/Billing`;
  const ROLE = roleCaller(BILLING);
  const CLOUDWATCH = serviceCaller(
    'cloudwatch.amazonaws.com',
    `arn:aws:cloudwatch:us-east-1:${ACCOUNT}:alarm:Dlq`,
    ACCOUNT,
  );
  const OTHER_TOPIC = serviceCaller(
    'sns.amazonaws.com',
    `arn:aws:sns:us-east-1:${OTHER_ACCOUNT}:rental`,
    OTHER_ACCOUNT,
  );

  const delegates = { Sid: 'Account', Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' };
  const toSns = (Condition?: StatementJson): StatementJson => ({
    Sid: 'Sns',
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: USE,
    Resource: '*',
    ...(Condition ? { Condition } : {}),
  });
  const toRole = { Sid: 'Billing', Effect: 'Allow', Principal: { AWS: BILLING }, Action: USE, Resource: '*' };
  const mayUseKeys = policy({ Effect: 'Allow', Action: USE, Resource: '*' });

  interface World {
    readonly fixture: KmsFixture;
    readonly keyId: string;
  }

  /** A key with this policy, and a role `Billing` with this policy of its own. */
  function world(keyStatements: readonly StatementJson[], rolePolicy?: PolicyDocument): World {
    const fixture = new KmsFixture();
    fixture.iam.createRole({ roleName: 'Billing', trustPolicy: LAMBDA_TRUST });
    if (rolePolicy) fixture.iam.putRolePolicy('Billing', 'Keys', rolePolicy);
    const { keyId } = fixture.kms.createKey({
      policy: policy(...keyStatements),
      bypassPolicyLockoutSafetyCheck: true,
    });
    return { fixture, keyId };
  }

  describe('who may use an encrypted queue (aws-semantics, sections 3 and 4)', () => {
    it.each<[string, boolean, Caller, readonly StatementJson[], PolicyDocument | undefined]>([
      ['SNS without a grant', false, SNS, [delegates], undefined],
      ['SNS with a grant', true, SNS, [delegates, toSns()], undefined],
      ['SNS with a grant for its topic', true, SNS, [toSns({ ArnEquals: { 'aws:SourceArn': TOPIC } })], undefined],
      [
        'SNS with a grant for all topics of the account',
        true,
        SNS,
        [toSns({ ArnLike: { 'aws:SourceArn': `arn:aws:sns:us-east-1:${ACCOUNT}:*` } })],
        undefined,
      ],
      [
        'SNS with a grant for another topic',
        false,
        SNS,
        [toSns({ ArnEquals: { 'aws:SourceArn': `${TOPIC}-2` } })],
        undefined,
      ],
      [
        'SNS with a grant for its account',
        true,
        SNS,
        [toSns({ StringEquals: { 'aws:SourceAccount': ACCOUNT } })],
        undefined,
      ],
      [
        'SNS for a topic of another account',
        false,
        OTHER_TOPIC,
        [toSns({ StringEquals: { 'aws:SourceAccount': ACCOUNT } })],
        undefined,
      ],
      ['SNS with a grant through SQS', true, SNS, [toSns({ StringEquals: { 'kms:ViaService': VIA_SQS } })], undefined],
      ['SNS with a grant through SNS', false, SNS, [toSns({ StringEquals: { 'kms:ViaService': VIA_SNS } })], undefined],
      [
        'SNS with a grant for callers of the account, which a service is not',
        false,
        SNS,
        [toSns({ StringEquals: { 'kms:CallerAccount': ACCOUNT } })],
        undefined,
      ],
      ['SNS with a grant, denied elsewhere', false, SNS, [toSns(), { ...toSns(), Effect: 'Deny' }], undefined],
      ['CloudWatch with a grant for SNS', false, CLOUDWATCH, [toSns()], undefined],
      ['a role with a policy of its own, where the key delegates', true, ROLE, [delegates], mayUseKeys],
      ['a role with a policy of its own, where the key does not', false, ROLE, [toSns()], mayUseKeys],
      ['a role without a policy, where the key delegates', false, ROLE, [delegates], undefined],
      ['a role the key names', true, ROLE, [toRole], undefined],
      [
        'a role through the account only',
        true,
        ROLE,
        [
          {
            ...toRole,
            Principal: { AWS: '*' },
            Condition: { StringEquals: { 'kms:CallerAccount': ACCOUNT, 'kms:ViaService': VIA_SQS } },
          },
        ],
        undefined,
      ],
      ['a role denied by the key', false, ROLE, [delegates, { ...toRole, Effect: 'Deny' }], mayUseKeys],
      ['an administrator, where the key delegates', true, ADMIN, [delegates], undefined],
      ['an administrator, where the key does not', false, ADMIN, [toSns()], undefined],
      ['an administrator of another account', false, administrator(OTHER_ACCOUNT), [delegates], undefined],
    ])('%s: %s', (_, allowed, caller, keyStatements, rolePolicy) => {
      const { fixture, keyId } = world(keyStatements, rolePolicy);
      const { send, receive } = fixture.throughQueue(keyId, caller);
      expect([send.allowed, receive.allowed]).toEqual([allowed, allowed]);
      expect(send.code).toBe(allowed ? undefined : 'KMS.AccessDeniedException');
    });

    it('a grant of kms:Decrypt alone lets SNS take nothing in', () => {
      const { fixture, keyId } = world([{ ...toSns(), Action: 'kms:Decrypt' }]);
      const { send, receive } = fixture.throughQueue(keyId, SNS);
      expect([send.allowed, receive.allowed]).toEqual([false, true]);
    });

    it('a key made without a policy leaves it to the identity policies of the account', () => {
      const { fixture } = world([delegates], mayUseKeys);
      const { keyId } = fixture.kms.createKey();
      expect(fixture.throughQueue(keyId, ROLE).send.allowed).toBe(true);
      expect(fixture.throughQueue(keyId, SNS).send.allowed).toBe(false);
    });
  });

  describe("AWS's own key of a service", () => {
    it.each<[string, string, boolean, Caller, string]>([
      ['lets a role of the account through its service', 'alias/aws/sqs', true, ROLE, VIA_SQS],
      ['lets an administrator through its service', 'alias/aws/sqs', true, ADMIN, VIA_SQS],
      ['lets nobody through another service', 'alias/aws/sqs', false, ROLE, VIA_SNS],
      ['of SNS lets a role publish', 'alias/aws/sns', true, ROLE, VIA_SNS],
      ['of SQS lets SNS in the cold: its messages are lost (section 4)', 'alias/aws/sqs', false, SNS, VIA_SQS],
      ['of SNS lets CloudWatch in the cold', 'alias/aws/sns', false, CLOUDWATCH, VIA_SNS],
    ])('%s', (_, alias, allowed, caller, viaService) => {
      const { fixture } = world([delegates]);
      expect(fixture.kms.decide(alias, 'kms:GenerateDataKey', caller, viaService).allowed).toBe(allowed);
      const byArn = `arn:aws:kms:us-east-1:${ACCOUNT}:${alias}`;
      expect(fixture.kms.decide(byArn, 'kms:Decrypt', caller, viaService).allowed).toBe(allowed);
    });

    it('cannot be changed by anybody', () => {
      const { kms } = new KmsFixture();
      const refused = expect.objectContaining({ code: 'AccessDeniedException' });
      expect(() => kms.disableKey('alias/aws/sqs')).toThrow(refused);
      expect(() => kms.putKeyPolicy('alias/aws/sqs', policy(delegates))).toThrow(refused);
      expect(() => kms.scheduleKeyDeletion('alias/aws/sqs')).toThrow(refused);
    });
  });

  describe('a refusal', () => {
    it('is written down with its reason, and a permission is not', () => {
      const { fixture, keyId } = world([toSns({ ArnEquals: { 'aws:SourceArn': TOPIC } })]);
      fixture.kms.decide(keyId, 'kms:Decrypt', SNS, VIA_SQS);
      fixture.kms.decide(keyId, 'kms:Decrypt', OTHER_TOPIC, VIA_SQS);
      const refusals = fixture.trace.events.filter(({ type }) => type === 'kms.refused');
      const { arn } = fixture.kms.describeKey(keyId);
      expect(refusals).toEqual([
        expect.objectContaining({
          resource: arn,
          action: 'kms:Decrypt',
          principal: 'sns.amazonaws.com',
          viaService: VIA_SQS,
          code: 'KMS.AccessDeniedException',
          reason: expect.stringContaining(
            `statement 1 ("Sns") of the policy of ${arn} does not hold: ArnEquals aws:SourceArn wants ${TOPIC}, got arn:aws:sns:us-east-1:${OTHER_ACCOUNT}:rental`,
          ),
        }),
      ]);
    });

    it('says that a key, however it is named, does not exist', () => {
      const { kms } = new KmsFixture();
      for (const keyId of [
        'alias/gone',
        'b1946ac9-2b0d-4f5a-9f1c-000000000000',
        `arn:aws:kms:us-east-1:${ACCOUNT}:key/gone`,
        `arn:aws:kms:eu-west-1:${ACCOUNT}:alias/aws/sqs`,
        `arn:aws:sqs:us-east-1:${ACCOUNT}:alias/aws/sqs`,
      ]) {
        expect(kms.decide(keyId, 'kms:Decrypt', ADMIN, VIA_SQS)).toEqual({
          allowed: false,
          code: 'KMS.NotFoundException',
          reason: `there is no key ${keyId}`,
        });
      }
    });

    it('comes from KMS itself while a fault is set on it', () => {
      const { fixture, keyId } = world([delegates]);
      fixture.faults.set({ service: 'kms', action: 'Decrypt', httpStatus: 500, code: 'ThrottlingException' });
      const { send, receive } = fixture.throughQueue(keyId, ADMIN);
      expect(send.allowed).toBe(true);
      expect(receive).toMatchObject({ allowed: false, code: 'KMS.ThrottlingException', httpStatus: 500 });
    });
  });

  it('a KMS that answers late tells whoever asks for somebody else by how much, one answer after the other', () => {
    const { fixture, keyId } = world([delegates], mayUseKeys);
    fixture.faults.set({ service: 'kms', latencyMs: 2_000 });
    const caller = { ...ROLE, latency: { ms: 500 } };
    fixture.throughQueue(keyId, caller);
    expect(caller.latency.ms).toBe(4_500);
  });

  describe('several actions with one key', () => {
    const context = (fixture: KmsFixture) => ({ keys: fixture.kms, place: EXAMPLE_PLACE });

    it('are refused by the name of the first that the key’s policy does not grant', () => {
      const onlyDecrypts = policy({ Effect: 'Allow', Action: 'kms:Decrypt', Resource: '*' });
      const { fixture, keyId } = world([delegates], onlyDecrypts);
      const asked = { keyId, caller: ROLE, via: 'sqs' };
      expect(keyRefusal(context(fixture), asked, 'kms:Decrypt')).toBeUndefined();
      const refusal = keyRefusal(context(fixture), asked, 'kms:Decrypt', 'kms:GenerateDataKey');
      expect(refusal).toMatchObject({ action: 'kms:GenerateDataKey', code: KEY_ACCESS_DENIED, httpStatus: 400 });
      expect(refusal && kmsAnswer(refusal)).toBe(
        '(Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException)',
      );
    });

    it('are refused when the key does not exist', () => {
      const { fixture } = world([delegates], mayUseKeys);
      const refusal = keyRefusal(context(fixture), { keyId: 'alias/none', caller: ROLE, via: 'sqs' }, 'kms:Decrypt');
      expect(refusal).toMatchObject({ code: 'KMS.NotFoundException', httpStatus: 400 });
    });
  });
});
