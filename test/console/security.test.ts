import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Console, newConsole } from '../../console/server/console';
import { OpenFeeds } from '../../console/server/feed';
import { ConsoleHttp, type ListeningConsole, listenOnLoopback } from '../../console/server/http';
import { Session } from '../../console/server/session';
import { awayFromAws } from './away-from-aws';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

describe('the server of the console', () => {
  let served: Console;
  let listening: ListeningConsole;
  let cookie: string;

  /** Sends a request as given: `fetch` would refuse to send a foreign Host. */
  function ask(target: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { port } = listening;
      const asking = httpRequest({ host: '127.0.0.1', port, path: target, method, headers }, answer => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          // A stream does not end by itself.
          if (target.startsWith('/api/events') && text.includes('data: {')) answer.destroy();
        });
        answer.once('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      });
      asking.once('error', reject).end(body);
    });
  }

  beforeAll(async () => {
    const assets = path.join(__dirname, '../../console/browser');
    served = newConsole({
      source: awayFromAws,
      mayChange: false,
      assets,
      version: '1.0.0',
      base: '/',
      isOpen: false,
      allowHosts: ['Bastion'],
      nowMs: () => 0,
    });
    listening = await listenOnLoopback(0, served.http);
    const { headers } = await ask(`/?token=${served.session.linkToken}`);
    cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  });

  afterAll(async () => {
    await listening.close();
    await served.close();
  });

  test('exchanges the token of the link for a cookie that other sites and scripts cannot use', async () => {
    const { status, headers } = await ask(`/?token=${served.session.linkToken}`);
    expect(status).toBe(303);
    expect(headers['location']).toBe('/');
    expect(String(headers['set-cookie'])).toMatch(/^dlo-console-\w+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  });

  test('answers under an allowed name, to pages of that name', async () => {
    const own = { cookie, host: 'bastion:8080', origin: 'http://bastion:8080' };
    expect((await ask('/api/session', own)).status).toBe(200);
    expect((await ask('/api/session', { ...own, origin: 'http://evil.example.com' })).status).toBe(403);
    expect((await ask('/api/session', { cookie, host: 'evil.example.com' })).body).toContain(
      '--allow-host evil.example.com',
    );
  });

  test('takes a one-time token once', async () => {
    const token = served.session.oneTimeToken();
    expect((await ask(`/?token=${token}`)).status).toBe(303);
    expect((await ask(`/?token=${token}`)).status).toBe(401);
  });

  test('loads nothing from elsewhere, runs no inline script, and cannot be framed', async () => {
    const { status, headers, body } = await ask('/', { cookie });
    expect(status).toBe(200);
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=")|<style|\sstyle=|\son\w+=|https?:\/\//);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; (?!.*unsafe).*frame-ancestors 'none'$/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  const JSON_CALL = { 'content-type': 'application/json' };

  test.each<[what: string, target: string, headers: Record<string, string>, status: number, method: string]>([
    ['the page without a cookie', '/', {}, 401, 'GET'],
    ['a wrong token', '/?token=guess', {}, 401, 'GET'],
    ['a wrong cookie', '/api/session', { cookie: 'dlo-console=guess' }, 401, 'GET'],
    ['events without a cookie', '/api/events?feed=status', {}, 401, 'GET'],
    ['a name of another site that leads here', '/', { cookie: 'yes', host: 'evil.example.com' }, 403, 'GET'],
    ['a name that only begins like an address', '/', { cookie: 'yes', host: '127.0.0.1.evil.example.com' }, 403, 'GET'],
    ['a request of another site', '/api/session', { cookie: 'yes', origin: 'https://evil.example.com' }, 403, 'GET'],
    ['a request of an opaque origin', '/api/session', { cookie: 'yes', origin: 'null' }, 403, 'GET'],
    ['a request of another port', '/api/session', { cookie: 'yes', origin: 'http://127.0.0.1:1' }, 403, 'GET'],
    [
      'a script or image of another site',
      '/api/session',
      { cookie: 'yes', 'sec-fetch-site': 'cross-site' },
      403,
      'GET',
    ],
    [
      'a page of another port of this machine',
      '/api/session',
      { cookie: 'yes', 'sec-fetch-site': 'same-site' },
      403,
      'GET',
    ],
    ['a form', '/api/call/refresh', { cookie: 'yes', 'content-type': 'text/plain' }, 415, 'POST'],
    ['a call as GET', '/api/call/refresh', { cookie: 'yes', ...JSON_CALL }, 404, 'GET'],
    ['a call that does not exist', '/api/call/constructor', { cookie: 'yes', ...JSON_CALL }, 404, 'POST'],
    ['a feed that does not exist', '/api/events?feed=toString', { cookie: 'yes' }, 404, 'GET'],
    ['a redrive while it is read-only', '/api/call/redrive/execute', { cookie: 'yes', ...JSON_CALL }, 403, 'POST'],
    ['a fix while it is read-only', '/api/call/queue/fix', { cookie: 'yes', ...JSON_CALL }, 403, 'POST'],
    [
      'a change of a simulation that is none',
      '/api/call/simulation/fault',
      { cookie: 'yes', ...JSON_CALL },
      403,
      'POST',
    ],
    ['a body that is not JSON', '/api/call/refresh', { cookie: 'yes', ...JSON_CALL }, 400, 'POST'],
    ['a file outside the page', '/../package.json', { cookie: 'yes' }, 404, 'GET'],
    ['an encoded path', '/..%2f..%2fpackage.json', { cookie: 'yes' }, 404, 'GET'],
  ])('refuses %s', async (_, target, headers, status, method) => {
    const sent = headers['cookie'] === 'yes' ? { ...headers, cookie } : headers;
    expect(await ask(target, sent, method, method === 'POST' ? '<' : '')).toMatchObject({ status });
  });

  test.each([
    ['3 MB', 'content-length', String(3_000_000)],
    ['3 MB in chunks', 'transfer-encoding', 'chunked'],
  ])('refuses %s as too long', async (_, header, value) => {
    const headers = { cookie, ...JSON_CALL, [header]: value };
    const { status, body } = await ask('/api/call/refresh', headers, 'POST', `{"x":"${'x'.repeat(2_999_992)}"}`);
    expect([status, JSON.parse(body).says]).toEqual([413, 'A call must not be longer than 1048576 bytes.']);
  });

  test('a link of another site opens the page, which shows nothing without the cookie', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { status, body } = await ask('/', link);
    expect(status).toBe(401);
    expect(body).not.toContain('console.js');
  });

  test('pushes why a feed cannot be read', async () => {
    const { body } = await ask('/api/events?feed=dead-letters', { cookie, 'sec-fetch-site': 'same-origin' });
    const [, data = ''] = /^data: (.*)$/m.exec(body) ?? [];
    expect(JSON.parse(data)).toEqual({ feed: 'dead-letters', problem: { kind: 'failed', says: 'AWS is away' } });
  });

  test('says why a call failed', async () => {
    const { status, body } = await ask('/api/call/refresh', { cookie, ...JSON_CALL }, 'POST', '{}');
    expect({ status, problem: JSON.parse(body) }).toEqual({
      status: 500,
      problem: { kind: 'failed', says: 'AWS is away' },
    });
  });
});

test('a browser that does not read for days is disconnected, instead of all being kept that it did not read', async () => {
  const feeds = new OpenFeeds({
    status: {
      open: (_: string, { changed }: { changed(document: object): void }) => {
        let version = 0;
        const push = () => {
          version += 1;
          changed({ version, text: 'x'.repeat(4_000_000) });
          next = setImmediate(push);
        };
        let next = setImmediate(push);
        return () => clearImmediate(next);
      },
    },
  } as never);
  const session = new Session('console', true);
  const http = new ConsoleHttp({ session, feeds, calls: undefined as never, allowHosts: [], assets: '', base: '/' });
  const unread = await new Promise<number>(resolve => {
    const server = createServer((request, response) => {
      http.handle(request, response);
      response.once('close', () => {
        server.close();
        resolve(response.writableLength);
      });
    }).listen(0, '127.0.0.1', () => {
      const [cookie = ''] = session.cookieHeader('/').split(';');
      const { port } = server.address() as AddressInfo;
      const asking = httpRequest({ port, path: '/api/events?feed=status', headers: { cookie } });
      asking.once('response', answer => answer.pause()).end();
    });
  });
  http.close();
  expect(unread).toBeLessThan(32 * 1024 * 1024);
});
