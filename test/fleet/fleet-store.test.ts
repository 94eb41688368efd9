import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { Endpoints } from '../../fleet/endpoints';
import { FleetStore } from '../../fleet/fleet-store';
import { dynamoDbCalls } from '../../fleet/sdk-calls';
import { itemKeys } from '../../policy/fleet/fleet-items';
import { newState, wokenAt } from '../../policy/fleet/state-item';
import { endpointItem, fleetAccount, ORDERS, parkedItem } from './fleet-account';

const it = fleetAccount();
const table = new FleetStore(it.table);
const endpoints = new Endpoints(it.table);
const named = (endpoint: string, tenant = 'acme') => ({ tenant, endpoint });

describe('the matches of an event', () => {
  beforeAll(async () => {
    const types = { a: ['paid'], b: ['*'], c: ['paid', '*'], d: ['sent'], e: ['*'], f: ['paid'] };
    for (const [name, own] of Object.entries(types)) {
      await endpoints.write(
        undefined,
        endpointItem(named(name, 'matching'), { types: own, filter: { total: [{ numeric: ['>', 5] }] } }),
      );
    }
  });

  test.each([1, 2, 3, 100])('are those of its type and of every type, each once, in pages of %d', async size => {
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await table.matches('matching', 'paid', after, size);
      expect(page.matches.length).toBeLessThanOrEqual(size);
      found.push(...page.matches.map(({ sk }) => sk));
      after = page.after;
    } while (after !== undefined);
    expect(found).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  test('have the filter of their endpoint, also after it changed', async () => {
    const [match] = (await table.matches('matching', 'sent', 'c', 10)).matches;
    expect(match).toEqual({
      ...itemKeys.match(named('d', 'matching'), 'sent'),
      createdAtMs: 0,
      filter: { total: [{ numeric: ['>', 5] }] },
    });
    const before = await endpoints.get(named('d', 'matching'));
    await endpoints.write(before, endpointItem(named('d', 'matching'), { types: ['paid'], version: 2 }));
    expect((await table.matches('matching', 'sent', 'c', 10)).matches.map(({ sk }) => sk)).toEqual(['e']);
    expect((await table.matches('matching', 'paid', 'c', 1)).matches).toEqual([
      { ...itemKeys.match(named('d', 'matching'), 'paid'), createdAtMs: 0 },
    ]);
  });
});

test('An endpoint is not changed by a writer that read another endpoint with the same name and version', async () => {
  const [old, other] = [0, 5].map(createdAtMs => endpointItem(named('again'), { createdAtMs }));
  if (!other) throw new Error('there is none');
  await endpoints.write(undefined, other);
  await expect(endpoints.write(old, { ...other, version: 2 })).rejects.toThrow('ConditionalCheckFailed');
  await endpoints.write(other, { ...other, version: 2 });
});

describe('The store of endpoint states', () => {
  test('lets only the writer that read the last version write a state', async () => {
    const state = newState(ORDERS);
    expect(await table.putState({ ...state, failures: 1, version: 1 }, 0)).toBe(true);
    expect(await table.putState({ ...state, failures: 9, version: 1 }, 0)).toBe(false);
    expect(await table.putState({ ...state, failures: 2, version: 2 }, 1)).toBe(true);
    expect(await table.state(ORDERS)).toEqual({ ...state, failures: 2, version: 2 });
    expect(await table.deleteState({ ...state, version: 1 })).toBe(false);
    expect(await table.deleteState({ ...state, version: 2 })).toBe(true);
    expect(await table.state(ORDERS)).toBeUndefined();
  });

  test('finds the states that are awake in every shard', async () => {
    const names = Array.from({ length: 40 }, (_, index) => named(`e${index}`, 'awake'));
    const states = names.map(name => ({ ...wokenAt(newState(name), 5), version: 1 }));
    expect(new Set(states.map(({ shard }) => shard)).size).toBeGreaterThan(10);
    for (const state of states) await table.putState(state, 0);
    await it.aws.timeline.advanceTo(it.aws.timeline.nowMs + 1_000);
    const awake = (await table.awake()).filter(({ tenant }) => tenant === 'awake');
    expect(awake.map(({ endpoint }) => endpoint).sort()).toEqual(names.map(({ endpoint }) => endpoint).sort());
    expect(awake[0]).toEqual(states.find(({ endpoint }) => endpoint === awake[0]?.endpoint));
  });

  test('finds all that are awake, and reads them in parts if they have more than a page of 1 MB', async () => {
    const names = Array.from({ length: 8 }, (_, index) => named(`e${index}`, 'large'));
    const more = { disabledReason: 'x'.repeat(300_000) };
    await it.table.putAll(names.map(name => ({ ...wokenAt(newState(name), 5), version: 1, ...more })));
    await it.aws.timeline.advanceTo(it.aws.timeline.nowMs + 1_000);
    const scans = jest.spyOn(it.table, 'scan');
    const awake = (await table.awake()).filter(({ tenant }) => tenant === 'large');
    expect(awake.map(({ endpoint }) => endpoint).sort()).toEqual(names.map(({ endpoint }) => endpoint));
    expect(scans.mock.calls.length).toBeGreaterThan(16);
    await it.table.deleteAll(awake);
    await it.aws.timeline.advanceTo(it.aws.timeline.nowMs + 1_000);
    scans.mockClear();
    await table.awake();
    expect(scans).toHaveBeenCalledTimes(1);
  });

  test('reads states and endpoints in batches of any size', async () => {
    const names = Array.from({ length: 120 }, (_, index) => named(`e${index}`, 'batch'));
    await it.table.putAll(names.map(name => endpointItem(name)));
    await table.putState({ ...newState(named('e7', 'batch')), version: 1 }, 0);
    const entries = await table.entries([...names, named('gone', 'batch'), named('e7', 'batch')]);
    expect(entries.size).toBe(121);
    expect(entries.get('batch/gone')?.()).toEqual({});
    expect(entries.get('batch/e7')?.().state?.version).toBe(1);
    expect(entries.get('batch/e119')?.()).toEqual({ endpoint: endpointItem(named('e119', 'batch')) });
    const states = await table.states([named('e7', 'batch'), named('e8', 'batch')]);
    expect([...states]).toEqual([
      ['batch/e7', { ...newState(named('e7', 'batch')), version: 1 }],
      ['batch/e8', undefined],
    ]);
  });
});

test('An item that the fleet did not write causes an error with what is wrong, and none for other endpoints', async () => {
  const [wrong, other] = [named('wrong'), named('other')];
  await it.table.putAll([{ ...endpointItem(wrong), url: 5, secrets: ['whsec_x'] }, endpointItem(other)]);
  const problem =
    'the item T#acme E#wrong was not written by the fleet: url must be a string that is not empty, got "number"; secrets[0] must be a map, got "string"';
  await expect(endpoints.get(wrong)).rejects.toThrow(problem);
  const entries = await table.entries([wrong, other]);
  expect(() => entries.get('acme/wrong')?.()).toThrow(problem);
  expect(entries.get('acme/other')?.().endpoint).toEqual(endpointItem(other));
  const { slots: _, ...state } = newState(wrong);
  await it.table.putAll([{ ...state, version: 1 }]);
  await expect(table.state(wrong)).rejects.toThrow('S#acme/wrong S was not written by the fleet: slots must be a list');
});

describe('The items that DynamoDB leaves out of a batch', () => {
  const names = ['b0', 'b1', 'b2'].map(name => named(name, 'left'));

  /** The table, where DynamoDB processes one item of each batch. */
  function busy() {
    const calls = dynamoDbCalls(it.aws.clients.dynamoDb);
    it.waits.length = 0;
    return new DynamoDbTable(
      {
        ...calls,
        batchGetItem: async ({ RequestItems }) => {
          const [first, ...left] = RequestItems['fleet']?.Keys ?? [];
          const read = await calls.batchGetItem({ RequestItems: { fleet: { Keys: first ? [first] : [] } } });
          return { ...read, ...(left.length > 0 && { UnprocessedKeys: { fleet: { Keys: left } } }) };
        },
        batchWriteItem: async ({ RequestItems }) => {
          const [first, ...left] = RequestItems['fleet'] ?? [];
          await calls.batchWriteItem({ RequestItems: { fleet: first ? [first] : [] } });
          return { ...(left.length > 0 && { UnprocessedItems: { fleet: left } }) };
        },
      },
      'fleet',
      it.wait,
    );
  }

  test('are requested again, up to three times in all', async () => {
    const items = [...names.map(name => endpointItem(name)), endpointItem(named('b3', 'left'))];
    expect(await busy().putAll(items)).toEqual(items.slice(3));
    expect(it.waits).toEqual([50, 100]);
    const states = await new FleetStore(busy()).states([...names, named('b3', 'left')]);
    expect([...states.keys()]).toEqual(['left/b0', 'left/b1', 'left/b2']);
    const entries = await new FleetStore(busy()).entries(names);
    expect([...entries].map(([group, read]) => [group, read()])).toEqual([['left/b0', { endpoint: items[0] }]]);
    await expect(new FleetStore(busy()).unpark(items)).rejects.toThrow('did not delete 1 of 4');
  });
});

describe('parked messages', () => {
  test('are returned in the order of their due times, also if a page of DynamoDB ends between them', async () => {
    const large = 'x'.repeat(256 * 1_024);
    const items = [3, 1, 2, 5, 4, 6].map(due => parkedItem(ORDERS, `m${due}`, due, large));
    for (const item of items) await table.park(item);
    await table.park(parkedItem(ORDERS, 'm1', 1, large));
    const found = await table.parked(ORDERS, 5);
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    expect(found[0]).toEqual(parkedItem(ORDERS, 'm1', 1, large));
    await table.unpark(found);
    expect((await table.parked(ORDERS, 5)).map(({ deliveryId }) => deliveryId)).toEqual(['m6']);
  });
});

test('The matches of a tenant with 5,000 endpoints are read in pages', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `e${String(index).padStart(5, '0')}`);
  await it.table.putAll(names.map(name => itemKeys.match(named(name, 'large'), 'a')));
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await table.matches('large', 'a', after, 500);
    found.push(...page.matches.map(({ sk }) => sk));
    after = page.after;
  } while (after !== undefined);
  expect(found).toEqual(names);
});
