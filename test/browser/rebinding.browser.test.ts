import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalConsole } from '../../bin/local/local-console';
import { type ListenOptions, LocalAws } from '../../local';
import { TestBrowser } from './browser';

/** The ways in which a page can send a request. Each tries to make a queue that has the name of the way, or to move time. */
const ATTACKS = `
const version = '&Version=2012-11-05';
const scope = '&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsqs%2Faws4_request';
const query = name => 'Action=CreateQueue&QueueName=' + name + version;
const link = name => target + '/?' + query(name) + scope;
const soon = (act, ...ends) => new Promise(resolve => {
  for (const end of ends) act[end] = () => resolve(end);
});
const fetched = async (url, options) => { try { return (await fetch(url, options)).status; } catch { return 'refused'; } };
const loaded = (tag, attribute, url) => {
  const element = document.createElement(tag);
  element[attribute] = url;
  const end = soon(element, 'onload', 'onerror');
  document.body.append(element);
  return end;
};
const submitted = (name, method, enctype, action, fields) => {
  const frame = Object.assign(document.createElement('iframe'), { name });
  document.body.append(frame);
  const form = Object.assign(document.createElement('form'), { method, enctype, action, target: name });
  for (const [key, value] of fields) form.append(Object.assign(document.createElement('input'), { name: key, value }));
  document.body.append(form);
  const end = soon(frame, 'onload', 'onerror');
  form.submit();
  return end;
};
const form = 'application/x-www-form-urlencoded';
const signed = { authorization: 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0' };
const text = name => ({ method: 'POST', headers: signed, body: new URLSearchParams(query(name)) });
(async () => {
  const events = new EventSource(link('events'));
  const socket = new WebSocket(link('socket').replace('http', 'ws'));
  const ends = [soon(events, 'onerror'), soon(socket, 'onerror', 'onopen')];
  const statuses = [
    await fetched(link('fetch-get')),
    await fetched(link('fetch-head'), { method: 'HEAD' }),
    await fetched(target + '/', text('fetch-post')),
    await fetched(target + '/', { ...text('fetch-json'), headers: { ...signed, 'x-amz-target': 'AmazonSQS.CreateQueue' }, body: '{"QueueName":"fetch-json"}' }),
    await fetched(target + '/_dlo/advance', { method: 'POST', body: '{"seconds":60}' }),
    await fetched(target + '/_dlo/state'),
    await fetched(target + '/_dlo/console/'),
  ];
  await fetched(link('no-cors-post'), { method: 'POST', mode: 'no-cors' });
  navigator.sendBeacon(link('beacon'));
  await Promise.all(ends);
  events.close();
  await loaded('img', 'src', link('image'));
  await loaded('script', 'src', link('script'));
  await loaded('iframe', 'src', link('frame'));
  const fields = [...new URLSearchParams(link('form-get').split('?')[1])];
  await submitted('form-get', 'get', form, target + '/', fields);
  await submitted('form-post', 'post', form, link('form-post'), [['x', 'y']]);
  await submitted('form-text', 'post', 'text/plain', link('form-text'), [['x', 'y']]);
  return statuses;
})()`;

/** What a page of the allowed name can do: everything but change something by a link. */
const BY_POST = ['beacon', 'fetch-json', 'fetch-post', 'form-post', 'form-text', 'no-cors-post'];

describe('a page whose name leads to the port of the embedded AWS', () => {
  let elsewhere: Server;
  let browser: TestBrowser;
  const open: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    elsewhere = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<body></body>'));
    await new Promise<void>(resolve => {
      elsewhere.listen(0, '127.0.0.1', resolve);
    });
    // Some browsers have a protection of their own, which would hide ours.
    const unprotected = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests';
    browser = await TestBrowser.launch('--host-resolver-rules=MAP evil.example 127.0.0.1', unprotected);
  });

  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  afterAll(async () => {
    await browser.close();
    elsewhere.close();
    elsewhere.closeAllConnections();
  });

  async function served(options: ListenOptions = {}) {
    const aws = LocalAws.start();
    const local = new LocalConsole(options.allowHosts);
    const { port } = await aws.listen({ pages: local.pages, ...options });
    local.open(port, 'us-east-1');
    open.push(
      () => local.close(),
      () => aws.close(),
    );
    const made = () => aws.state().queues.map(({ name }) => name);
    return { aws, port, made };
  }

  /** What the ways answer, from a page of this origin. */
  async function attack(origin: string, target: string): Promise<unknown> {
    const page = await browser.open('about:blank');
    // A rebound name led to a server of its owner before: that is where the page came from.
    await page.route(`${origin}/attack`, route =>
      route.fulfill({ contentType: 'text/html', body: '<body>attack</body>' }),
    );
    await page.goto(`${origin}/attack`);
    const statuses: unknown = await page.evaluate(`const target = ${JSON.stringify(target)}; ${ATTACKS}`);
    await page.close();
    return statuses;
  }

  test('gets 403 in every way, and changes nothing', async () => {
    const { aws, port, made } = await served();
    const origin = `http://evil.example:${port}`;
    expect(await attack(origin, origin)).toEqual(Array.from({ length: 7 }, () => 403));
    expect([made(), aws.trace.events, aws.now]).toEqual([[], [], '2026-01-01T00:00:00.000Z']);
    const page = await browser.open('about:blank');
    const answer = await page.goto(`${origin}/?Action=CreateQueue&QueueName=address-bar&Version=2012-11-05`);
    expect([answer?.status(), await answer?.text()]).toEqual([
      403,
      expect.stringContaining('--allow-host evil.example'),
    ]);
    expect(made()).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost'])(
    'changes nothing under the name %s either, nor from another port there',
    async host => {
      const { aws, port, made } = await served();
      const { port: other } = elsewhere.address() as AddressInfo;
      await attack(`http://evil.example:${other}`, `http://${host}:${port}`);
      await attack(`http://${host}:${other}`, `http://${host}:${port}`);
      expect([made(), aws.trace.events, aws.now]).toEqual([[], [], '2026-01-01T00:00:00.000Z']);
    },
  );

  test('can post if its name is allowed, but changes nothing by a link', async () => {
    const { port, made } = await served({ allowHosts: ['evil.example'] });
    const origin = `http://evil.example:${port}`;
    expect(await attack(origin, origin)).toEqual([405, 405, 200, 200, 200, 200, 200]);
    expect(made().toSorted()).toEqual(BY_POST);
  });
});
