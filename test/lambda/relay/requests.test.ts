import https from 'node:https';
import MessageValidator from 'sns-validator';
import { Webhook } from 'standardwebhooks';
import type { ReceivedRequest } from '../../../local';
import { response } from '../../../local';
import { networkAgent } from '../../support/network-agent';
import { DeployedRelay, NO_RETRIES, POLICY, type RelayOptions } from './relay-fixture';

const keyOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

const textOf = ({ body }: ReceivedRequest): string => Buffer.from(body).toString('utf8');

/** Members as SNS puts them, which no parser gives back just so. */
const ORDER = '{"order": 7, "für": "Zoë \u{1f4e6}",\r\n "sum":1.50}';

/** As receivers verify it, whose clock tells the time of the embedded AWS. */
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

  test('carries SNS’s envelope to the byte, and the headers SNS sends', async () => {
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

  test('carries the message alone where that is asked for, to the byte', async () => {
    const { request } = await delivered({ rawMessageDelivery: true, contentType: 'application/json' });
    expect(textOf(request)).toBe(ORDER);
    expect(request.headers).toMatchObject({ 'x-amz-sns-rawdelivery': 'true', 'content-type': 'application/json' });
  });

  test('is verified by sns-validator, a third party’s', async () => {
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

  test('is signed anew each time it is tried again', async () => {
    const relay = await DeployedRelay.deploy({ secrets: { signing: keyOf(1) } });
    relay.host.behave({ reply: response(503), count: 1 });
    await relay.publish(ORDER);
    await relay.settle();
    for (const request of relay.requests) expect(verify(request, keyOf(1))).toBeDefined();
    const [first, second] = relay.requests.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(10);
  });

  test('is signed with both keys while they are rotated, and with the new one as soon as the old one is forgotten', async () => {
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

  test('goes where a secret says, with the headers of another, and no log says more than the host', async () => {
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

/** A secret is used for five minutes, and so is one that is no good. */
const PATIENT = { ...POLICY, minDelayTarget: 60, maxDelayTarget: 60, numRetries: 20 };

describe('a relay whose secrets are not there', () => {
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
    'tries again until the secret of its $what, $secrets, is mended',
    async ({ what, secrets, fixed, reason }) => {
      const relay = await DeployedRelay.deploy({ ...(secrets && { secrets }), retryPolicy: PATIENT, windowSeconds: 1 });
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

  test('keeps a message while Secrets Manager does not let it read them', async () => {
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

  test('does not give a message up for a secret it could never read, though its policy has no delay', async () => {
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
