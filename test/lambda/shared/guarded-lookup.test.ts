import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeConnections } from '../../../lambda/shared/connections';
import { guardedLookup, type Resolve } from '../../../lambda/shared/guarded-lookup';
import { httpSend } from '../../../lambda/shared/http-send';
import { timer } from '../../../mover/aws/clock';
import { type AddressGuard, addressGuard, addressGuards } from '../../../policy/address-guard';
import { readDestination } from '../../../policy/relay/destination';

const LIMITS = { connectTimeoutMs: 30_000, totalTimeoutMs: 30_000, maxBodyBytes: 1_024 };
const HOST = 'hooks.example.com';

const strict = addressGuard([]);

/** Allows only loopback, where the servers of these tests are. A real relay never sends there. */
const onlyLoopback: AddressGuard = address => (address.startsWith('127.') ? undefined : strict(address));

/** A name that resolves to another address at each lookup, and in the end to none. */
function moving(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: Resolve = (host, _options, done) => {
    const addresses = answers[asked.length] ?? [];
    asked.push(host);
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    process.nextTick(() => done(null, found));
  };
  return { resolve, asked };
}

/** Whether Node.js looks up one address or all of them. */
const FAMILIES = [
  ['one address', false],
  ['all addresses', true],
] as const;

describe.each(FAMILIES)('A request to a host name, looked up for %s', (_what, autoSelectFamily) => {
  let server: Server;
  let url: URL;
  let requests: (string | undefined)[];

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.headers.host);
      response.end('taken');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://${HOST}:${(server.address() as AddressInfo).port}/orders`);
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });

  const sending = (resolve: Resolve, guard = onlyLoopback) => {
    const connections = nodeConnections({ autoSelectFamily });
    const send = httpSend(LIMITS, timer, { lookup: guardedLookup(guard, resolve), connections });
    return () => send('POST', url, {}, '{}');
  };

  test('goes to the address that was checked, not to one that the name gets a moment later', async () => {
    const { resolve, asked } = moving(['127.0.0.1'], ['169.254.169.254']);
    const send = sending(resolve);
    expect(await send()).toMatchObject({ kind: 'answered', statusCode: 200, body: 'taken' });
    expect(asked).toEqual([HOST]);
    expect(requests).toEqual([url.host]);
  });

  test('is checked again with every new connection', async () => {
    const { resolve } = moving(['127.0.0.1'], ['10.0.0.1']);
    const send = sending(resolve);
    await send();
    server.closeAllConnections();
    expect(await send()).toMatchObject({
      kind: 'unanswered',
      failure: 'forbidden-address',
      cause: { message: `${HOST} resolves to 10.0.0.1, which is not public`, address: '10.0.0.1' },
    });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [['127.0.0.1', '10.0.0.1'], '10.0.0.1', 'is not public'],
    [['10.0.0.1', '127.0.0.1'], '10.0.0.1', 'is not public'],
    [['127.0.0.1', 'fd00:ec2::254'], 'fd00:ec2::254', 'is where AWS hands out credentials'],
    [['::ffff:169.254.169.254'], '::ffff:169.254.169.254', 'is where AWS hands out credentials'],
    [['fe80::1%eth0'], 'fe80::1%eth0', 'has a zone, which a public address never has'],
    [['hooks.example.net'], 'hooks.example.net', 'is not an IP address'],
  ])('is not sent if the name resolves to %j', async (addresses, address, why) => {
    const { resolve } = moving(addresses);
    expect(await sending(resolve)()).toMatchObject({
      failure: 'forbidden-address',
      cause: { name: 'ForbiddenAddressError', host: HOST, message: `${HOST} resolves to ${address}, which ${why}` },
    });
    expect(requests).toEqual([]);
  });

  test('is never sent to the machine itself, whatever is allowed', async () => {
    const { resolve } = moving(['127.0.0.1']);
    expect(await sending(resolve, addressGuard(['10.0.0.0/8', '127.0.0.0/8']))()).toMatchObject({
      failure: 'forbidden-address',
    });
    expect(requests).toEqual([]);
  });

  test('fails if the name has no address', async () => {
    expect(await sending(moving().resolve)()).toMatchObject({ failure: 'name-not-resolved' });
  });

  test('fails if the name does not exist', async () => {
    const error = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' });
    const resolve: Resolve = (_host, _options, done) => process.nextTick(() => done(error, []));
    expect(await sending(resolve)()).toMatchObject({ failure: 'name-not-resolved', cause: error });
  });

  test('uses the resolver of the machine if no other is stated', async () => {
    url.hostname = 'localhost';
    const connections = nodeConnections({ autoSelectFamily });
    const send = httpSend(LIMITS, timer, { lookup: guardedLookup(strict), connections });
    expect(await send('POST', url, {}, '{}')).toMatchObject({
      failure: 'forbidden-address',
      cause: {
        message: expect.stringMatching(/^localhost resolves to (127\.0\.0\.1|::1), which is the machine itself$/),
      },
    });
  });
});

test('A host that is an address is never resolved, because the URL was checked already', async () => {
  const { resolve, asked } = moving();
  const closed = createServer();
  await new Promise<void>(done => closed.listen(0, '127.0.0.1', done));
  const { port } = closed.address() as AddressInfo;
  await new Promise(done => closed.close(done));
  const url = `http://127.0.0.1:${port}/`;
  const send = httpSend(LIMITS, timer, { lookup: guardedLookup(strict, resolve) });
  expect(await send('POST', new URL(url), {}, '')).toMatchObject({ failure: 'connection-refused' });
  expect(asked).toEqual([]);
  expect(readDestination('endpoint', url, addressGuards([]), false)).toMatchObject({ cause: 'forbidden-address' });
});

test('All addresses of a name are tried in turn', async () => {
  const server = createServer((_, response) => response.end());
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const url = new URL(`http://${HOST}:${(server.address() as AddressInfo).port}/`);
  const { resolve } = moving(['127.0.0.2', '127.0.0.1']);
  const lookup = guardedLookup(onlyLoopback, resolve);
  const send = httpSend(LIMITS, timer, { lookup, connections: nodeConnections({ autoSelectFamily: true }) });
  expect(await send('POST', url, {}, '')).toMatchObject({ kind: 'answered', statusCode: 200 });
  server.closeAllConnections();
  await new Promise(done => server.close(done));
});
