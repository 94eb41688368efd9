import { createPrivateKey } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type ClientRequestArgs, createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type LookupFunction,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { nodeConnections } from '../../../lambda/shared/connections';
import { type Again, httpSend } from '../../../lambda/shared/http-send';
import { DEVELOPMENT_KEY, signingCertificate } from '../../../local/sns/envelope/signing';
import type { Timer } from '../../../mover/aws/clock';
import { classify } from '../../../policy/outcome/classify';

const LIMITS = { connectTimeoutMs: 3_000, totalTimeoutMs: 10_000, maxBodyBytes: 1_024 };

/** Timers that the test fires, by their duration. */
function handTimers() {
  const running = new Map<number, () => void>();
  const set: number[] = [];
  const timer: Timer = (milliseconds, then) => {
    running.set(milliseconds, then);
    set.push(milliseconds);
    return () => running.delete(milliseconds);
  };
  return {
    timer,
    set,
    running: () => [...running.keys()],
    fire: (milliseconds: number) => running.get(milliseconds)?.(),
  };
}

async function listen(server: TcpServer): Promise<URL> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/invoices`);
}

function close(server: TcpServer): Promise<void> {
  return new Promise((resolve, reject) => server.close(error => (error ? reject(error) : resolve())));
}

describe('A request of Node’s client', () => {
  let server: Server;
  let url: URL;
  let answer: RequestListener;

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    url = await listen(server);
  });

  afterAll(async () => {
    server.closeAllConnections();
    await close(server);
  });

  test.each(['POST', 'PUT'] as const)(
    'sends a %s with headers, length and body, and returns status, headers and body',
    async method => {
      const seen: unknown[] = [];
      answer = (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', chunk => chunks.push(chunk));
        request.on('end', () => {
          const { method: sent, url: path, headers } = request;
          const body = Buffer.concat(chunks).toString();
          seen.push(sent, path, headers['idempotency-key'], headers['content-length'], body);
          response.writeHead(429, { 'Retry-After': '5' }).end('later');
        });
      };
      const timers = handTimers();
      const send = httpSend(LIMITS, timers.timer);
      await expect(send(method, url, { 'Idempotency-Key': 'R-1' }, '{"ü":1}')).resolves.toEqual({
        kind: 'answered',
        statusCode: 429,
        headers: expect.objectContaining({ 'retry-after': '5' }),
        body: 'later',
        requests: 1,
      });
      expect(seen).toEqual([method, '/invoices', 'R-1', '8', '{"ü":1}']);
      expect(timers.set.sort()).toEqual([10_000, 3_000]);
      expect(timers.running()).toEqual([]);
    },
  );

  test('keeps its connection, which the next request uses', async () => {
    const ports = new Set<number | undefined>();
    answer = (request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    };
    const timers = handTimers();
    const send = httpSend(LIMITS, timers.timer);
    for (let i = 0; i < 3; i += 1) await send('POST', url, {}, '');
    expect(ports.size).toBe(1);
    expect(timers.running()).toEqual([]);
  });

  test('has the host and the user of the URL, unless a header says otherwise', async () => {
    const seen: unknown[] = [];
    answer = ({ headers: { host, authorization } }, response) => {
      seen.push({ host, authorization });
      response.end();
    };
    const send = httpSend(LIMITS, handTimers().timer);
    const named = new URL(url);
    named.username = 'user';
    named.password = 'pass';
    await send('POST', url, {}, '');
    await send('POST', named, {}, '');
    await send('POST', named, { authorization: 'Bearer x' }, '');
    const { host } = url;
    expect(seen).toEqual([
      { host, authorization: undefined },
      { host, authorization: 'Basic dXNlcjpwYXNz' },
      { host, authorization: 'Bearer x' },
    ]);
  });

  test('does not follow a redirect', async () => {
    answer = (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'answered', statusCode: 302, body: '' });
  });

  test.each([
    ['just as long as allowed is whole', 1_024, undefined],
    ['a byte longer is cut', 1_025, 'it is longer than 1024 bytes'],
  ])('with an answer %s', async (_what, bytes, cut) => {
    answer = (_, response) => response.writeHead(200).end('x'.repeat(bytes));
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'answered', statusCode: 200, body: 'x'.repeat(1_024) });
    expect('cut' in result ? result.cut : undefined).toBe(cut);
  });

  test('with an endless answer reads its first part at once, and closes the connection', async () => {
    const closed = new Promise<void>(resolve => {
      answer = (_, response) => {
        response.on('close', resolve);
        const pour = () => {
          if (response.write('x'.repeat(512))) process.nextTick(pour);
          else response.once('drain', pour);
        };
        pour();
      };
    });
    const timers = handTimers();
    const result = await httpSend(LIMITS, timers.timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'answered', statusCode: 200, cut: 'it is longer than 1024 bytes' });
    await closed;
    expect(timers.running()).toEqual([]);
  });

  test('times out, with an error that says so', async () => {
    const timers = handTimers();
    const reached = new Promise<void>(resolve => {
      answer = () => resolve();
    });
    const pending = httpSend(LIMITS, timers.timer)('POST', url, {}, '');
    await reached;
    expect(timers.running()).toEqual([10_000]);
    timers.fire(10_000);
    const result = await pending;
    expect(result).toMatchObject({
      kind: 'unanswered',
      failure: 'timeout',
      cause: { message: 'nothing within 10000 ms' },
    });
    expect(result).not.toHaveProperty('statusCode');
    expect(timers.running()).toEqual([]);
  });

  test.each([200, 503])('accepts a status of %i though the body does not end', async statusCode => {
    const timers = handTimers();
    answer = (_, response) => void response.writeHead(statusCode).write('half');
    const head = () => process.nextTick(() => timers.fire(10_000));
    subscribe('http.client.response.finish', head);
    const result = await httpSend(LIMITS, timers.timer)('POST', url, {}, '');
    unsubscribe('http.client.response.finish', head);
    expect(result).toMatchObject({ kind: 'answered', statusCode, cut: 'no end of the answer within 10000 ms' });
    expect(timers.running()).toEqual([]);
  });

  test.each([
    ['a length', 200, { 'Content-Length': '100' }],
    ['chunks', 200, {}],
    ['a length', 410, { 'Content-Length': '100', 'Retry-After': '7' }],
  ])('accepts a status though the body, by %s, breaks off: %i', async (_what, statusCode, headers) => {
    answer = (_, response) => {
      response.writeHead(statusCode, headers);
      response.write('half', () => response.destroy());
    };
    const timers = handTimers();
    const result = await httpSend(LIMITS, timers.timer)('POST', url, {}, '');
    expect(result).toMatchObject({
      kind: 'answered',
      statusCode,
      body: 'half',
      cut: 'it broke off: aborted',
      requests: 1,
    });
    if (statusCode === 410) expect(result).toMatchObject({ headers: { 'retry-after': '7' } });
    expect(timers.running()).toEqual([]);
  });

  test('accepts a status though the body is not valid HTTP', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'Transfer-Encoding': 'chunked' });
      response.write('half', () => request.socket.end('no chunk\r\n'));
    };
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({
      kind: 'answered',
      statusCode: 200,
      cut: expect.stringMatching(/^it broke off: Parse Error/),
    });
  });

  test('gives each address of a name half of the time to connect, so that a slow one does not use all of it', async () => {
    const seen: unknown[] = [];
    class Watched extends Agent {
      override createConnection(options: ClientRequestArgs, done?: (error: Error | null, stream: Duplex) => void) {
        seen.push(options);
        return super.createConnection(options, done);
      }
    }
    answer = (_, response) => response.end();
    const { kept, fresh } = nodeConnections();
    const connections = { kept: { ...kept, 'http:': new Watched() }, fresh };
    const limits = { ...LIMITS, connectTimeoutMs: 4_999 };
    await httpSend(limits, handTimers().timer, { connections })('POST', url, {}, '');
    expect(seen).toEqual([expect.objectContaining({ autoSelectFamilyAttemptTimeout: 2_500 })]);
  });
});

/** Serves one connection after the other, and passes the number of the connection with each request. */
async function serveByTurns(server: Server, answer: (turn: number, socket: Socket, respond: () => void) => void) {
  const connections: Socket[] = [];
  const seen: number[] = [];
  server.on('connection', socket => connections.push(socket));
  server.on('secureConnection', socket => connections.push(socket));
  server.on('request', (request, response) => {
    seen.push(connections.indexOf(request.socket));
    request.resume().on('end', () => answer(seen.length, request.socket, () => response.end('taken')));
  });
  const url = await listen(server);
  return { seen, url };
}

const key = createPrivateKey({ key: Buffer.from(DEVELOPMENT_KEY, 'base64'), format: 'der', type: 'pkcs8' });
const TLS = { key: key.export({ format: 'pem', type: 'pkcs8' }), cert: signingCertificate() };

describe.each([
  ['http', () => createServer()],
  ['https', () => createSecureServer(TLS)],
] as const)('A connection of %s that was kept alive', (scheme, create) => {
  let server: Server;

  beforeEach(() => {
    server = create();
  });

  afterEach(async () => {
    server.closeAllConnections();
    await close(server);
  });

  const sending = (url: URL, timers = handTimers(), now = () => 0) => {
    const connections = nodeConnections({ ca: TLS.cert, checkServerIdentity: () => undefined }, now);
    const send = httpSend(LIMITS, timers.timer, { connections });
    return (again?: Again) => send('POST', new URL(`${scheme}://${url.host}/invoices`), {}, '{}', again);
  };

  test('is closed once it is a minute old, so that the name is resolved again', async () => {
    const { url, seen } = await serveByTurns(server, (_turn, _socket, respond) => respond());
    let atMs = 0;
    const send = sending(url, handTimers(), () => atMs);
    for (atMs of [0, 59_999, 60_000, 60_001, 120_000, 120_001, 120_002]) await send();
    const connections = [...new Set(seen)];
    expect(seen.map(connection => connections.indexOf(connection))).toEqual([0, 0, 0, 1, 1, 1, 2]);
  });

  test('and closed by the peer is replaced, and the request sent again within the same total time', async () => {
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 2) socket.destroy();
      else respond();
    });
    const timers = handTimers();
    const send = sending(url, timers);
    await send();
    expect(await send()).toMatchObject({ kind: 'answered', statusCode: 200, body: 'taken', requests: 2 });
    const [kept, again, fresh] = seen;
    expect(seen).toHaveLength(3);
    expect(again).toBe(kept);
    expect(fresh).not.toBe(kept);
    // A kept-alive connection needs no connect timeout. Only the two new connections have one.
    expect(timers.set).toEqual([3_000, 10_000, 10_000, 3_000]);
    expect(timers.running()).toEqual([]);
  });

  test('and closed by the peer is replaced when there is a turn for it, with all of the time', async () => {
    const timers = handTimers();
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 2) socket.destroy();
      else respond();
    });
    const send = sending(url, timers);
    const asked: unknown[] = [];
    const again = async () => {
      asked.push({ seen: seen.length, running: timers.running() });
      return true;
    };
    expect(await send(again)).toMatchObject({ requests: 1 });
    expect(asked).toEqual([]);
    expect(await send(again)).toMatchObject({ kind: 'answered', statusCode: 200, requests: 2 });
    expect(asked).toEqual([{ seen: 2, running: [] }]);
    expect(seen).toHaveLength(3);
    expect(timers.set.filter(milliseconds => milliseconds === 10_000)).toHaveLength(3);
    expect(timers.running()).toEqual([]);
  });

  test('and closed by the peer is not replaced if there is no turn for it', async () => {
    const timers = handTimers();
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 1) respond();
      else socket.destroy();
    });
    const send = sending(url, timers);
    await send();
    const result = await send(async () => false);
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'connection-reset', requests: 1 });
    expect(seen).toHaveLength(2);
    expect(timers.running()).toEqual([]);
  });

  test('and closed by the peer does not hide an error while a turn is requested', async () => {
    const { url } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 1) respond();
      else socket.destroy();
    });
    const send = sending(url);
    await send();
    await expect(send(() => Promise.reject(new Error('no turns')))).rejects.toThrow('no turns');
  });

  test('and closed by the peer is replaced once: a second failure is returned', async () => {
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn > 1) socket.destroy();
      else respond();
    });
    const send = sending(url);
    await send();
    expect(await send()).toMatchObject({ kind: 'unanswered', failure: 'connection-reset' });
    expect(seen).toHaveLength(3);
  });

  test('and closed by the peer gives the request no more time than it had', async () => {
    const timers = handTimers();
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 1) respond();
      if (turn === 2) socket.destroy();
      if (turn === 3) timers.fire(10_000);
    });
    const send = sending(url, timers);
    await send();
    const cause = { message: 'nothing within 10000 ms' };
    expect(await send()).toMatchObject({ kind: 'unanswered', failure: 'timeout', cause });
    expect(seen).toHaveLength(3);
    expect(timers.running()).toEqual([]);
  });

  test('and that breaks off after a byte of an answer is not replaced, because the server got the request', async () => {
    const { url, seen } = await serveByTurns(server, (turn, socket, respond) => {
      if (turn === 2) socket.end('H');
      else respond();
    });
    const send = sending(url);
    await send();
    expect(await send()).toMatchObject({ kind: 'unanswered' });
    expect(seen).toHaveLength(2);
  });

  test('is the only kind that is replaced', async () => {
    const { url, seen } = await serveByTurns(server, (_turn, socket) => socket.destroy());
    expect(await sending(url)()).toMatchObject({ kind: 'unanswered', failure: 'connection-reset' });
    expect(seen).toHaveLength(1);
  });
});

describe('A request without an HTTP server', () => {
  const servers: TcpServer[] = [];
  const sockets: Socket[] = [];

  const serve = (server: TcpServer): Promise<URL> => {
    servers.push(server);
    return listen(server.on('connection', socket => sockets.push(socket)));
  };

  const post = (url: URL) => httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) await close(server);
  });

  test('fails if nothing listens', async () => {
    const closed = createTcpServer();
    const url = await listen(closed);
    await close(closed);
    const cause = { message: expect.stringContaining('ECONNREFUSED') };
    expect(await post(url)).toMatchObject({ kind: 'unanswered', failure: 'connection-refused', cause });
  });

  test('times out if the connection is not established in time, TLS included', async () => {
    const timers = handTimers();
    const { host } = await serve(createTcpServer(() => timers.fire(3_000)));
    const result = await httpSend(LIMITS, timers.timer)('POST', new URL(`https://${host}/`), {}, '');
    const cause = { message: 'no connection within 3000 ms' };
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'timeout', cause });
    expect(timers.running()).toEqual([]);
  });

  test('trusts only certificates of the known authorities', async () => {
    const { host } = await serve(createTlsServer(TLS));
    expect(await post(new URL(`https://${host}/`))).toMatchObject({ kind: 'unanswered', failure: 'bad-certificate' });
  });

  test.each([
    ['hangs up', 'connection-reset', (socket: Socket) => socket.destroy()],
    ['speaks another language', 'not-http', (socket: Socket) => socket.write('220 mail.example.com ESMTP\r\n')],
  ])('fails if the server %s, with an error that can be classified', async (_what, failure, connection) => {
    const result = await post(await serve(createTcpServer(connection)));
    expect(result).toMatchObject({ kind: 'unanswered', failure });
    expect(classify('http', result)).toMatchObject({ kind: 'retry' });
  });

  test('fails with an error that the server does not speak TLS', async () => {
    const { host } = await serve(createTcpServer(socket => socket.write('220 mail.example.com ESMTP\r\n')));
    expect(await post(new URL(`https://${host}/`))).toMatchObject({ kind: 'unanswered', failure: 'tls-failed' });
  });

  test('fails with an error that both have no TLS version in common', async () => {
    const { host } = await serve(createTlsServer({ ...TLS, maxVersion: 'TLSv1.2' }));
    const connections = nodeConnections({ minVersion: 'TLSv1.3' });
    const send = httpSend(LIMITS, handTimers().timer, { connections });
    const result = await send('POST', new URL(`https://${host}/`), {}, '');
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'tls-failed' });
  });

  test('returns the status of an answer that requires another protocol', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const result = await post(
      await serve(createTcpServer(socket => socket.once('data', () => socket.write(switching)))),
    );
    expect(result).toMatchObject({ kind: 'answered', statusCode: 101, headers: { upgrade: 'websocket' }, body: '' });
    expect(classify('http', result)).toMatchObject({ kind: 'dead' });
  });

  test('resolves the name with the lookup that is passed', async () => {
    const error = Object.assign(new Error('socket EMFILE'), { code: 'EMFILE', syscall: 'socket' });
    const lookup: LookupFunction = (_host, _options, done) => process.nextTick(() => done(error, []));
    const send = httpSend(LIMITS, handTimers().timer, { lookup });
    const result = await send('POST', new URL('https://billing.example.com/'), {}, '');
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'local-failure', cause: error });
  });

  test('throws a programming error as such, not as a network failure', async () => {
    const mistake = new TypeError('x is not a function');
    const lookup: LookupFunction = (_host, _options, done) => process.nextTick(() => done(mistake, []));
    const timers = handTimers();
    const send = httpSend(LIMITS, timers.timer, { lookup });
    await expect(send('POST', new URL('https://billing.example.com/'), {}, '')).rejects.toBe(mistake);
    expect(timers.running()).toEqual([]);
  });

  test('is refused before it is sent if it is malformed', async () => {
    const timers = handTimers();
    const send = httpSend(LIMITS, timers.timer);
    const url = new URL('https://billing.example.com/');
    await expect(send('POST', url, { 'X-Note': 'a\nb' }, '')).rejects.toMatchObject({ code: 'ERR_INVALID_CHAR' });
    expect(timers.set).toEqual([]);
  });
});
