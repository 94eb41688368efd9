import https from 'node:https';
import fc from 'fast-check';
import MessageValidator from 'sns-validator';
import { Webhook } from 'standardwebhooks';
import { snsHeaders } from '../../../lambda/relay/endpoint';
import { relayHandler } from '../../../lambda/relay/handler';
import type { RelayPorts } from '../../../lambda/relay/ports';
import { type Posted, requestHeaders, signatureHeaders } from '../../../lambda/shared/http-endpoint';
import type { Again } from '../../../lambda/shared/http-send';
import { type ReceivedRequest, response } from '../../../local';
import { httpRequest } from '../../../local/sns/transports/http-transport';
import type { NotificationEnvelope } from '../../../policy/messages/envelope';
import { readSigningSecret, type SigningKey } from '../../../policy/relay/signing-secret';
import { networkAgent } from '../../support/network-agent';
import { DeployedRelay, NO_RETRIES, POLICY, type RelayOptions, SETTINGS } from './relay-fixture';

const keyOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

const textOf = ({ body }: ReceivedRequest): string => Buffer.from(body).toString('utf8');

/** JSON that changes if it is parsed and written again. */
const ORDER = '{"order": 7, "für": "Zoë \u{1f4e6}",\r\n "sum":1.50}';

/** Verifies a request as receivers do, with a clock that shows the time of the embedded AWS. */
function verify(request: ReceivedRequest, secret: string): unknown {
  jest.useFakeTimers({ now: request.atMs });
  try {
    return new Webhook(secret).verify(textOf(request), request.headers);
  } finally {
    jest.useRealTimers();
  }
}

function onlyRequest({ requests }: DeployedRelay): ReceivedRequest {
  const [request, ...others] = requests;
  if (!request || others.length > 0) throw new Error(`there must be one request, got ${requests.length}`);
  return request;
}

async function delivered(options: RelayOptions): Promise<{ relay: DeployedRelay; request: ReceivedRequest }> {
  const relay = await DeployedRelay.deploy(options);
  await relay.publish(ORDER);
  await relay.settle();
  return { relay, request: onlyRequest(relay) };
}

describe('a request of a relay', () => {
  const { globalAgent } = https;

  afterEach(() => {
    https.globalAgent = globalAgent;
  });

  test('carries SNS’s envelope byte for byte, and the headers of SNS', async () => {
    const relay = await DeployedRelay.deploy({ disabled: true, headers: { 'X-Tenant': '7' } });
    const messageId = await relay.publish(ORDER);
    await relay.settle();
    const body = (await relay.deployed.receive('Queue'))[0]?.Body ?? '';
    await relay.enable();
    await relay.settle();
    const request = onlyRequest(relay);
    expect(textOf(request)).toBe(body);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/orders',
      headers: {
        'content-type': 'text/plain; charset=UTF-8',
        'content-length': String(Buffer.byteLength(body)),
        'x-amz-sns-message-type': 'Notification',
        'x-amz-sns-message-id': messageId,
        'x-amz-sns-topic-arn': relay.deployed.ref('Topic'),
        'x-amz-sns-subscription-arn': expect.stringMatching(`^${relay.deployed.ref('Topic')}:`),
        'x-tenant': '7',
      },
    });
    expect(request.headers).not.toHaveProperty('x-amz-sns-rawdelivery');
  });

  test('carries only the message byte for byte if raw delivery is stated', async () => {
    const { request } = await delivered({ rawMessageDelivery: true, contentType: 'application/json' });
    expect(textOf(request)).toBe(ORDER);
    expect(request.headers).toMatchObject({ 'x-amz-sns-rawdelivery': 'true', 'content-type': 'application/json' });
  });

  test('is verified by sns-validator, a third party’s library', async () => {
    const { relay, request } = await delivered({});
    https.globalAgent = networkAgent(relay.deployed.aws.services.network) as https.Agent;
    const envelope: Record<string, unknown> = JSON.parse(textOf(request));
    const validated = await new Promise((resolve, reject) => {
      new MessageValidator().validate(envelope, (error, message) => (error ? reject(error) : resolve(message)));
    });
    expect(validated).toMatchObject({ Message: ORDER });
  });

  test.each([false, true])('is signed so that standardwebhooks verifies it (raw: %s)', async rawMessageDelivery => {
    const { request } = await delivered({ rawMessageDelivery, secrets: { signing: keyOf(1) } });
    expect(verify(request, keyOf(1))).toEqual(JSON.parse(textOf(request)));
    expect(() => verify(request, keyOf(2))).toThrow('No matching signature');
    expect(request.headers['webhook-id']).toBe(request.headers['x-amz-sns-message-id']);
  });

  test('is signed again at each attempt', async () => {
    const relay = await DeployedRelay.deploy({ secrets: { signing: keyOf(1) } });
    relay.host.behave({ reply: response(503), count: 1 });
    await relay.publish(ORDER);
    await relay.settle();
    for (const request of relay.requests) expect(verify(request, keyOf(1))).toBeDefined();
    const [first, second] = relay.requests.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(10);
  });

  test('is signed with both keys during a rotation, and only with the new one after the old one expired', async () => {
    const relay = await DeployedRelay.deploy({ secrets: { signing: keyOf(1) } });
    await relay.publish('before');
    await relay.settle();
    await relay.setSecret('signing', keyOf(2));
    await relay.deployed.advance({ minutes: 6 });
    await relay.publish('meanwhile');
    await relay.settle();
    await relay.setSecret('signing', keyOf(3));
    await relay.deployed.advance({ minutes: 6 });
    await relay.publish('after');
    await relay.settle();
    const accepts = relay.requests.map(request =>
      [1, 2, 3].filter(byte => {
        try {
          return Boolean(verify(request, keyOf(byte)));
        } catch {
          return false;
        }
      }),
    );
    expect(accepts).toEqual([[1], [1, 2], [2, 3]]);
  });

  test('goes to the URL in a secret, with headers of another secret, and no log shows more than the host', async () => {
    const path = '/hooks/T0KEN-in-the-path/abc?key=Qu3ry-K3y';
    const relay = await DeployedRelay.deploy({
      endpointField: 'url',
      secrets: {
        endpoint: JSON.stringify({ url: `https://partner.example.com${path}` }),
        headers: JSON.stringify({ Authorization: 'Bearer s3cr3t-t0ken', 'X-Api-Key': 'k3y "quoted"' }),
        signing: keyOf(9),
      },
    });
    const echo = JSON.stringify({
      path,
      authorization: 'Bearer s3cr3t-t0ken',
      token: 's3cr3t-t0ken',
      key: 'k3y "quoted"',
    });
    const see = `see https://partner.example.com${path}`;
    relay.host.behave({ reply: response(400, `${echo} ${encodeURIComponent(path)} ${keyOf(9)} ${see}`) });
    await relay.publish(ORDER);
    await relay.settle();
    const request = onlyRequest(relay);
    expect(request).toMatchObject({
      path,
      headers: { authorization: 'Bearer s3cr3t-t0ken', 'x-api-key': 'k3y "quoted"' },
    });
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage?.attributes['Destination']).toBe('partner.example.com');
    const reported = [...relay.log, JSON.stringify(relayMessage?.attributes)].join('\n');
    expect(reported).toContain('see https://partner.example.com[secret]');
    for (const secret of ['T0KEN', 'Qu3ry', 's3cr3t', 'k3y', 'hooks', keyOf(9).slice(6)])
      expect(reported).not.toContain(secret);
    expect(reported).toContain('[secret]');
  });
});

/** A secret is cached for five minutes, even an invalid one. */
const PATIENT = { ...POLICY, minDelayTarget: 60, maxDelayTarget: 60, numRetries: 20 };

describe('A relay whose secrets cannot be read', () => {
  const cases: readonly { what: string; secrets: RelayOptions['secrets']; fixed: string; reason: string }[] = [
    {
      what: 'endpoint',
      secrets: { endpoint: 'n0t-a-url' },
      fixed: 'https://partner.example.com/',
      reason: 'http or https URL',
    },
    {
      what: 'endpoint',
      secrets: { endpoint: 'https://10.0.0.1/' },
      fixed: 'https://partner.example.com/',
      reason: 'not public',
    },
    { what: 'headers', secrets: { headers: 'n0t-json' }, fixed: '{"X-A":"b"}', reason: 'must be a JSON object' },
    { what: 'headers', secrets: { headers: '{"Host":"n0t.example"}' }, fixed: '{}', reason: 'must not replace' },
    { what: 'signing', secrets: { signing: 'whsec_n0t' }, fixed: keyOf(1), reason: 'base64' },
  ];

  test.each(cases)(
    'retries until the secret of its $what, $secrets, is fixed',
    async ({ what, secrets, fixed, reason }) => {
      const relay = await DeployedRelay.deploy({
        ...(secrets && { secrets }),
        retryPolicy: PATIENT,
        windowSeconds: 1,
      });
      await relay.publish('one');
      await relay.publish('two');
      await relay.deployed.advance({ seconds: 20 });
      expect(relay.requests).toEqual([]);
      expect(relay.queued).toBe(2);
      await relay.setSecret(what as 'endpoint', fixed);
      await relay.deployed.advance({ minutes: 20 });
      expect(relay.requests).toHaveLength(2);
      expect(relay.queued).toBe(0);
      expect(await relay.deadLetters()).toEqual([]);
      expect(relay.lines[0]).toMatchObject({
        level: 'ERROR',
        message: 'not tried',
        reason: expect.stringContaining(reason),
      });
      expect(relay.log.join('\n')).not.toContain('n0t');
      expect(await relay.metric('Attempts')).toBe(2);
    },
  );

  test('keeps a message while Secrets Manager refuses to let it read them', async () => {
    const relay = await DeployedRelay.deploy({ secrets: { signing: keyOf(1) } });
    const denied = { action: 'GetSecretValue', httpStatus: 400, code: 'AccessDeniedException' };
    relay.deployed.aws.faults.set({ ...denied, service: 'secretsmanager', forMs: 15_000 });
    await relay.publish(ORDER);
    await relay.settle();
    expect(relay.askedAt).toEqual([30]);
    expect(relay.lines).toHaveLength(2);
    expect(relay.lines[0]?.['reason']).toContain('the signing secret cannot be read: ');
    expect(relay.lines[0]?.['reason']).toContain('AccessDeniedException');
  });

  test('does not dead-letter a message for a secret that it has never read, although its policy has no delay', async () => {
    const relay = await DeployedRelay.deploy({ retryPolicy: NO_RETRIES, secrets: { signing: 'no key' } });
    await relay.publish(ORDER);
    await relay.deployed.advance({ minutes: 12 });
    expect(relay.queued).toBe(1);
    await relay.setSecret('signing', keyOf(1));
    await relay.deployed.advance({ minutes: 12 });
    expect(verify(onlyRequest(relay), keyOf(1))).toBeDefined();
    expect(relay.queued).toBe(0);
  });
});

const TOPIC_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders';
const SUBSCRIPTION_ARN = `${TOPIC_ARN}:c9135db0-26c4-47ec-8998-413945fb5a96`;
const MESSAGE_ID = '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324';

const ENVELOPE: NotificationEnvelope = {
  Type: 'Notification',
  MessageId: MESSAGE_ID,
  TopicArn: TOPIC_ARN,
  Message: '{}',
  Timestamp: '2026-01-01T00:00:00.000Z',
  UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${SUBSCRIPTION_ARN}`,
};

const PARTS = { contentType: 'text/plain; charset=UTF-8', headers: [], signingKeys: [], nowMs: () => 0 };

const headersOf = (parts: Partial<Parameters<typeof requestHeaders>[1]>, raw = false, envelope = ENVELOPE) =>
  requestHeaders({ id: MESSAGE_ID, body: '{}', headers: snsHeaders(envelope, raw) }, { ...PARTS, ...parts });

/** The headers that SNS sends to an endpoint, real or embedded. */
function ofSns(raw: boolean): Record<string, unknown> {
  const { headers } = httpRequest('https://hooks.example.com/orders', {
    messageType: 'Notification',
    messageId: MESSAGE_ID,
    topicArn: TOPIC_ARN,
    subscriptionArn: SUBSCRIPTION_ARN,
    raw,
    contentType: PARTS.contentType,
    body: '{}',
  });
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-sns-')));
}

/** https://docs.aws.amazon.com/sns/latest/dg/http-header.html */
describe('The headers of a relayed request', () => {
  test.each([
    ['an envelope', false],
    ['a raw message', true],
  ])('are those of SNS with %s', (_what, rawMessageDelivery) => {
    const headers = headersOf({}, rawMessageDelivery);
    expect(headers).toEqual({
      ...ofSns(rawMessageDelivery),
      'Content-Type': 'text/plain; charset=UTF-8',
      'User-Agent': 'Dead Letter Office Relay',
    });
    expect(Object.keys(headers)).toHaveLength(rawMessageDelivery ? 7 : 6);
  });

  test.each([
    ['has no such link, as of a FIFO topic', undefined],
    ['has a link that is no URL', 'unsubscribe'],
    ['has a link that names none', 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe'],
  ])('do not name the subscription if the envelope %s', (_what, link) => {
    const { UnsubscribeURL, ...rest } = ENVELOPE;
    const envelope = link === undefined ? rest : { ...rest, UnsubscribeURL: link };
    expect(snsHeaders(envelope, false)).not.toHaveProperty('x-amz-sns-subscription-arn');
  });

  test('include the user’s; secret headers replace these in any letter case, and the signature replaces both', () => {
    const headers = headersOf({
      headers: [
        { 'X-Api-Key': 'shown', 'X-Team': 'billing' },
        { 'x-api-key': 'secret', Authorization: 'Bearer abc' },
      ],
      signingKeys: [{ bytes: Buffer.alloc(32) }],
    });
    expect(headers).toMatchObject({
      'x-api-key': 'secret',
      'X-Team': 'billing',
      Authorization: 'Bearer abc',
      'webhook-id': MESSAGE_ID,
    });
    expect(headers).not.toHaveProperty('X-Api-Key');
  });

  test('cannot be replaced by a user, even if no construct checked the user’s', () => {
    const forged = { 'X-AMZ-SNS-MESSAGE-ID': 'forged', 'content-type': 'forged', 'user-agent': 'forged' };
    const values = Object.values(headersOf({ headers: [forged, forged] }));
    expect(values).not.toContain('forged');
  });
});

describe('the signature of a request', () => {
  /** The secret of the example in the specification. */
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

  /** Verifies as receivers do, with their clock. */
  const verified = (secret: string, body: string, headers: Record<string, string>) =>
    new Webhook(secret).verify(body, headers, { jsonParse: false });

  /** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
  describe('A signature of Standard Webhooks', () => {
    beforeEach(() => jest.useFakeTimers({ now: AT_MS + 999 }));
    afterEach(() => jest.useRealTimers());

    test('equals the example of the specification', () => {
      const [id, body] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}'];
      expect(signatureHeaders([keyOf(SECRET)], { id, atMs: 1_614_265_330_999, body })).toEqual({
        'webhook-id': id,
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      });
    });

    test('is accepted by the public library, for any key and body', () => {
      const anyKey = fc.uint8Array({ minLength: 24, maxLength: 64 });
      const anyBody = fc.string({ unit: 'binary', maxLength: 300 });
      fc.assert(
        fc.property(anyKey, anyBody, (bytes, body) => {
          const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
          expect(() => verified(secret, body, signed([secret], body))).not.toThrow();
        }),
      );
    });

    test('is not accepted for another body, id, time or key', () => {
      const headers = signed([SECRET], '{}');
      const later = String(Number(headers['webhook-timestamp']) + 1);
      expect(() => verified(SECRET, '{ }', headers)).toThrow('No matching signature found');
      expect(() => verified(OTHER, '{}', headers)).toThrow('No matching signature found');
      for (const changed of [{ 'webhook-id': 'another' }, { 'webhook-timestamp': later }]) {
        expect(() => verified(SECRET, '{}', { ...headers, ...changed })).toThrow('No matching signature found');
      }
    });

    test('has the time of the attempt, and an old one is refused', () => {
      expect(() => verified(SECRET, '{}', signed([SECRET], '{}', AT_MS - 301_000))).toThrow('timestamp too old');
    });

    test('exists once per key during a rotation, so that receivers may have either', () => {
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
    ])('%j is malformed, and the error does not show it', (text, rule, value) => {
      expect(readSigningSecret('the secret', text)).toEqual({
        kind: 'malformed',
        problem: { property: 'the secret', rule, value },
      });
    });
  });
});

const START_MS = Date.UTC(2026, 0, 1);

const BODY = JSON.stringify({
  Type: 'Notification',
  MessageId: 'm-1',
  TopicArn: 'arn:aws:sns:us-east-1:123456789012:Orders',
  Message: 'x',
  Timestamp: '2026-01-01T00:00:00.000Z',
});

const RECORD = {
  messageId: 'sqs-1',
  receiptHandle: 'handle',
  body: BODY,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(START_MS),
    ApproximateFirstReceiveTimestamp: String(START_MS),
    SenderId: 's',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:Queue',
  awsRegion: 'us-east-1',
};

/** A relay with one request in six seconds, whose only message is sent over a dead connection. */
function relay(remainingMs: number) {
  let nowMs = START_MS;
  const requestedAt: number[] = [];
  const lines: string[] = [];
  const requested = () => requestedAt.push((nowMs - START_MS) / 1_000);
  const post = async (_envelope: unknown, _body: string, again: Again): Promise<Posted> => {
    requested();
    if (!(await again())) return { verdict: { kind: 'retry', reason: 'reset' }, answer: '', requests: 1 };
    requested();
    return { verdict: { kind: 'delivered', reason: 'taken' }, answer: '', statusCode: 200, requests: 2 };
  };
  const ports: RelayPorts = {
    settings: {
      ...SETTINGS,
      queueUrl: 'https://sqs/Queue',
      deadLetterQueueUrl: 'https://sqs/Dead',
      endpoint: { url: 'https://partner.example.com/' },
      maxReceivesPerSecond: 1,
      maximumConcurrency: 6,
    },
    functionName: 'relay',
    endpoint: async () => ({
      kind: 'ready',
      destination: 'https://partner.example.com/',
      post,
      hasOldSecrets: async () => false,
    }),
    queues: { changeVisibility: async () => new Map(), deadLetterMessage: async () => undefined },
    nowMs: () => nowMs,
    wait: async milliseconds => {
      nowMs += milliseconds;
    },
    chance: () => 0.5,
    print: line => lines.push(typeof line === 'string' ? line : JSON.stringify(line)),
  };
  const context = { getRemainingTimeInMillis: () => remainingMs - (nowMs - START_MS) };
  const answer = () => relayHandler(ports)({ Records: [RECORD] }, context);
  return { answer, requestedAt, lines };
}

describe('A request sent again over a new connection', () => {
  test('waits for a turn of its own, and is counted', async () => {
    const { answer, requestedAt, lines } = relay(120_000);
    expect(await answer()).toMatchObject({ attempts: 2, delivered: 1, failedAttempts: 0, batchItemFailures: [] });
    expect(requestedAt).toEqual([6, 12]);
    const records = lines.map(line => JSON.parse(line)).filter(line => 'notification' in line);
    expect(records).toMatchObject([{ relay: { requests: 2 }, delivery: { attempts: 1 } }]);
  });

  test('is not sent if too little time is left', async () => {
    const { answer, requestedAt, lines } = relay(34_000);
    expect(await answer()).toMatchObject({ attempts: 1, delivered: 0, failedAttempts: 1 });
    expect(requestedAt).toEqual([6]);
    const [record] = lines.map(line => JSON.parse(line)).filter(line => 'notification' in line);
    expect(record.relay).not.toHaveProperty('requests');
  });
});
