import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAGE_FOLDER } from '../../bin/console/page-folder';
import { type Console, newConsole } from '../../console/server/console';
import { type ListeningConsole, listenOnLoopback } from '../../console/server/http';
import { awayFromAws } from '../console/away-from-aws';
import { TestBrowser } from './browser';

/** What another site tries: each resolves to what it could read. */
const ATTACKS = `
const look = '{"queue":"orders-dlq","messages":1,"sinceHours":1,"isForced":false}';
const tried = async work => { try { return await work(); } catch { return 'refused'; } };
const framed = () => new Promise(resolve => {
  const frame = document.createElement('iframe');
  frame.src = target;
  frame.onload = () => { try { resolve(frame.contentDocument.body.textContent); } catch { resolve('refused'); } };
  document.body.append(frame);
});
const form = () => new Promise(resolve => {
  const frame = Object.assign(document.createElement('iframe'), { name: 'answer' });
  const read = () => { try { resolve(frame.contentDocument.body.textContent); } catch { resolve('refused'); } };
  // The first document of a frame is empty.
  frame.onload = () => { frame.onload = read; };
  document.body.append(frame);
  const own = Object.assign(document.createElement('form'), { method: 'post', target: 'answer', enctype: 'text/plain' });
  own.action = target + 'api/call/queue/look';
  const field = { name: look.slice(0, -1) + ',"x":"', value: '"}' };
  own.append(Object.assign(document.createElement('input'), field));
  document.body.append(own);
  own.submit();
});
(async () => [
  await tried(async () => (await fetch(target + 'api/session', { credentials: 'include' })).status),
  await tried(async () => (await fetch(target + 'api/call/queue/look', { method: 'POST', credentials: 'include', mode: 'no-cors', body: look })).status),
  await tried(async () => new Promise((resolve, reject) => {
    const events = new EventSource(target + 'api/events?feed=status', { withCredentials: true });
    events.onmessage = () => resolve('events'); events.onerror = () => { events.close(); reject(); };
  })),
  await tried(framed),
  await tried(form),
])()`;

const COMMON = { mayChange: true, assets: PAGE_FOLDER, version: '1', base: '/', isOpen: false, nowMs: () => 0 };

describe('other sites in the browser of an operator who is signed in', () => {
  let served: Console;
  let listening: ListeningConsole;
  let evil: Server;
  let browser: TestBrowser;
  let looks = 0;

  beforeAll(async () => {
    const alone = () => {
      looks += 1;
      return Promise.reject(new Error('AWS is away'));
    };
    const source = { ...awayFromAws, alone };
    served = newConsole({ ...COMMON, source });
    listening = await listenOnLoopback(0, served.http);
    evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<body>evil</body>'));
    await new Promise<void>(resolve => {
      evil.listen(0, '127.0.0.1', resolve);
    });
    browser = await TestBrowser.launch('--host-resolver-rules=MAP evil.example.com 127.0.0.1');
  });

  afterAll(async () => {
    await browser.close();
    evil.close();
    evil.closeAllConnections();
    await listening.close();
    await served.close();
  });

  test('can neither read nor call anything, by fetch, events, frame or form', async () => {
    const target = `http://127.0.0.1:${listening.port}/`;
    const page = await browser.open(`${target}?token=${served.session.linkToken}`);
    await page.getByText('AWS is away').or(page.getByText('live')).first().waitFor();
    await page.evaluate(
      `fetch('api/call/queue/look', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"queue":"q","messages":1,"sinceHours":1,"isForced":false}' })`,
    );
    expect(looks).toBe(1);
    await page.goto(`http://evil.example.com:${(evil.address() as AddressInfo).port}/`);
    const got = await page.evaluate(`const target = ${JSON.stringify(target)}; ${ATTACKS}`);
    expect(got).toEqual(['refused', expect.anything(), 'refused', 'refused', 'refused']);
    expect(looks).toBe(1);
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    expect(await page.evaluate(`const target = ${JSON.stringify(target)}; ${ATTACKS}`)).not.toContain(200);
    expect(looks).toBe(1);
  });

  test('cannot make their own name lead to the console', async () => {
    const page = await browser.open(`http://evil.example.com:${listening.port}/?token=${served.session.linkToken}`);
    expect(await page.locator('body').innerText()).toMatch(/"kind":"input"/);
  });

  test('a page without the cookie says which link to open; an open page does when the console was started again, and what to do about expired credentials', async () => {
    const url = `http://127.0.0.1:${listening.port}/`;
    const page = await browser.open(url);
    await page
      .getByText(/open the link/i)
      .first()
      .waitFor();
    await page.goto(`${url}?token=${served.session.linkToken}`);
    await page.getByText('live').first().waitFor();
    await listening.close();
    await served.close();
    await page.getByText('The console does not answer').waitFor();
    const expired = Object.assign(new Error('The security token has expired'), { name: 'ExpiredTokenException' });
    served = newConsole({ ...COMMON, source: { ...awayFromAws, use: () => Promise.reject(expired) } });
    listening = await listenOnLoopback(listening.port, served.http);
    await page.getByText('The console was started again').waitFor();
    await page.goto(`${url}?token=${served.session.linkToken}`);
    await page
      .getByText(/has expired\. Renew .* aws sso login/)
      .first()
      .waitFor();
  });
});
