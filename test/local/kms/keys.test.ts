import { ADMIN, policy, ROOT, SNS } from '../iam/iam-fixture';
import { DAY_MS, KmsFixture } from './kms-fixture';

const delegates = { Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' };
const toSns = { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'kms:*', Resource: '*' };

function codes(fixture: KmsFixture, keyId: string): readonly (string | undefined)[] {
  const { send, receive } = fixture.throughQueue(keyId, ADMIN);
  return [send.code, receive.code];
}

const USABLE = [undefined, undefined];

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
