import { namesIn } from '../../../bin/completion/names';
import type { FeedSource } from '../../../console/server/feed';
import { fleetFeeds } from '../../../console/server/fleets/fleet-feeds';
import { RelayFleet } from '../../../lib';
import { response } from '../../../local';
import { contextOf } from '../../console/console-context';
import { SETTINGS } from '../../fleet/fleet-settings';
import { inlineFunction } from '../../support/inline-function';
import { factsIn } from '../command-output';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { OperatedAccount, openAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

const LIST = ['lambda:ListFunctions'];
const GET = [...LIST, 'dynamodb:GetItem'];

/** The permissions in the help of each command. Commands are here that can be repeated. */
const TAKES: Takes = {
  ls: [...LIST, 'dynamodb:Scan', 'dynamodb:Query', 'dynamodb:BatchGetItem', 'sqs:GetQueueAttributes'],
  'ls --tenant acme': [...LIST, 'dynamodb:Query', 'dynamodb:BatchGetItem'],
  'show acme/orders': [...GET, 'dynamodb:Query'],
  'attempts acme/orders': [...LIST, 'dynamodb:Query'],
  'add acme/more --url https://acme.example --type a': GET,
  'set acme/orders --description x': GET,
  'rotate acme/orders --now --execute': [...GET, 'dynamodb:PutItem', 'kms:Decrypt'],
  'test acme/orders --execute': [...GET, 'sqs:SendMessage'],
  'replay acme/orders --since 1h --from log -n 1 --execute': [...GET, 'dynamodb:Query', 'sqs:SendMessage'],
};

let account: OperatedAccount;

/** Runs a command that must succeed. */
async function done(args: string, io = new MemoryIo()): Promise<string> {
  const { exitCode, out, err } = await account.dlo(args, {}, io);
  expect([args, exitCode, err]).toEqual([args, 0, '']);
  return out;
}

const host = (name: string) => account.deployed.aws.endpoint(name);

/** Sends an event, and lets the fleet do its work. */
async function event(id: string, minutes = 1): Promise<void> {
  const data = JSON.stringify({ id, total: Number(id) });
  await account.deployed.send('Fleet/Events', JSON.stringify({ id, tenant: 'acme', type: 'order.paid', data }));
  await account.deployed.advance({ minutes });
}

/** The first document of a feed. @throws Error with its problem */
function first<Document>(source: FeedSource<Document>, of: string): Promise<Document> {
  return new Promise((resolve, reject) => {
    const close = source.open(of, {
      changed: document => {
        resolve(document);
        close();
      },
      failed: ({ says }) => {
        reject(new Error(says));
        close();
      },
    });
  });
}

beforeAll(async () => {
  const opened = await openAccount(stack => {
    new RelayFleet(stack, 'Fleet', { fleetName: 'webhooks', logBodies: true });
    addOperators(stack, TAKES);
  });
  account = new OperatedAccount(opened.deployed, opened.url, 'fleet');
  host('acme.example').behave({ reply: response(200) });
});

describe('an endpoint is added', () => {
  const ADD = 'add acme/orders --url https://acme.example/hook?key=s3cret --type order.paid --max-per-second 5';

  test('by a plan first, which changes nothing', async () => {
    const out = await done(ADD);
    const again = `dlo fleet ${ADD.replace(/(https:\S+)/, "'$1'")} --execute`;
    expect(out.split(' ').sort()).toEqual(expect.arrayContaining(again.split(' ')));
    expect(out).toContain('Nothing has been changed');
    expect((await account.dlo('show acme/orders')).exitCode).toBe(2);
  });

  test('with a secret, which is printed once and not recorded', async () => {
    const { out, records } = await account.recorded(`${ADD} --execute --json`);
    const { secret, executed, version } = JSON.parse(out);
    expect([executed, version, secret]).toEqual([true, 1, expect.stringMatching(/^whsec_/)]);
    expect(records.map(({ phase, resource }) => [phase, resource])).toEqual([
      ['intent', 'webhooks/acme/orders'],
      ['outcome', 'webhooks/acme/orders'],
    ]);
    const shown = (await done('show acme/orders')) + (await done('show orders --tenant acme --json'));
    for (const hidden of [secret, 's3cret']) expect(shown + JSON.stringify(records)).not.toContain(hidden);
  });
});

describe('an endpoint is changed', () => {
  const SET = 'set acme/orders --max-per-second 7';

  test('by a plan first, which shows the difference, and what is not given stays', async () => {
    const plan = await done(`${SET} --url https://acme.example/hook?key=other`);
    expect(plan).toMatch(/^ {2}URL +https:\/\/acme\.example\/hook \(a part that is not shown\)$/m);
    expect(plan).toMatch(/^ {2}Ceiling +5 requests a second -> 7 requests a second$/m);
    expect(plan).toContain('--expect-version 1 --execute');
    const { changes, executed, version } = await account.json(`${SET} --expect-version 1 --execute`);
    expect([executed, version, changes]).toEqual([
      true,
      2,
      [{ member: 'maxPerSecond', from: '5 requests a second', to: '7 requests a second' }],
    ]);
    expect(await account.json('show acme/orders')).toMatchObject({
      maxPerSecond: 7,
      types: ['order.paid'],
      version: 2,
    });
    expect(await done(SET)).toBe('Nothing to do: acme/orders is so already.\n');
  });

  test('not if another writer came first', async () => {
    const { exitCode, err } = await account.dlo(`${SET} --expect-version 1 --execute`);
    expect([exitCode, err]).toEqual([1, 'dlo: acme/orders has version 2, not 1: read it again\n']);
  });

  test('by removing and setting a member', async () => {
    expect(await done('set acme/orders --unset maxPerSecond --execute')).toMatch(
      /Ceiling +7 requests a second -> none$/m,
    );
    await done('set acme/orders --max-per-second 5 --execute');
  });
});

describe('bad input', () => {
  test.each([
    ['show orders', 'ENDPOINT must be TENANT/NAME, or NAME with --tenant: got orders'],
    ['show a/b/c', 'ENDPOINT must be TENANT/NAME'],
    ['show acme/orders --tenant other', 'got acme/orders and --tenant other'],
    ['show acme/or$ders', 'the endpoint must be 1 to 63 letters'],
    ['disable acme/none', 'the fleet has no endpoint acme/none'],
    ['show acme/orders --fleet mail', 'no fleet in us-east-1 is named mail: there are webhooks'],
    ['add acme/orders --url https://acme.example --type a', 'acme/orders exists already: dlo fleet set changes it'],
    ['add acme/b --file client.json', 'authorization.clientSecret must be given'],
    ['set acme/none --url https://acme.example', 'the fleet has no endpoint acme/none'],
    ['set acme/orders --url https://10.0.0.1/', 'url '],
    ['set acme/orders --unset url', 'Allowed choices are description, filter'],
    ['set acme/orders --file client.json', 'authorization.clientSecret must be given'],
    ['add acme/b --url https://10.0.0.1/ --type a', 'url '],
    ['add acme/b --url https://acme.example', 'types must be a list'],
    ['add acme/b --file b.json', 'filter must be a filter policy of SNS'],
    ['add acme/b --file text', 'text must have a JSON object, such as {"url"'],
    ['set acme/orders --max-per-second 10001', 'It must be a whole number from 1 to 10000.'],
    ['attempts acme/none', 'the fleet has no endpoint acme/none'],
    ['attempts acme/none --event 1', 'the fleet has no endpoint acme/none'],
    ['attempts acme/orders --since yesterday', 'It must be 90m, 24h, 7d or so'],
    ['attempts msg_1 --event 1', '--event needs an ENDPOINT'],
    ['replay', 'name an ENDPOINT, a MESSAGE or a --tenant, or give --all'],
    ['replay acme/orders --all', 'or give --all, and not both'],
    ['replay acme/orders --from log', '--from log takes a MESSAGE, or an ENDPOINT with --since'],
    ['replay --all --since 1h --from log', '--from log takes a MESSAGE, or an ENDPOINT with --since'],
    ['replay acme/none', 'the fleet has no endpoint acme/none'],
    ['replay msg_1 --since 1h', '--since and --data-filter are for endpoints'],
    ['replay acme/orders --since 1h --data-filter x', '--data-filter must be a filter policy'],
    ['replay acme/orders --since 1h --data-filter {"a":[]}', 'dataFilter must be a filter policy of SNS'],
    ['replay acme/orders --since 1h --from nowhere', 'Allowed choices are dead-letters, log'],
    ['ls --tenant a/b', 'tenant must be 1 to 63 letters'],
  ])('%s ends with 2 and one clear error', async (args, says) => {
    const client = { tokenUrl: 'https://acme.example/token', clientId: 'me' };
    const files = {
      'b.json': '{"url": "https://acme.example", "types": ["a"], "filter": {"a": []}}',
      'client.json': JSON.stringify({ url: 'https://acme.example', types: ['a'], authorization: client }),
      text: 'no',
    };
    const { exitCode, out, err } = await account.dlo(args, {}, new MemoryIo(files));
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(says)]);
  });

  test('a Region without a fleet is no error for ls, and one for the others', async () => {
    const { deployed, url } = await openAccount(() => {});
    const empty = new OperatedAccount(deployed, url, 'fleet');
    expect(await empty.dlo('ls')).toEqual({ exitCode: 0, out: 'No fleet is in us-east-1.\n', err: '' });
    expect((await empty.dlo('show a/b')).exitCode).toBe(2);
  });
});

test('where there are several fleets, one is named; settings of another version are a warning', async () => {
  const settingsOf = (fleetName: string) => ({ ...SETTINGS, fleetName, tableName: fleetName });
  const { deployed, url } = await openAccount(stack => {
    for (const settings of [settingsOf('mail'), settingsOf('hooks'), { fleetName: 'old' }]) {
      const environment = { FLEET_SETTINGS: JSON.stringify(settings) };
      inlineFunction(stack, settings.fleetName, 'exports.handler = async () => {};', { environment });
    }
  });
  const several = new OperatedAccount(deployed, url, 'fleet');
  const { exitCode, err } = await several.dlo('show a/b');
  expect([exitCode, err]).toEqual([
    2,
    expect.stringMatching(
      /^dlo: warning: \S+: FLEET_SETTINGS: tableName must be a string.*\ndlo: several fleets are in us-east-1: name one of hooks, mail with --fleet\n$/,
    ),
  ]);
  expect((await several.dlo('replay msg_1 --from log --fleet mail')).err).toContain('mail does not log bodies');
  expect((await several.dlo('show a/b --fleet hoo')).err).toContain('dynamodb:GetItem: Requested resource not found');
});

describe('an endpoint that works', () => {
  test('has its attempts, with bodies on request and redacted', async () => {
    await event('1');
    const { attempts } = await account.json('attempts acme/orders');
    expect(attempts).toEqual([expect.objectContaining({ outcome: 'delivered', statusCode: 200, attempt: 1 })]);
    expect(attempts[0]).not.toHaveProperty('data');
    const id = attempts[0].deliveryId;
    expect(await done(`attempts ${id}`)).toContain(id);
    expect(await done(`attempts ${id} --bodies --redact total`)).toContain('{"id":"1","total":"[redacted]"}');
    expect(await done('attempts msg_none')).toMatch(/^No attempt of msg_none is in the log\.\nIt has had no attempt, /);
    expect((await account.json('attempts acme/orders --event 1')).attempts).toMatchObject([{ deliveryId: id }]);
    const none = await done('attempts acme/orders --event 0');
    expect(none).toMatch(/is in the log\.\nIt is not parked\. .*no such event:\n {2}dlo fleet show acme\/orders /);
  });

  test('gets a test event', async () => {
    const { delivery } = await account.json('test acme/orders --execute');
    await account.deployed.advance({ minutes: 1 });
    expect(host('acme.example').requests.at(-1)).toMatchObject({
      text: '{"test":true}',
      headers: { 'webhook-id': delivery },
    });
  });
});

describe('an endpoint that is down', () => {
  test('is listed with its state, and shown with what is parked and what to do', async () => {
    host('acme.example').behave({ reply: response(503) });
    for (let id = 2; id < 22; id += 1) await event(String(id), 0.2);
    await account.deployed.advance({ minutes: 5 });
    const [fleet] = (await account.json('ls')).fleets;
    expect(fleet).toMatchObject({ name: 'webhooks', counts: { open: 1, suspect: 0, draining: 0, disabled: 0 } });
    expect(fleet.unsettled).toMatchObject([{ tenant: 'acme', endpoint: 'orders', health: 'open' }]);
    expect(await done('ls')).toMatch(/^acme\/orders +open, fails since 2026-01-01.*the endpoint failed \(503\)$/m);
    expect(await done('attempts acme/orders --event 21')).toMatch(
      /is in the log\.\n\nIt is parked, because the endpoint is down.* dead letter at 2026-01-0.*\n {2}dlo fleet show acme\/orders /,
    );
    const { parked } = await account.json('attempts acme/orders --event 21');
    expect(parked).toMatchObject({ eventId: '21', attempts: 0 });
    expect(await done('attempts acme/orders')).toMatch(/ order\.paid +probe +\w+ +503 /);
    expect(await done('ls --tenant acme')).toContain('acme/orders');
    const shown = await done('show acme/orders');
    expect(factsIn(shown)).toMatchObject({ URL: 'https://acme.example/hook', Ceiling: '5 requests a second' });
    expect(shown).toContain(`dlo fleet enable acme/orders ${account.site}`);
    expect(factsIn(shown)['Parked']).toMatch(/^\d+ messages; the first was sent at /);
    for (const text of [shown, await done('show acme/orders --json')]) expect(text).not.toContain('total');
    expect(fleet.unsettled[0].parkedSince).toMatch(/^2026-01-01T00:0/);
  });

  test('is shown by the console', async () => {
    const feeds = fleetFeeds(contextOf(account));
    const { fleets } = await first(feeds.fleets, '');
    expect(fleets).toMatchObject([{ name: 'webhooks', counts: { open: 1 }, endpoints: [{ health: 'open' }], more: 0 }]);
    const endpoint = await first(feeds['fleet-endpoint'], 'webhooks/acme/orders');
    expect(endpoint).toMatchObject({ url: 'https://acme.example/hook', maxPerSecond: 5, isMoreParked: false });
    expect(endpoint.parked.length).toBeGreaterThan(0);
    expect(endpoint.attempts?.[0]).toMatchObject({ verdict: 'retry', statusCode: 503 });
    expect(endpoint.advice[0]).toContain('dlo fleet enable acme/orders');
    expect(fleets[0]?.endpoints[0]?.why).toBe('the endpoint failed (503)');
    await expect(first(feeds['fleet-endpoint'], 'webhooks/acme/none')).rejects.toThrow('no endpoint acme/none');
  });

  test('gets its messages when a person enables it', async () => {
    host('acme.example').behave({ reply: response(200) });
    expect(await done('enable acme/orders')).toContain('Nothing has been changed');
    expect(await done('enable acme/orders --execute')).toMatch(/Done\.\n$/);
    await account.deployed.advance({ minutes: 5 });
    const { parked, health } = await account.json('show acme/orders');
    expect([parked, health]).toEqual([[], 'healthy']);
    expect(await done('attempts acme/orders --event 21')).toMatch(
      /\n\nIt waited \d+ min.*, until 2026-01-01 .*\. Its endpoint failed meanwhile, the last time at 2026.*: the endpoint failed \(503\):\n {2}dlo fleet attempts acme\/orders --since 2026-/,
    );
  });
});

test('names of fleets and endpoints are completed', async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
  const site = { endpointUrl: account.url, region: 'us-east-1' };
  expect(await namesIn('fleets', 'web', site)).toEqual(['webhooks']);
  expect(await namesIn('fleets', 'x', site)).toEqual([]);
  expect(await namesIn('endpoints', 'acme/o', site)).toEqual(['acme/orders']);
  expect(await namesIn('endpoints', '', { ...site, tenant: 'acme' })).toEqual(['orders']);
});

test('an endpoint that is disabled by hand gets nothing until it is enabled', async () => {
  await done('disable acme/orders --execute');
  expect(await done('disable acme/orders --execute')).toBe('Nothing to do: acme/orders: it is disabled already.\n');
  const before = host('acme.example').requests.length;
  await event('30');
  expect(host('acme.example').requests).toHaveLength(before);
  expect(await done('show acme/orders')).toContain('disabled: by hand');
  expect(await account.dlo('test acme/orders')).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining(`acme/orders is disabled: dlo fleet enable acme/orders ${account.site}`),
  });
  expect(await done('replay acme/orders')).toContain('acme/orders is disabled: its messages are parked until');
  await done('enable acme/orders --execute');
  await account.deployed.advance({ minutes: 3 });
  expect(await done('attempts acme/orders --event 30')).toMatch(/It waited .*\. Its endpoint was down, disabled or/);
  expect(host('acme.example').requests).toHaveLength(before + 1);
});

describe('dead letters', () => {
  test('are explained by dlo dlq why, and replayed with a filter or one by one', async () => {
    host('acme.example').behave({ reply: response(422) });
    await event('40');
    await event('41');
    host('acme.example').behave({ reply: response(200) });
    const dead = account.deployed.name('Fleet/DeadLetterQueue');
    const site = account.site.split(' ');
    const why = await account.typed(['dlq', 'why', dead, ...site]);
    expect(why.out).toContain('The endpoint acme/orders refuses the request (422).');
    expect(why.out).toContain(`Once that is fixed\n  dlo fleet replay acme/orders ${account.site}\n`);
    expect(why.out).not.toContain('dlq redrive');
    expect(await done('ls')).toContain(`Why messages are dead\n  dlo dlq why ${dead} ${account.site}\n`);
    expect(await done('show acme/orders')).toMatch(
      /because the\s+endpoint\s+refuses\s+it\s+\(422\).*dlo fleet replay acme\/orders/s,
    );
    expect(await done('attempts acme/orders --event 41')).toMatch(/It is a dead letter\..*dlo fleet replay msg_/s);
    const [cause] = JSON.parse((await account.typed(['dlq', 'why', dead, '--json', ...site])).out).causes;
    expect(cause.replays).toEqual([`dlo fleet replay acme/orders ${account.site}`]);
    const redrive = await account.typed(['dlq', 'redrive', dead, ...site]);
    expect([redrive.exitCode, redrive.err]).toEqual([
      2,
      expect.stringContaining('is the dead-letter queue of the fleet webhooks: dlo fleet replay'),
    ]);
    const before = host('acme.example').requests.length;
    const filter = JSON.stringify({ total: [41] });
    expect(await done(`replay acme/orders --since 1h --data-filter ${filter}`)).toContain('Nothing has been changed');
    const replayed = await account.json(`replay acme/orders --since 1h --data-filter ${filter} --execute`);
    expect(replayed).toMatchObject({ lookedAt: 2, isComplete: true, deliveries: [expect.stringMatching(/^msg_/)] });
    await account.deployed.advance({ minutes: 1 });
    expect(
      host('acme.example')
        .requests.slice(before)
        .map(({ text }) => JSON.parse(text).id),
    ).toEqual(['41']);
    const { attempts } = await account.json('attempts acme/orders --since 1h -n 20');
    const { deliveryId } = attempts.find(
      (it: { outcome: string; eventId: string }) => it.outcome === 'dead' && it.eventId === '40',
    );
    expect(await done(`replay ${deliveryId} --execute`)).toContain(
      '1 message sent to the deliveries queue again; 1 message looked at.',
    );
  });

  test('are replayed for a tenant, and for all', async () => {
    host('acme.example').behave({ reply: response(422) });
    await event('42');
    host('acme.example').behave({ reply: response(200) });
    expect(await account.json('replay --tenant other --execute')).toMatchObject({ lookedAt: 2, deliveries: [] });
    expect(await done('replay --all')).toContain('Replay messages of all endpoints of the fleet webhooks.');
    expect((await account.json('replay --tenant acme --execute')).deliveries).toHaveLength(2);
    await account.deployed.advance({ minutes: 1 });
    expect(await done('replay --all --execute')).toMatch(/0 messages looked at\.\nThe dead-letter queue is empty, or/);
  });
});

test('credentials of an endpoint are in no output', async () => {
  const endpoint = {
    url: 'https://stopped.example/?key=hidden1',
    types: ['none'],
    headers: { Authorization: 'Bearer hidden2', 'X-Key': 'hidden3' },
    filter: { total: [1] },
  };
  const io = new MemoryIo({ 'stopped.json': JSON.stringify(endpoint) });
  const added = await done('add acme/stopped --file stopped.json --execute --json', io);
  const shown = [added, await done('show acme/stopped'), await done('show acme/stopped --json')].join('\n');
  expect(shown).toMatch(/^Headers +Authorization, X-Key$/m);
  expect(shown).toContain(`dlo fleet test acme/stopped ${account.site}`);
  expect(shown).not.toContain('hidden');
});

describe('permissions', () => {
  beforeAll(async () => {
    await done('disable acme/stopped --execute');
    await account.deployed.advance({ minutes: 1 });
  });

  testPermissions(TAKES, TAKES['ls'] ?? [], () => account);
});

test('a secret is rotated, and printed once', async () => {
  const { records, out } = await account.recorded('rotate acme/orders --execute');
  const [secret = ''] = /whsec_\S+/.exec(out) ?? [];
  expect(secret).not.toBe('');
  expect(JSON.stringify(records)).not.toContain(secret);
  expect((await account.json('show acme/orders')).previousSecretUntil).not.toBeNull();
});

test('an endpoint is removed', async () => {
  expect(await done('remove acme/orders')).toContain('It cannot be undone');
  await done('remove acme/orders --execute');
  expect(await account.dlo('show acme/orders')).toMatchObject({ exitCode: 2 });
});
