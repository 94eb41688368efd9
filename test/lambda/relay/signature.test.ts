import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { readSigningSecret, type SigningKey, signatureHeaders } from '../../../lambda/relay/signature';

/** The secret of the specification's own example. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLDER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

function keyOf(secret: string): SigningKey {
  const reading = readSigningSecret('the secret', secret);
  if (reading.kind === 'malformed') throw new Error(reading.problem.rule);
  return reading.key;
}

const AT_MS = Date.UTC(2026, 0, 1);
const ID = '95df01b4-ee98-5cb9-9903-4c221d41eb5e';

const signed = (secrets: readonly string[], body: string, atMs = AT_MS) =>
  signatureHeaders(secrets.map(keyOf), { id: ID, atMs, body });

/** As receivers verify, who look at their clock. */
const verified = (secret: string, body: string, headers: Record<string, string>) =>
  new Webhook(secret).verify(body, headers, { jsonParse: false });

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
describe('A signature of Standard Webhooks', () => {
  beforeEach(() => jest.useFakeTimers({ now: AT_MS + 999 }));
  afterEach(() => jest.useRealTimers());

  test('is the one the specification gives as its example', () => {
    const [id, body] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}'];
    expect(signatureHeaders([keyOf(SECRET)], { id, atMs: 1_614_265_330_999, body })).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('holds for whoever verifies it with the public library, whatever the key and the body', () => {
    const anyKey = fc.uint8Array({ minLength: 24, maxLength: 64 });
    const anyBody = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(anyKey, anyBody, (bytes, body) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        expect(() => verified(secret, body, signed([secret], body))).not.toThrow();
      }),
    );
  });

  test('does not hold for another body, id, time or key', () => {
    const headers = signed([SECRET], '{}');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verified(SECRET, '{ }', headers)).toThrow('No matching signature found');
    expect(() => verified(OTHER, '{}', headers)).toThrow('No matching signature found');
    for (const changed of [{ 'webhook-id': 'another' }, { 'webhook-timestamp': later }]) {
      expect(() => verified(SECRET, '{}', { ...headers, ...changed })).toThrow('No matching signature found');
    }
  });

  test('is of the attempt’s own time: an old one is refused', () => {
    expect(() => verified(SECRET, '{}', signed([SECRET], '{}', AT_MS - 301_000))).toThrow('timestamp too old');
  });

  test('is there once a key while keys are rotated, so that receivers may have either', () => {
    const headers = signed([SECRET, OLDER], '{}');
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [SECRET, OLDER]) expect(() => verified(secret, '{}', headers)).not.toThrow();
    expect(() => verified(OTHER, '{}', headers)).toThrow('No matching signature found');
  });
});

describe('A signing secret', () => {
  test.each([
    ['with a line end', `${SECRET}\n`, 24],
    ['of 64 bytes', `whsec_${Buffer.alloc(64, 1).toString('base64')}`, 64],
    ['of 24 bytes', SECRET, 24],
  ])('%s is read', (_what, text, bytes) => {
    expect(keyOf(text).bytes).toHaveLength(bytes);
  });

  test.each([
    ['', 'must begin with whsec_', '0 characters that do not'],
    ['hush-hush-hush-hush-hush-hush-hu', 'must begin with whsec_', '32 characters that do not'],
    ['WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'must begin with whsec_', '38 characters that do not'],
    ['whsec_hush!', 'must be base64 with its padding after whsec_', '5 characters that are not'],
    ['whsec_hush-_hush', 'must be base64 with its padding after whsec_', '10 characters that are not'],
    [`whsec_${'A'.repeat(35)}`, 'must be base64 with its padding after whsec_', '35 characters that are not'],
    ['whsec_', 'must be a key of 24 to 64 bytes', '0 bytes'],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, 'must be a key of 24 to 64 bytes', '23 bytes'],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'must be a key of 24 to 64 bytes', '65 bytes'],
  ])('%j is malformed, which is told without it', (text, rule, value) => {
    expect(readSigningSecret('the secret', text)).toEqual({
      kind: 'malformed',
      problem: { property: 'the secret', rule, value },
    });
  });
});
