import { createPrivateKey } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Timer } from '../../../lambda/shared/clock';
import { httpSend } from '../../../lambda/shared/http-send';
import { classify } from '../../../lib/policy/outcome/classify';
import { signingCertificate } from '../../../local/sns/signing/certificate';
import { DEVELOPMENT_KEY } from '../../../local/sns/signing/development-key';

const LIMITS = { connectTimeoutMs: 3_000, totalTimeoutMs: 10_000, maxBodyBytes: 1_024 };

/** Timers that fire when told to, by the time they were set for. */
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

describe('A request over node’s own client', () => {
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
        cut: false,
      });
      expect(seen).toEqual([method, '/invoices', 'R-1', '8', '{"ü":1}']);
      expect(timers.set.sort()).toEqual([10_000, 3_000]);
      expect(timers.running()).toEqual([]);
    },
  );

  test('keeps its connection for the next, which then stands already', async () => {
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

  test('does not follow a redirect', async () => {
    answer = (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'answered', statusCode: 302, body: '' });
  });

  test.each([
    ['just as long as allowed is whole', 1_024, false],
    ['a byte longer is cut', 1_025, true],
  ])('an answer %s', async (_what, bytes, cut) => {
    answer = (_, response) => response.writeHead(200).end('x'.repeat(bytes));
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'answered', statusCode: 200, body: 'x'.repeat(1_024), cut });
  });

  test('an answer that would go on forever is cut without waiting for time, and its connection is closed', async () => {
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
    expect(result).toMatchObject({ kind: 'answered', statusCode: 200, cut: true });
    await closed;
    expect(timers.running()).toEqual([]);
  });

  test('gives up when its time is over, and says so', async () => {
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

  test('gives up on an answer that does not end, and tells its status', async () => {
    const timers = handTimers();
    answer = (_, response) => void response.writeHead(200).write('half');
    const head = () => process.nextTick(() => timers.fire(10_000));
    subscribe('http.client.response.finish', head);
    const result = await httpSend(LIMITS, timers.timer)('POST', url, {}, '');
    unsubscribe('http.client.response.finish', head);
    const cause = { message: 'no end of the answer within 10000 ms' };
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'timeout', cause, statusCode: 200 });
  });

  test('says that an answer broke off', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    };
    const result = await httpSend(LIMITS, handTimers().timer)('POST', url, {}, '');
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'connection-reset', statusCode: 200 });
  });
});

describe('A request that reaches no server of HTTP', () => {
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

  test('fails where nobody listens', async () => {
    const closed = createTcpServer();
    const url = await listen(closed);
    await close(closed);
    const cause = { message: expect.stringContaining('ECONNREFUSED') };
    expect(await post(url)).toMatchObject({ kind: 'unanswered', failure: 'connection-refused', cause });
  });

  test('gives up when the connection does not stand in time, TLS included', async () => {
    const timers = handTimers();
    const { host } = await serve(createTcpServer(() => timers.fire(3_000)));
    const result = await httpSend(LIMITS, timers.timer)('POST', new URL(`https://${host}/`), {}, '');
    const cause = { message: 'no connection within 3000 ms' };
    expect(result).toMatchObject({ kind: 'unanswered', failure: 'timeout', cause });
    expect(timers.running()).toEqual([]);
  });

  test('trusts no certificate but those of the authorities', async () => {
    const key = createPrivateKey({ key: Buffer.from(DEVELOPMENT_KEY, 'base64'), format: 'der', type: 'pkcs8' });
    const pem = key.export({ format: 'pem', type: 'pkcs8' });
    const { host } = await serve(createTlsServer({ key: pem, cert: signingCertificate() }));
    expect(await post(new URL(`https://${host}/`))).toMatchObject({ kind: 'unanswered', failure: 'bad-certificate' });
  });

  test.each([
    ['hangs up', 'connection-reset', (socket: Socket) => socket.destroy()],
    ['speaks another language', 'not-http', (socket: Socket) => socket.write('220 mail.example.com ESMTP\r\n')],
  ])('fails where whoever listens %s, which the delivery rules can judge', async (_what, failure, connection) => {
    const result = await post(await serve(createTcpServer(connection)));
    expect(result).toMatchObject({ kind: 'unanswered', failure });
    expect(classify('http', result)).toMatchObject({ kind: 'retry' });
  });
});
