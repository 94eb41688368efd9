import { randomBytes } from 'node:crypto';
import type { Attempt, FleetErrorCode } from '../../fleet';
import { Attempts } from '../../fleet/attempts';
import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { FleetStore } from '../../fleet/fleet-store';
import { dynamoDbCalls } from '../../fleet/sdk-calls';
import { Secrets } from '../../fleet/secrets';
import type { FleetEndpoint } from '../../policy/fleet/endpoint';
import { itemKeys } from '../../policy/fleet/fleet-items';
import type { Delivery } from '../../policy/fleet/fleet-messages';
import { readEndpointItem } from '../../policy/fleet/item-readers';
import { newState } from '../../policy/fleet/state-item';
import { clientAccount } from './client-account';
import { parkedItem } from './fleet-account';

const ORDERS: FleetEndpoint = {
  tenant: 'acme',
  endpoint: 'orders',
  url: 'https://acme.example/hook',
  types: ['order.paid', 'order.sent'],
  filter: { total: [{ numeric: ['>', 5] }] },
};

let it: Awaited<ReturnType<typeof clientAccount>>;
beforeAll(async () => {
  it = await clientAccount();
});
afterAll(() => it.aws.close());

const itemsOf = () => new DynamoDbTable(dynamoDbCalls(it.dynamoDb), 'fleet', async () => {});
const tableOf = () => new FleetStore(itemsOf());

async function expectRefused(call: Promise<unknown>, text: string, code: FleetErrorCode = 'invalid'): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: 'FleetError', code, message: expect.stringContaining(text) });
}

const named = (endpoint: string): FleetEndpoint => ({ ...ORDERS, endpoint });

describe('The fleet client', () => {
  test('creates an endpoint with a secret shown once, changes it, and removes it with its matches', async () => {
    const { client } = it;
    const created = await client.put(ORDERS, { version: 0 });
    expect(created).toEqual({ version: 1, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) });
    const changed = { ...ORDERS, types: ['order.sent', '*'], description: 'second' };
    expect(await client.put(changed)).toEqual({ version: 2 });
    const found = await client.get(ORDERS);
    expect(found).toEqual({ ...changed, version: 2, createdAtMs: it.aws.nowMs, health: 'healthy', failures: 0 });
    const matches = async (type: string) =>
      (await tableOf().matches('acme', type, undefined, 10)).matches.map(({ sk }) => sk);
    expect(await matches('order.paid')).toEqual(['orders']);
    await client.put({ ...ORDERS, types: ['order.sent'] });
    expect([await matches('order.paid'), await matches('order.sent')]).toEqual([[], ['orders']]);
    await client.remove(ORDERS, { version: 3 });
    await expectRefused(client.get(ORDERS), 'the fleet has no endpoint acme/orders', 'not-found');
    expect(await matches('order.sent')).toEqual([]);
    // The prober looks for parked messages of the removed endpoint.
    expect(await tableOf().state(ORDERS)).toMatchObject({ ...newState(ORDERS), version: 1, wakeAtMs: it.aws.nowMs });
  });

  test('lists an endpoint that fails among those of all tenants until it recovers, with its parked messages', async () => {
    const { client } = it;
    const stopped = { ...ORDERS, tenant: 'other', endpoint: 'stopped' };
    for (const endpoint of [stopped, { ...stopped, endpoint: 'gone' }]) {
      await client.put(endpoint);
      await client.disable(endpoint);
    }
    await client.remove({ ...stopped, endpoint: 'gone' });
    for (const due of [2, 1, 3]) await tableOf().park(parkedItem(stopped, `m${due}`, due, '{"secret": 1}'));
    await it.aws.advance({ seconds: 10 });
    expect(await client.unsettled()).toEqual([await client.get(stopped)]);
    const { pk: _, sk: __, data: ___, ...first } = parkedItem(stopped, 'm1', 1);
    expect(await client.parked(stopped, 1)).toEqual([first]);
    expect(await client.parked(stopped)).toHaveLength(3);
    await expectRefused(client.parked(stopped, 0), 'limit must be a whole number from 1 to 100');
    // Another endpoint of that name begins healthy, before the prober has seen that this one was removed.
    await client.remove(stopped);
    await client.put(stopped);
    expect(await client.get(stopped)).toMatchObject({ health: 'healthy', failures: 0 });
    await client.remove(stopped);
  });

  test('lets only the first of two writers create an endpoint', async () => {
    const { client } = it;
    const name = named('raced');
    const first = await Promise.allSettled([client.put(name), client.put(name)]);
    expect(first.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expectRefused(client.put(name, { version: 7 }), 'has version 1, not 7', 'conflict');
    const writers = await Promise.allSettled([client.put(name), client.rotateSecret(name), client.remove(name)]);
    const lost = writers.flatMap(it => (it.status === 'rejected' ? [it.reason.code] : []));
    expect(lost).toEqual(['conflict', 'conflict']);
  });

  test('rotates a secret: the old ones are valid for a day, five secrets in all', async () => {
    const { client } = it;
    const { secret } = await client.put(named('rotated'));
    const rotated = await client.rotateSecret(named('rotated'));
    expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), previousUntilMs: it.aws.nowMs + 86_400_000 });
    expect(rotated.secret).not.toBe(secret);
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await client.rotateSecret(named('rotated'), { secret: own, overlapSeconds: 60 })).toMatchObject({
      secret: own,
    });
    const found = await client.get(named('rotated'));
    expect(found).toMatchObject({ version: 3, previousSecretUntilMs: it.aws.nowMs + 60_000 });
    const text = JSON.stringify([found, await client.list({ tenant: 'acme' })]);
    expect(text).not.toMatch(/whsec_|ciphertext|"secrets"/);
    const table = itemsOf();
    const signing = async () => {
      const item = await table.get(itemKeys.endpoint(named('rotated')), readEndpointItem);
      return item?.secrets.map(({ untilMs }) => untilMs && untilMs - it.aws.nowMs);
    };
    // No old one signs for longer than the last call says.
    expect(await signing()).toEqual([undefined, 60_000, 60_000]);
    for (const overlapSeconds of [30, 90]) await client.rotateSecret(named('rotated'), { overlapSeconds });
    expect(await signing()).toEqual([undefined, 90_000, 30_000, 30_000, 30_000]);
    const until = new Date(it.aws.nowMs + 30_000).toISOString();
    const problem = `has 5 secrets that sign, the oldest until ${until}: wait until then`;
    await expectRefused(client.rotateSecret(named('rotated')), problem);
    await client.rotateSecret(named('rotated'), { overlapSeconds: 0 });
    expect(await signing()).toEqual([undefined]);
  });

  test('writes an endpoint that was read, unless another writer changed it first', async () => {
    const { client } = it;
    await client.put(named('read'));
    await client.disable(named('read'));
    const found = await client.get(named('read'));
    expect(await client.put({ ...found, maxPerSecond: 5 })).toEqual({ version: 2 });
    expect(await client.get(named('read'))).toEqual({ ...found, maxPerSecond: 5, version: 2 });
    await expectRefused(client.put(found), 'has version 2, not 1', 'conflict');
    await client.remove(named('read'));
    await client.put(named('read'));
    const again = client.put({ ...found, version: 1 });
    await expectRefused(again, 'was removed, and there is another one', 'conflict');
  });

  test('creates an endpoint with an OAuth client, whose secret belongs to its token URL and is never shown', async () => {
    const { client, settings, kms, aws } = it;
    const [tokenUrl, clientId] = ['https://login.example/token', 'shop'];
    const request = { tokenUrl, clientId, scope: 'orders' };
    const known = { ...named('oauth'), authorization: request };
    await client.put({ ...known, authorization: { ...request, clientSecret: 's3cr3t' } });
    expect(await client.put({ ...known, description: 'same' })).toEqual({ version: 2 });
    expect((await client.get(known)).authorization).toEqual(request);
    const table = itemsOf();
    const { fleetName, keyArn } = settings;
    const secrets = new Secrets({ table, kms, fleetName, keyArn, nowMs: () => aws.nowMs, freshBytes: randomBytes });
    const item = await table.get(itemKeys.endpoint(known), readEndpointItem);
    expect(item && (await secrets.read(item))).toMatchObject({ kind: 'secrets', clientSecret: 's3cr3t' });
    for (const other of [{ tokenUrl: 'https://other.example/token' }, { clientId: 'other' }]) {
      const text = 'authorization.clientSecret must be given';
      await expectRefused(client.put({ ...known, authorization: { ...request, ...other } }), text);
    }
    await client.put(named('oauth'));
    expect((await client.get(known)).authorization).toBeUndefined();
  });

  test('disables and enables an endpoint', async () => {
    const { client } = it;
    await client.put(named('switched'));
    await client.disable(named('switched'));
    await client.disable(named('switched'));
    expect(await client.get(named('switched'))).toMatchObject({ health: 'disabled', disabledReason: 'by-hand' });
    await expectRefused(client.sendTest(named('switched')), 'enable it first', 'conflict');
    await client.enable(named('switched'));
    await client.enable(named('switched'));
    expect(await client.get(named('switched'))).toMatchObject({ health: 'draining' });
    expect((await tableOf().state(named('switched')))?.version).toBe(2);
  });

  test('lists the endpoints of a tenant by name, in pages, with their health and without calls of KMS', async () => {
    const { client, clientOf, dynamoDb } = it;
    for (const endpoint of ['c', 'a', 'b']) await client.put({ ...ORDERS, tenant: 'listed', endpoint });
    await client.disable({ tenant: 'listed', endpoint: 'b' });
    const reader = clientOf({ dynamoDb, kms: undefined as never, sqs: undefined as never });
    const first = await reader.list({ tenant: 'listed', limit: 2 });
    expect(first.endpoints.map(({ endpoint, health }) => [endpoint, health])).toEqual([
      ['a', 'healthy'],
      ['b', 'disabled'],
    ]);
    expect(first.after).toBe('b');
    const second = await reader.list({ tenant: 'listed', limit: 2, after: 'b' });
    expect([second.endpoints.map(({ endpoint }) => endpoint), second.after]).toEqual([['c'], undefined]);
    await expectRefused(reader.put(named('new')), 'kms must be a client');
  });
});

describe('The fleet client refuses', () => {
  const types = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const NONE = { tenant: 'acme', endpoint: 'none' };
  const EVENT = { tenant: 'acme', type: 'a' };
  type Call = (client: (typeof it)['client']) => Promise<unknown>;

  const put =
    (others: object): Call =>
    client =>
      client.put({ ...ORDERS, ...others });

  test.each<readonly [what: string, call: Call, text: string]>([
    ['a private address', put({ url: 'https://10.0.0.1/' }), 'url must name a public host'],
    ['a filter that SNS refuses', put({ filter: { a: [] } }), 'Empty arrays'],
    [
      'a filter without a match',
      put({ filter: { a: [{ numeric: ['>', 5, '<', 3] }] } }),
      'Bottom must be less than top',
    ],
    ['several problems', put({ tenant: 'a b', types: [] }), 'hyphens, got "a b"; types must be 1 to 90'],
    ['no endpoint', c => c.put(undefined as never), 'endpoint must be an object, got nothing'],
    [
      'a bad secret',
      c => c.put(named('new'), { secret: 'hunter2' }),
      'secret must begin with whsec_, got "7 characters',
    ],
    ['a secret in the wrong place', put({ ...NONE, secret: 'whsec_x' }), 'description, got "string"'],
    ['a bad name', c => c.get({ tenant: 'a/b', endpoint: 'c' }), 'tenant must be 1 to 63 letters'],
    ['a bad limit', c => c.list({ tenant: 'acme', limit: 101 }), 'limit must be a whole number from 1 to 100'],
    ['an event without a type', c => c.send({ tenant: 'acme', data: {} } as never), 'type must be 1 to 128'],
    ['an event that is no JSON', c => c.send({ ...EVENT, data: { total: 5n } }), 'data must be JSON'],
    ['an event without data', c => c.send(EVENT as never), 'data must be a string or an object'],
    ['an event that is too large', c => c.send({ ...EVENT, data: 'x'.repeat(262_144) }), 'at most 262144 bytes'],
    ['a bad filter', c => c.replay({ ...ORDERS, sinceMs: 0, dataFilter: { a: 5 } }), 'must be a filter policy of SNS'],
    [
      'no source',
      c => c.replay({ delivery: 'm', from: 'dead' as 'log' }),
      'from must be dead-letters or log, got "dead"',
    ],
    ['a replay without an id', c => c.replay({ delivery: '' }), 'delivery must be a string'],
    ['attempts without an id', c => c.attempts({ delivery: '' }), 'delivery must be a string'],
    ['a long overlap', c => c.rotateSecret(ORDERS, { overlapSeconds: 1e9 }), 'overlapSeconds must be'],
  ])('%s', async (_, call, text) => {
    await expectRefused(call(it.client), text);
  });

  test.each<readonly [what: string, call: Call]>([
    ['read', c => c.get(NONE)],
    ['disable', c => c.disable(NONE)],
    ['remove', c => c.remove(NONE)],
    ['replay', c => c.replay({ ...NONE, sinceMs: 0 })],
  ])('to %s an endpoint that does not exist', async (_, call) => {
    await expectRefused(call(it.client), 'acme/none', 'not-found');
  });

  test('a secret for an endpoint that has one, and more changed types than fit into a transaction', async () => {
    const { client } = it;
    await client.put({ ...named('many'), types: types(90, 'a') });
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    await expectRefused(client.put(named('many'), { secret }), 'see rotateSecret');
    const most = { ...named('many'), types: [...types(81, 'a'), ...types(9, 'b')] };
    expect(await client.put(most)).toEqual({ version: 2 });
    const text = 'types must change by at most 99';
    await expectRefused(client.put({ ...most, types: types(90, 'c') }), text);
    expect(await client.put({ ...most, filter: { total: [1] } })).toEqual({ version: 3 });
    await client.remove(most);
  });

  test('invalid settings, and calls without required parameters', async () => {
    const { clientOf } = it;
    expect(() => clientOf({ settings: '{}' })).toThrow('FLEET_SETTINGS: fleetName must be a string');
    expect(() => clientOf({ settings: undefined as never })).toThrow('got 0 characters');
    const bare = clientOf(
      { sqs: undefined as never },
      { attemptRetentionSeconds: undefined as never, logsBodies: false },
    );
    await expectRefused(bare.send({ tenant: 'acme', type: 'a', data: {} }), 'sqs must be');
    await expectRefused(bare.attempts({ delivery: 'm' }), 'the fleet shop does not log attempts');
    await expectRefused(bare.replay({ delivery: 'm', from: 'log' }), 'does not log bodies');
  });

  test('a call that AWS throttles, with a throttling error', async () => {
    const { aws, client } = it;
    for (const [action, call] of [
      ['GetItem', () => client.get(named('rotated'))],
      ['Query', () => client.list({ tenant: 'acme' })],
      ['TransactWriteItems', () => client.put(named('throttled'))],
    ] as const) {
      const fault = aws.faults.set({ service: 'dynamodb', action, throttle: true });
      await expectRefused(call(), 'AWS refuses requests for now', 'throttled');
      fault.end();
    }
  });
});

describe('messages', () => {
  test('are sent as events, with a generated id or that of the sender', async () => {
    const { client, drained, settings } = it;
    const { id } = await client.send({ tenant: 'acme', type: 'order.paid', data: { total: 7 } });
    await client.send({ tenant: 'acme', type: 'order.paid', data: '{"total": 8}', id: 'e-8' });
    const bodies = (await drained(settings.eventsQueueUrl)).map(({ Body = '' }) => JSON.parse(Body));
    expect(bodies).toEqual([
      { id, tenant: 'acme', type: 'order.paid', data: '{"total":7}' },
      { id: 'e-8', tenant: 'acme', type: 'order.paid', data: '{"total": 8}' },
    ]);
    expect(id).toMatch(/^evt_/);
  });

  test('can be sent to one endpoint as a test', async () => {
    const { client, drained, settings } = it;
    await client.put(named('tested'));
    const { delivery } = await client.sendTest(named('tested'));
    const [message, ...others] = await drained(settings.deliveriesQueueUrl);
    expect(others).toEqual([]);
    expect(message?.Attributes?.MessageGroupId).toBe('acme/tested');
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({
      id: delivery,
      endpoint: 'tested',
      type: 'test',
      data: '{"test":true}',
      attempts: 0,
    });
  });

  const delivery = (id: string, endpoint: string, sentAtMs: number, total: number): Delivery => ({
    id,
    tenant: 'acme',
    endpoint,
    eventId: id,
    type: 'order.paid',
    data: JSON.stringify({ total }),
    sentAtMs,
    attempts: 0,
  });

  test('that are dead letters are replayed by endpoint, time and filter, and the others stay', async () => {
    const { aws, client, drained, settings, sqs } = it;
    await client.put(named('replayed'));
    const dead = [
      ...Array.from({ length: 25 }, (_, index) => delivery(`m${index}`, 'replayed', 1_000 + index, index)),
      delivery('other', 'tested', 1_020, 20),
    ];
    for (const letter of [...dead.map(it => JSON.stringify(it)), 'no delivery']) {
      await sqs.sendMessage({ QueueUrl: settings.deadLetterQueueUrl, MessageBody: letter });
    }
    // Virtual time stands still meanwhile.
    const startedAtMs = aws.nowMs;
    const dataFilter = { total: [{ numeric: ['>=', 20] }] };
    const replayed = await client.replay({ ...named('replayed'), sinceMs: 1_015, dataFilter });
    expect({ ...replayed, deliveries: [...replayed.deliveries].sort() }).toEqual({
      deliveries: ['m20', 'm21', 'm22', 'm23', 'm24'],
      lookedAt: 27,
      isComplete: true,
    });
    const [first] = await drained(settings.deliveriesQueueUrl);
    expect(JSON.parse(first?.Body ?? '')).toMatchObject({ attempts: 0, endpoint: 'replayed' });
    expect(JSON.parse(first?.Body ?? '').sentAtMs).toBeGreaterThan(1_100);
    const partly = await client.replay({ delivery: 'other', mostLookedAt: 3 });
    expect(partly).toMatchObject({ lookedAt: 3, isComplete: false });
    expect((await client.replay({ delivery: 'm3' })).deliveries).toEqual(['m3']);
    // Its endpoint refuses it at once: it is a dead letter again before the replay ends.
    const bouncing: typeof sqs = Object.assign(Object.create(sqs), {
      sendMessage: ({ MessageBody }: { MessageBody: string }) =>
        sqs.sendMessage({ QueueUrl: settings.deadLetterQueueUrl, MessageBody }),
    });
    const bounced = await it.clientOf({ sqs: bouncing }).replay({ delivery: 'm4' });
    expect(bounced).toMatchObject({ deliveries: ['m4'], isComplete: true });
    expect(aws.nowMs).toBe(startedAtMs);
    // Another reader deletes those that it would show again.
    const overtaken: typeof sqs = Object.assign(Object.create(sqs), {
      changeMessageVisibility: async (input: Parameters<typeof sqs.changeMessageVisibility>[0]) => {
        await sqs.deleteMessage(input);
        return await sqs.changeMessageVisibility(input);
      },
    });
    const nothing = await it.clientOf({ sqs: overtaken }).replay({ delivery: 'none' });
    expect(nothing).toEqual({ deliveries: [], lookedAt: 21, isComplete: true });
    expect(await drained(settings.deadLetterQueueUrl)).toEqual([]);
    await drained(settings.deliveriesQueueUrl);
  });

  test('with a log of attempts can be read, and sent again with their bodies', async () => {
    const { aws, client, drained, settings } = it;
    await client.put(named('logged'));
    const dayMs = 86_400_000;
    const attempt = (id: string, atMs: number): Attempt => ({
      tenant: 'acme',
      endpoint: 'logged',
      deliveryId: id,
      eventId: id,
      type: 'a',
      sentAtMs: atMs - 60_000,
      attempt: 1,
      atMs,
      latencyMs: 9,
      outcome: 'failed',
      reason: 'status 500',
      statusCode: 500,
      requestId: 'r',
      data: '{}',
    });
    const at = [3 * dayMs, 2 * dayMs, 2 * dayMs - 60_000, 5_000].map(age => aws.nowMs - age);
    const attempts = at.map((atMs, index) => attempt(index === 2 ? 'l1' : `l${index}`, atMs));
    expect(await new Attempts(itemsOf(), 7 * 86_400).log(attempts)).toBe(0);
    const newest = [...attempts].reverse();
    expect(await client.attempts(named('logged'))).toEqual(newest);
    expect(await client.attempts({ ...named('logged'), limit: 2 })).toEqual(newest.slice(0, 2));
    const range = { sinceMs: aws.nowMs - 2 * dayMs, untilMs: aws.nowMs - 5_001 };
    expect(await client.attempts({ ...named('logged'), ...range })).toEqual(newest.slice(1, 3));
    // Both have the same number, as the attempts of probes have.
    expect(await client.attempts({ delivery: 'l1' })).toEqual(attempts.slice(1, 3));
    const replayed = await client.replay({ ...named('logged'), sinceMs: 0, from: 'log' });
    expect(replayed).toEqual({ deliveries: ['l3', 'l1', 'l0'], lookedAt: 4, isComplete: true });
    expect(await drained(settings.deliveriesQueueUrl)).toHaveLength(3);
    // The last attempt was since then, but not its event.
    const late = await client.replay({ ...named('logged'), sinceMs: aws.nowMs - 60_000, from: 'log' });
    expect(late).toMatchObject({ deliveries: [], lookedAt: 1 });
  });
});
