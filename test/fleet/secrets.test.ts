import { bucketOf, DATA_KEYS, itemKeys } from '../../policy/fleet/fleet-items';
import { readDataKeyItem } from '../../policy/fleet/item-readers';
import { HOUR_MS } from '../../policy/time-units';
import { refusal } from '../local/small-account';
import { endpointItem, fleetAccount, ORDERS, TABLE_ARN } from './fleet-account';

const it = fleetAccount();
const SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
const bucket = bucketOf(ORDERS, DATA_KEYS);

describe('The secret of an endpoint', () => {
  test('is encrypted with a data key that only the fleet and the bucket can decrypt', async () => {
    const secret = await it.secretsOf().encrypt(ORDERS, SECRET);
    expect(secret.dataKey).toBe(bucket);
    expect(Buffer.from(secret.ciphertext, 'base64').toString('latin1')).not.toContain('whsec_');
    expect(await it.secretsOf().decrypt(ORDERS, secret)).toBe(SECRET);
    expect((await refusal(it.secretsOf('other').decrypt(ORDERS, secret)))[0]).toBe('InvalidCiphertextException');
    const dataKey = await it.table.get(itemKeys.dataKey(bucket), readDataKeyItem);
    const moved = { ...itemKeys.dataKey((bucket + 1) % DATA_KEYS), ciphertext: dataKey?.ciphertext };
    await it.table.putAll([moved]);
    expect((await refusal(it.secretsOf().decrypt(ORDERS, { ...secret, dataKey: bucket + 1 })))[0]).toBe(
      'InvalidCiphertextException',
    );
  });

  test('is refused for another endpoint, and after it was changed', async () => {
    const secrets = it.secretsOf();
    const secret = await secrets.encrypt(ORDERS, SECRET);
    const bytes = Buffer.from(secret.ciphertext, 'base64');
    for (const at of [0, 20, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const ciphertext = changed.toString('base64');
      await expect(secrets.decrypt(ORDERS, { ...secret, ciphertext })).rejects.toThrow('cannot be decrypted');
    }
    const other = { ...ORDERS, endpoint: 'returns' };
    await expect(secrets.decrypt(other, secret)).rejects.toThrow('the secret of acme/returns cannot be decrypted');
    await expect(secrets.decrypt(ORDERS, { ...secret, ciphertext: '' })).rejects.toThrow('cannot be decrypted');
  });

  test('is refused without its data key, which only a new secret creates', async () => {
    const decrypted = it.secretsOf().decrypt(ORDERS, { dataKey: 500, ciphertext: 'x' });
    await expect(decrypted).rejects.toThrow('the table has no data key 500');
    expect(await it.table.get(itemKeys.dataKey(500), readDataKeyItem)).toBeUndefined();
  });

  test('costs one call of KMS an hour, also for concurrent reads, and another after a call that failed', async () => {
    const secrets = it.secretsOf();
    const secret = await it.secretsOf().encrypt(ORDERS, SECRET);
    it.decrypted.length = 0;
    await Promise.all([1, 2, 3].map(() => secrets.decrypt(ORDERS, secret)));
    await it.aws.timeline.advanceTo(it.aws.timeline.nowMs + HOUR_MS - 1);
    await secrets.decrypt(ORDERS, secret);
    expect(it.decrypted).toEqual([it.keyArn]);
    await it.aws.timeline.advanceTo(it.aws.timeline.nowMs + 1);
    const fault = it.aws.faults.set({ service: 'kms', throttle: true });
    await expect(secrets.decrypt(ORDERS, secret)).rejects.toThrow();
    fault.end();
    expect(await secrets.decrypt(ORDERS, secret)).toBe(SECRET);
  });

  test('is one of two during a rotation', async () => {
    const secrets = it.secretsOf();
    const nowMs = it.aws.timeline.nowMs;
    const [current, old, older] = await Promise.all(['new', 'old', 'older'].map(text => secrets.encrypt(ORDERS, text)));
    if (!current || !old || !older) throw new Error('nothing was encrypted');
    const all = [current, { ...old, untilMs: nowMs + 1 }, { ...older, untilMs: nowMs }];
    expect(await secrets.read(endpointItem(ORDERS, { secrets: all }))).toEqual({
      kind: 'secrets',
      secrets: ['new', 'old'],
    });
  });

  test('of an OAuth client is valid for one token URL only', async () => {
    const secrets = it.secretsOf();
    const client = { tokenUrl: 'https://auth.example/token', clientId: 'shop' };
    const clientSecret = await secrets.encrypt(ORDERS, 'hush', client.tokenUrl);
    const readWith = (changes: object) => {
      const authorization = { ...client, clientSecret, ...changes };
      return secrets.read(endpointItem(ORDERS, { secrets: [], authorization }));
    };
    expect(await readWith({})).toEqual({ kind: 'secrets', secrets: [], clientSecret: 'hush' });
    const moved = await readWith({ tokenUrl: 'https://other.example/token' });
    expect(moved).toEqual({ kind: 'unreadable', reason: expect.stringContaining('cannot be decrypted') });
  });

  test('has the data key of the writer that wrote first', async () => {
    const name = { tenant: 'acme', endpoint: 'raced' };
    const writers = [it.secretsOf(), it.secretsOf()];
    const encrypted = await Promise.all(writers.map(writer => writer.encrypt(name, SECRET)));
    for (const secret of encrypted) expect(await it.secretsOf().decrypt(name, secret)).toBe(SECRET);
  });

  test('cannot be read by a role that may only read the table', async () => {
    const secret = await it.secretsOf().encrypt(ORDERS, SECRET);
    const reader = it.aws.role('Reader', { Effect: 'Allow', Action: 'dynamodb:*', Resource: TABLE_ARN });
    const read = await it.secretsOf('shop', reader.clients).read(endpointItem(ORDERS, { secrets: [secret] }));
    expect(read).toEqual({ kind: 'unreadable', reason: expect.stringContaining('AccessDeniedException') });
  });
});
