import { type DelivererPorts, delivererHandler } from '../../lambda/fleet/deliverer';
import { dispatcherHandler, Filters } from '../../lambda/fleet/dispatcher';
import type { DelayedDelivery, FleetQueues } from '../../lambda/fleet/ports';
import { proberHandler } from '../../lambda/fleet/prober';
import { DEFAULT_HEALTH_SETTINGS, type EndpointState } from '../../policy/fleet/endpoint-health';
import type { EndpointItem } from '../../policy/fleet/fleet-items';
import { type Delivery, messageText } from '../../policy/fleet/fleet-messages';
import { newState, withHealth, wokenAt } from '../../policy/fleet/state-item';
import { MINUTE_MS } from '../../policy/time-units';
import { type Answer, FleetModel, type FleetModelOptions } from './fleet-model';

const ONE = { tenant: 'acme', endpoint: 'one' };
const OPEN: EndpointState = { health: 'open', failures: 10, probes: 0, failingSinceMs: 1, probeAtMs: 9e12 };

/** A fleet with an endpoint in a state. */
class Played extends FleetModel {
  readonly table = this.portsWith({}).table;
  /** What `deliver` sent to the queue. */
  readonly sent: DelayedDelivery[] = [];

  constructor(options: Partial<FleetModelOptions> = {}, change: Partial<EndpointItem> = {}) {
    super({ seed: 1, ...options });
    this.add('acme/one', change);
  }

  async setHealth(state: EndpointState): Promise<void> {
    const call = async () => {
      const read = (await this.table.state(ONE)) ?? newState(ONE);
      const next = wokenAt(withHealth(read, state, this.nowMs), state.probeAtMs ?? this.nowMs);
      await this.table.putState({ ...next, version: read.version + 1 }, read.version);
    };
    // The index lags.
    await Promise.all([call(), this.advance(500)]);
  }

  /** Events that wait in the table. */
  async park(count: number): Promise<void> {
    await this.setHealth(OPEN);
    for (let event = 0; event < count; event += 1) this.event('acme');
    await this.advance(2_000);
  }

  /** Gives the deliverer one message. @returns for how many seconds it is hidden, if it is */
  async deliver(
    table: Parameters<FleetModel['portsWith']>[0],
    { queues, ...others }: Partial<Omit<DelivererPorts, 'queues'>> & { readonly queues?: Partial<FleetQueues> } = {},
    remainingMs: () => number = () => 100_000,
  ): Promise<number | undefined> {
    const ports = this.portsWith(table);
    let hidden: number | undefined;
    const hide: FleetQueues['hide'] = async ([first]) => {
      hidden = first?.seconds;
      return 0;
    };
    const sendDeliveries: FleetQueues['sendDeliveries'] = deliveries => {
      this.sent.push(...deliveries);
      return ports.queues.sendDeliveries(deliveries);
    };
    const delivery: Delivery = {
      id: 'msg_1',
      ...ONE,
      eventId: 'e',
      type: 'paid',
      data: '{}',
      sentAtMs: this.nowMs,
      attempts: 0,
    };
    const attributes = {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(this.nowMs),
      ApproximateFirstReceiveTimestamp: String(this.nowMs),
    };
    const record = { messageId: '1', receiptHandle: 'r', body: messageText(delivery), attributes };
    const handle = delivererHandler({
      ...ports,
      queues: { ...ports.queues, hide, sendDeliveries, ...queues },
      ...others,
    });
    const context = { getRemainingTimeInMillis: remainingMs, awsRequestId: 'r' };
    await Promise.all([handle({ Records: [record as never] }, context), this.advance(20_000)]);
    return hidden;
  }
}

test('A message that is parked again while the prober deletes its old copy is not lost', async () => {
  const slow = { is: false };
  const model = new Played({
    answer: () => ({ status: 503, latencyMs: 20 }),
    slowMs: call => (slow.is && call === 'dynamodb:BatchWriteItem' ? 8_000 : 0),
  });
  await model.park(40);
  slow.is = true;
  await model.setHealth({ health: 'draining', failures: 0, probes: 0, maxAttempts: 5 });
  await model.advance(5 * MINUTE_MS);
  expect(model.ledger()).toMatchObject({ due: 40, lost: 0 });
});

test('A message that the dead-letter queue refuses for an hour does not stay parked', async () => {
  const model = new Played({
    settings: { maxAgeSeconds: 600 },
    answer: () => ({ status: 503, latencyMs: 20 }),
    fault: call => (call === 'sqs:SendMessage' ? 'throttle' : undefined),
  });
  await model.park(3);
  await model.advance(11 * MINUTE_MS);
  await model.setHealth({ health: 'suspect', failures: 3, probes: 0, maxAttempts: 5 });
  await model.advance(60 * MINUTE_MS);
  model.heal();
  await model.advance(3 * 60 * MINUTE_MS);
  expect(model.ledger()).toMatchObject({ due: 3, dead: 3, parked: 0 });
});

test.each([
  [10, 600],
  [10, 2_000],
  [50, 3_000],
])('A backlog below a ceiling of %i a second uses 90 %% of it', async (rate, count) => {
  const model = new Played({}, { maxPerSecond: rate });
  for (let event = 0; event < count; event += 1) model.event('acme');
  const startedAtMs = model.nowMs;
  for (let minute = 0; minute < 8 && model.ledger().delivered < count; minute += 1) await model.advance(MINUTE_MS / 2);
  const times = model.requests.map(({ atMs }) => atMs).sort((one, other) => one - other);
  expect(new Set(model.requests.map(({ id }) => id)).size).toBe(count);
  const tooSoon = times.filter((atMs, index) => atMs - (times[index - rate] ?? 0) < 1_000);
  expect(tooSoon).toEqual([]);
  expect(((times.at(-1) ?? 0) - startedAtMs) / 1_000).toBeLessThan(count / rate / 0.9);
});

describe('The maximum age of a message', () => {
  const settings = { maxAgeSeconds: 3_600 };

  test('leaves time for its retries, also if it is short', async () => {
    let status = 503;
    const model = new Played({ settings, answer: () => ({ status, latencyMs: 20 }) });
    model.event('acme');
    await model.advance(5_000);
    status = 200;
    await model.advance(MINUTE_MS);
    expect(model.ledger()).toMatchObject({ delivered: 1 });
  });

  test('dead-letters it within two minutes, also if younger ones are due before it and its endpoint is down', async () => {
    const late = { status: 429, latencyMs: 20, headers: { 'retry-after': '3000' } };
    let answer: Answer = late;
    const model = new Played({ settings, answer: () => answer });
    model.event('acme');
    await model.advance(10 * MINUTE_MS);
    answer = { status: 503, latencyMs: 20 };
    for (let event = 0; event < 30; event += 1) {
      model.event('acme');
      await model.advance(MINUTE_MS);
    }
    await model.advance(90 * MINUTE_MS);
    expect(model.ledger()).toMatchObject({ dead: 31, parked: 0 });
    const [first = 0, last = 0] = [Math.min(...model.deadAfterMs), Math.max(...model.deadAfterMs)];
    expect(first).toBeGreaterThan(58 * MINUTE_MS);
    expect(last).toBeLessThan(62 * MINUTE_MS);
  });
});

test.each([
  ['long ago', 0, -60 * MINUTE_MS],
  ['in the future', 9e15, 0],
])(
  'A message whose sender says that it is from %s is dead-lettered at about the same time as others',
  async (_, sentAtMs, differenceMs) => {
    const model = new Played();
    await model.setHealth(OPEN);
    const now = model.nowMs;
    model.event('acme', { sentAtMs });
    await model.advance(2_000);
    const [parked] = await model.onTime(model.table.parked(ONE, 1));
    expect(parked?.sentAtMs).toBe(now + differenceMs);
  },
);

test('Compiled filters are cached up to a total size', () => {
  const filters = new Filters(1_000);
  const filterOf = (index: number) => ({ filter: { total: [index] } });
  expect(filters.compiled(filterOf(1))).toBe(filters.compiled(filterOf(1)));
  let most = 0;
  for (let index = 0; index < 500; index += 1) {
    filters.compiled(filterOf(index));
    most = Math.max(most, filters.size);
  }
  expect([most > 10, most < 40]).toEqual([true, true]);
});

test.each<readonly [what: string, status: number, begin: (model: Played) => Promise<void>]>([
  ['are parked', 503, model => model.park(5)],
  [
    'wait for a retry',
    503,
    async model => {
      for (let event = 0; event < 5; event += 1) model.event('acme');
      await model.advance(2_000);
    },
  ],
  [
    'are under way and find it gone',
    410,
    async model => {
      for (let event = 0; event < 5; event += 1) model.event('acme');
      await model.advance(400);
    },
  ],
])(
  'Messages for an endpoint that was removed, and %s, do not go to a new endpoint of the same name',
  async (_, status, begin) => {
    let answer: Answer = { status, latencyMs: 900 };
    const model = new Played({ answer: () => answer });
    await begin(model);
    model.remove('acme/one');
    await model.advance(100);
    model.add('acme/one');
    answer = { status: 200, latencyMs: 20 };
    const attempts = model.requests.length;
    await model.advance(2_000);
    model.event('acme');
    await model.advance(10 * MINUTE_MS);
    expect(model.ledger()).toMatchObject({ due: 6, delivered: 1, dead: 5, parked: 0, queued: 0 });
    expect(model.requests).toHaveLength(attempts + 1);
  },
);

test('A message for an open endpoint without messages waits for the next probe of the schedule', async () => {
  const model = new Played();
  await model.setHealth({ ...OPEN, probeAtMs: model.nowMs });
  await model.advance(5 * MINUTE_MS);
  model.event('acme');
  await model.advance(2.5 * MINUTE_MS);
  expect(model.ledger()).toMatchObject({ delivered: 1 });
});

test('Probes continue while the topic for notices refuses them', async () => {
  const health = { ...DEFAULT_HEALTH_SETTINGS, disableAfterMs: 120 * MINUTE_MS };
  let status = 503;
  const model = new Played({
    settings: { health },
    answer: () => ({ status, latencyMs: 20 }),
    fault: call => (call === 'sns:Publish' ? 'throttle' : undefined),
  });
  for (let event = 0; event < 20; event += 1) {
    model.event('acme');
    await model.advance(5_000);
  }
  await model.advance(70 * MINUTE_MS);
  status = 200;
  await model.advance(60 * MINUTE_MS);
  expect(model.ledger()).toMatchObject({ delivered: 20 });
  expect(model.notices).toEqual([]);
});

test('A prober that cannot read endpoints ends its run, and counts that error', async () => {
  const model = new Played();
  await model.setHealth({ ...OPEN, probeAtMs: model.nowMs });
  const context = { getRemainingTimeInMillis: () => 100_000 };
  const refused = async () => {
    throw new Error('throttled');
  };
  for (const entries of [refused, async () => new Map()]) {
    const printed: string[] = [];
    const ports = {
      ...model.portsWith({ entries }),
      print: (line: object | string) => void printed.push(String(line)),
    };
    await model.onTime(proberHandler({ ...ports, publishNotice: async () => {} })({}, context));
    expect(printed.filter(it => /"OpenEndpoints":1.*"Broken":1/.test(it))).toHaveLength(1);
  }
});

test('Two probers at once probe an endpoint once a minute, and send each parked message once, below its ceiling', async () => {
  const counts: Record<string, number> = {};
  for (const probers of [1, 2]) {
    let status = 503;
    const model = new Played({ probers, answer: () => ({ status, latencyMs: 20 }) }, { maxPerSecond: 2 });
    await model.park(60);
    await model.setHealth({ ...OPEN, failingSinceMs: model.nowMs, probeAtMs: model.nowMs });
    await model.advance(20 * MINUTE_MS);
    const probes = model.requests.map(({ atMs }) => atMs);
    expect(Math.min(...probes.slice(1).map((atMs, index) => atMs - (probes[index] ?? 0)))).toBeGreaterThan(55_000);
    counts[`probes of ${probers}`] = probes.length;
    status = 200;
    await model.advance(60 * MINUTE_MS);
    const taken = model.requests.filter(({ isTaken }) => isTaken);
    expect(model.ledger()).toMatchObject({ due: 60, delivered: 60, parked: 0, queued: 0, lost: 0 });
    expect(taken).toHaveLength(60);
    expect(taken.filter(({ atMs }, index) => atMs - (taken[index - 2]?.atMs ?? 0) < 1_000)).toEqual([]);
  }
  expect(counts['probes of 2']).toBe(counts['probes of 1']);
});

test.each(['a queue', 'the table'])('Data with characters that SQS refuses passes through %s', async place => {
  const model = new Played();
  if (place === 'the table') await model.setHealth({ ...OPEN, probeAtMs: model.nowMs });
  model.event('acme', { data: '{"a":"\uffff\ufffe"}' });
  await model.advance(10 * MINUTE_MS);
  expect(model.ledger()).toMatchObject({ delivered: 1, queued: 0 });
});

test.each([{ a: null }, { a: 'x' }, { a: { Type: 'String' } }])(
  'A message with invalid attributes is dead-lettered: %j',
  async attributes => {
    const model = new Played();
    model.event('acme', { attributes });
    await model.advance(MINUTE_MS);
    model.ledger();
    expect(model.causes).toEqual({ 'not-an-event': 1 });
  },
);

describe('A function holds a bounded number of messages in memory', () => {
  const MOST = 4 * 1_024 * 1_024;
  let most = 0;
  const sendDeliveries = async (list: readonly DelayedDelivery[]) => {
    most = Math.max(
      most,
      list.reduce((sum, { delivery }) => sum + delivery.data.length, 0),
    );
    return [];
  };
  const data = 'x'.repeat(200_000);
  const context = { getRemainingTimeInMillis: () => 100_000 };

  test('for an event with many endpoints', async () => {
    const model = new Played();
    const matches = Array.from({ length: 500 }, (_, index) => ({ pk: 'M#acme#paid', sk: `e${index}` }));
    const ports = model.portsWith({
      matches: async (_tenant, _type, after = '-1', limit) => {
        const from = Number(after.replace('e', '')) + 1;
        const page = matches.slice(from, from + limit);
        return { matches: page, ...(from + limit < 500 && { after: `e${from + limit - 1}` }) };
      },
      states: async () => new Map(),
    });
    const handle = dispatcherHandler({
      ...ports,
      queues: { ...ports.queues, sendDeliveries, sendEvent: async () => {} },
    });
    const record = {
      messageId: '1',
      body: messageText({ id: 'e', tenant: 'acme', type: 'paid', data }),
      attributes: { SentTimestamp: '5' },
    };
    most = 0;
    await handle({ Records: [record as never] }, context);
    expect([most > 0, most < MOST]).toEqual([true, true]);
  });

  test('for messages that come back', async () => {
    const model = new Played();
    await model.setHealth(OPEN);
    for (let event = 0; event < 60; event += 1) model.event('acme', { data });
    await model.advance(5_000);
    await model.setHealth({ health: 'draining', failures: 0, probes: 0, maxAttempts: 5 });
    const ports = model.portsWith({});
    const handle = proberHandler({
      ...ports,
      queues: { ...ports.queues, sendDeliveries },
      publishNotice: async () => {},
    });
    most = 0;
    await Promise.all([handle({}, context), model.advance(20_000)]);
    expect(model.bugs).toEqual([]);
    expect([most > 0, most < MOST]).toEqual([true, true]);
    expect(await Promise.all([model.table.parked(ONE, 100), model.advance(1_000)])).toMatchObject([[], undefined]);
  });
});

describe('A message', () => {
  test('for an endpoint that an eventually consistent read does not show yet is delivered', async () => {
    const model = new Played();
    const { entries } = model.table;
    const stale = async (names: Parameters<typeof entries>[0], isConsistent?: boolean) =>
      isConsistent ? await entries.call(model.table, names, true) : new Map([['acme/one', () => ({})]]);
    await model.deliver({ entries: stale });
    expect(model.requests).toHaveLength(1);
  });

  test('whose turn could not be written is sent again, and its wait counts as no attempt', async () => {
    const model = new Played({}, { maxPerSecond: 5 });
    const putState = async () => false;
    expect(await model.deliver({ putState })).toBeUndefined();
    expect(model.sent).toMatchObject([{ delaySeconds: 11, delivery: { attempts: 0, waits: 1 } }]);
  });

  test('that the dead-letter queue refuses is hidden for longer each time', async () => {
    const model = new Played({
      answer: () => ({ status: 422, latencyMs: 20 }),
      fault: call => (call === 'sqs:SendMessage' ? 'throttle' : undefined),
    });
    expect(await model.deliver({})).toBe(300);
  });

  const reason = 'KMS denies it';

  test.each<readonly [what: string, ports: Partial<DelivererPorts>]>([
    ['signing secret', { readSecrets: async () => ({ kind: 'unreadable', reason }) }],
    [
      'secret of its client',
      {
        accessTokenOf: () => ({
          get: async () => ({ kind: 'none', reason, isBroken: true }),
          renew: async () => undefined,
        }),
      },
    ],
  ])('does not count against its endpoint while KMS denies the %s', async (_, ports) => {
    const model = new Played();
    for (let time = 0; time < 20; time += 1) {
      await model.deliver({}, ports);
      await model.advance(MINUTE_MS);
    }
    const [state] = await Promise.all([model.table.state(ONE), model.advance(1_000)]);
    expect(state?.failures ?? 0).toBe(0);
  });

  test.each([
    { remainingMs: 56_000, receives: 0 },
    { remainingMs: 58_000, receives: 3 },
  ])('is tried only with time for a turn and a token: $remainingMs ms left', async ({ remainingMs, receives }) => {
    const model = new Played({ answer: () => ({ status: 200, latencyMs: 3_400 }) });
    const receive = jest.fn(async () => []);
    await model.deliver({}, { queues: { receive } }, () => remainingMs);
    expect(receive).toHaveBeenCalledTimes(receives);
  });

  test.each([
    { leftMs: 30_000, requests: 2 },
    { leftMs: 29_999, requests: 1 },
  ])('is sent with another token only if there is time: $leftMs ms left', async ({ leftMs, requests }) => {
    const model = new Played({ answer: () => ({ status: 401, latencyMs: 20 }) });
    let remainingMs = 50_000;
    const renew = async () => {
      remainingMs = leftMs;
      return 'another';
    };
    const accessTokenOf = () => ({ get: async () => ({ kind: 'token', token: 'one' }) as const, renew });
    await model.deliver({}, { accessTokenOf }, () => remainingMs);
    expect(model.requests).toHaveLength(requests);
  });
});
