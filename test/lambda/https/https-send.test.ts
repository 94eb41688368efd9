import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpsSend, type Timer } from '../../../lambda/https/https-send';

/** A timer that fires when told to, and says whether it was stopped. */
function handTimer() {
  const state = { milliseconds: 0, stopped: false, fire: () => {} };
  const timer: Timer = (milliseconds, then) => {
    Object.assign(state, { milliseconds, fire: then });
    return () => {
      state.stopped = true;
    };
  };
  return { timer, state };
}

const LIMITS = { timeoutMs: 10_000, maxBodyBytes: 1_024 };

describe('A request over node’s own client', () => {
  let server: Server;
  let answer: RequestListener;

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())));
  });

  const url = () => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/invoices`);

  test.each(['POST', 'PUT'] as const)(
    'sends a %s with headers, length and body, and returns status and body',
    async method => {
      const seen: unknown[] = [];
      answer = (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', chunk => chunks.push(chunk));
        request.on('end', () => {
          const { method: sent, url: path, headers } = request;
          seen.push(
            sent,
            path,
            headers['idempotency-key'],
            headers['content-length'],
            Buffer.concat(chunks).toString(),
          );
          response.writeHead(201).end('booked');
        });
      };
      const { timer, state } = handTimer();
      const send = httpsSend(LIMITS, timer);
      await expect(send(method, url(), { 'Idempotency-Key': 'R-1' }, '{"ü":1}')).resolves.toEqual({
        statusCode: 201,
        body: 'booked',
      });
      expect(seen).toEqual([method, '/invoices', 'R-1', '8', '{"ü":1}']);
      expect(state).toMatchObject({ milliseconds: 10_000, stopped: true });
    },
  );

  test('does not follow a redirect', async () => {
    answer = (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    const { timer } = handTimer();
    await expect(httpsSend(LIMITS, timer)('POST', url(), {}, '')).resolves.toEqual({ statusCode: 302, body: '' });
  });

  test('reads no more of an answer than it must', async () => {
    answer = (_, response) => {
      response.writeHead(500);
      for (let chunk = 0; chunk < 64; chunk += 1) response.write('x'.repeat(1_024));
      response.end();
    };
    const { timer } = handTimer();
    const { body } = await httpsSend(LIMITS, timer)('POST', url(), {}, '');
    expect(body.length).toBeGreaterThanOrEqual(LIMITS.maxBodyBytes);
    expect(body.length).toBeLessThan(64 * 1_024);
  });

  test('gives up when its time is over, and says so', async () => {
    const { timer, state } = handTimer();
    const reached = new Promise<void>(resolve => {
      answer = () => resolve();
    });
    const pending = httpsSend(LIMITS, timer)('POST', url(), {}, '');
    const failure = expect(pending).rejects.toThrow('nothing within 10000 ms');
    await reached;
    state.fire();
    await failure;
    expect(state.stopped).toBe(true);
  });

  test('gives up on an answer that never ends', async () => {
    const { timer, state } = handTimer();
    const reached = new Promise<void>(resolve => {
      answer = (_, response) => {
        response.writeHead(200);
        response.write('half', () => resolve());
      };
    });
    const failure = expect(httpsSend(LIMITS, timer)('POST', url(), {}, '')).rejects.toThrow();
    await reached;
    state.fire();
    await failure;
  });

  test('fails where nobody listens', async () => {
    const closed = createServer();
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise<void>((resolve, reject) => closed.close(error => (error ? reject(error) : resolve())));
    const { timer } = handTimer();
    await expect(httpsSend(LIMITS, timer)('POST', new URL(`http://127.0.0.1:${port}/`), {}, '')).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});
