import { dispatcherHandler } from '../../lambda/fleet/dispatcher';
import { ParkedCounts } from '../../lambda/fleet/parked-counts';
import type { DelayedDelivery } from '../../lambda/fleet/ports';
import { proberHandler } from '../../lambda/fleet/prober';
import { park, States } from '../../lambda/fleet/states';
import { DEFAULT_HEALTH_SETTINGS } from '../../policy/fleet/endpoint-health';
import type { StateItem } from '../../policy/fleet/fleet-items';
import type { FleetEvent } from '../../policy/fleet/fleet-messages';
import { newState, wokenAt } from '../../policy/fleet/state-item';
import { HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { parkedItem } from './fleet-account';
import { FleetModel } from './fleet-model';

describe('A fleet with a dead endpoint', () => {
  let isDown = true;
  const model = new FleetModel({
    seed: 1,
    answer: group => ({ status: group === 'acme/dead' && isDown ? 503 : 200, latencyMs: 200 }),
  });

  beforeAll(async () => {
    for (const group of ['acme/one', 'acme/dead', 'other/one']) model.add(group);
    for (let second = 0; second < 60; second += 1) {
      model.event('acme');
      model.event('other');
      await model.advance(1_000);
    }
    await model.advance(600_000);
  });

  test('delivers to the other endpoints at once', async () => {
    expect(model.delaysMs(group => group !== 'acme/dead').at(-1)).toBeLessThan(1_000);
    expect(model.ledger()).toEqual({ due: 180, delivered: 120, dead: 0, parked: 60, queued: 0, lost: 0 });
  });

  test('reports how many messages are parked in all', async () => {
    const ports = model.portsWith({});
    const lines: unknown[] = [];
    const looks = proberHandler({ ...ports, print: line => lines.push(line) });
    await model.onTime(looks({}, { getRemainingTimeInMillis: () => 60_000 }));
    expect(lines).toEqual([expect.stringMatching(/"ParkedMessages":60\b/)]);
  });

  test('returns the messages of that endpoint when a probe succeeds', async () => {
    isDown = false;
    await model.advance(1_800_000);
    expect(model.ledger()).toEqual({ due: 180, delivered: 180, dead: 0, parked: 0, queued: 0, lost: 0 });
  });
});

describe('The count of parked messages', () => {
  const stateOf = (index: number) => newState({ tenant: 'acme', endpoint: `e${index}` });

  async function played(endpoints: number, units: number, minutes: number) {
    const [counts, states] = [new ParkedCounts(), Array.from({ length: endpoints }, (_, index) => stateOf(index))];
    const calls: number[] = [];
    let nowMs = 1e12;
    const countParked = async () => {
      calls.push(nowMs);
      return { count: 5, units };
    };
    const sums: (number | undefined)[] = [];
    for (let minute = 0; minute < minutes; minute += 1) {
      sums.push(await counts.counted(states, { table: { countParked }, nowMs: () => nowMs }));
      nowMs += MINUTE_MS;
    }
    return { calls, sums };
  }

  test('is renewed every ten minutes for each endpoint', async () => {
    const { calls, sums } = await played(30, 0.5, 21);
    expect([calls.length, new Set(sums)]).toEqual([90, new Set([150])]);
  });

  test('uses 500 read units a minute, and is unknown until each endpoint was counted', async () => {
    const { calls, sums } = await played(60, 100, 12);
    // Twenty at once take the units of four minutes.
    expect([calls.length, sums.indexOf(300)]).toEqual([60, 8]);
    expect(sums.slice(0, 8)).toEqual(Array(8).fill(undefined));
  });
});

describe('A prober', () => {
  const name = { tenant: 'acme', endpoint: 'one' };
  const context = { getRemainingTimeInMillis: () => 60_000 };

  /** A fleet with an endpoint at which the prober looks next. */
  async function played(parked: number, change: Partial<StateItem> = {}) {
    const model = new FleetModel({ seed: 6 });
    model.add('acme/one');
    const { table } = model.portsWith({});
    const items = Array.from({ length: parked }, (_, index) => parkedItem(name, `d${index}`, model.nowMs));
    await model.onTime(Promise.all(items.map(item => table.park(item))));
    await model.onTime(table.putState({ ...wokenAt(newState(name), model.nowMs), version: 1, ...change }, 0));
    // An index follows its table after a moment.
    await model.advance(1_000);
    return { model, table };
  }

  test('that checks an endpoint while a message is being parked does not mark the endpoint as asleep', async () => {
    const { model, table: real } = await played(0);
    const ports = model.portsWith({});
    const { table } = model.portsWith({
      park: async item => {
        await proberHandler(ports)({}, context);
        await real.park(item);
      },
    });
    const delivery = { id: 'd', ...name, eventId: 'e', type: 'paid', data: '{}', sentAtMs: model.nowMs, attempts: 0 };
    const parking = { attempts: 0, reason: 'a test' };
    await model.onTime(park(delivery, parking, { ...ports, table }, new States({ ...ports, table })));
    await model.advance(120_000);
    expect(model.requests.map(({ id }) => id)).toEqual(['d']);
  });

  test.each([
    ['before it begins with an endpoint', 1],
    ['while it gives up messages', 2],
  ])('returns messages even if a state changes %s', async (_, lost) => {
    const { model, table } = await played(1, { giveUpAtMs: 1, freeAtMs: 1 });
    let writes = 0;
    const putState: typeof table.putState = async (written, version) => {
      writes += 1;
      return writes !== lost && (await table.putState(written, version));
    };
    await model.onTime(proberHandler(model.portsWith({ putState }, 'prober'))({}, context));
    await model.advance(5_000);
    expect([writes > 1, model.requests.length, model.bugs]).toEqual([true, 1, []]);
  });

  test('counts failing endpoints even if there are more than JavaScript takes as arguments of one call', async () => {
    const { model } = await played(0);
    const failing = { ...wokenAt(newState(name), 9e12), health: 'suspect' as const };
    const awake = async () => Array.from({ length: 200_000 }, () => failing);
    const lines: unknown[] = [];
    const ports = { ...model.portsWith({ awake }), print: (line: unknown) => lines.push(line) };
    await model.onTime(proberHandler(ports)({}, context));
    expect(lines).toEqual([expect.stringContaining('"FailingEndpoints":200000')]);
  });

  test('returns messages in every minute, at ten a second', async () => {
    const { model } = await played(1_100);
    await model.advance(174_000);
    expect(model.requests).toHaveLength(1_100);
  });
});

describe('An endpoint that fails for too long', () => {
  const health = { ...DEFAULT_HEALTH_SETTINGS, disableAfterMs: 2 * HOUR_MS };
  const model = new FleetModel({
    seed: 2,
    settings: { health, maxAgeSeconds: 5 * 3_600 },
    answer: () => ({ status: 503, latencyMs: 200 }),
  });

  beforeAll(async () => {
    model.add('acme/dead');
    for (let message = 0; message < 20; message += 1) {
      model.event('acme');
      await model.advance(5_000);
    }
    await model.advance(3 * HOUR_MS);
  });

  test('is disabled, and its owner gets two notices before and one when it happens', () => {
    expect(model.notices.map(({ type, tenant, endpoint }) => [type, tenant, endpoint])).toEqual([
      ['endpoint.failing', 'acme', 'dead'],
      ['endpoint.failing', 'acme', 'dead'],
      ['endpoint.disabled', 'acme', 'dead'],
    ]);
    const [first] = model.notices;
    expect(Date.parse(first?.disableAt ?? '') - Date.parse(first?.failingSince ?? '')).toBe(2 * HOUR_MS);
    expect(new Set(model.notices.map(({ id }) => id)).size).toBe(3);
  });

  test('keeps its messages until they are too old', async () => {
    const { parked, lost } = model.ledger();
    expect({ hasParked: parked > 10, lost }).toEqual({ hasParked: true, lost: 0 });
    const attempts = model.requests.length;
    await model.advance(2.5 * HOUR_MS);
    expect(model.ledger()).toMatchObject({ due: 20, parked: 0, queued: 0, lost: 0 });
    expect(model.causes['retention-spent']).toBe(parked);
    expect(model.requests).toHaveLength(attempts);
  });
});

test('An event for a tenant with 12,500 endpoints is sent in pages, by a short chain of invocations', async () => {
  const names = Array.from({ length: 12_500 }, (_, index) => String(index).padStart(5, '0'));
  const sent: string[] = [];
  const groups = new Set<string>();
  const events: FleetEvent[] = [];
  const model = new FleetModel({ seed: 3 });
  const ports = model.portsWith({
    matches: async (_tenant, _type, after = '', limit) => {
      const from = names.filter(name => name > after).slice(0, limit);
      const last = from.at(-1);
      const matches = from.map(sk => ({ pk: 'M#acme#paid', sk }));
      return last === names.at(-1) || last === undefined ? { matches } : { matches, after: last };
    },
    states: async () => new Map(),
  });
  const queues = {
    ...ports.queues,
    sendDeliveries: async (list: readonly DelayedDelivery[]) => {
      sent.push(...list.map(({ delivery }) => delivery.endpoint));
      for (const { group = 'none' } of list) groups.add(group);
      return [];
    },
    sendEvent: async (event: FleetEvent) => void events.push(event),
  };
  const handle = dispatcherHandler({ ...ports, queues });
  const dispatch = (event: object) => {
    const record = { messageId: '1', body: JSON.stringify(event), attributes: { SentTimestamp: '5' } };
    return handle({ Records: [record as never] }, { getRemainingTimeInMillis: () => 60_000 });
  };
  expect(await dispatch({ id: 'e', tenant: 'acme', type: 'paid', data: '{}' })).toEqual({ batchItemFailures: [] });
  expect([sent.length, events.length, events[0]]).toMatchObject([10_000, 1, { after: '09999', sentAtMs: 5 }]);
  await dispatch(events[0] ?? {});
  expect([sent.length, new Set(sent).size, events.length]).toEqual([12_500, 12_500, 1]);
  expect([...groups]).toEqual(['acme']);
});
