import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import type { OutgoingRequest, Reply } from '../../../local/network/network';
import { response } from '../../../local/network/outside-endpoint';
import { LambdaFixture } from './lambda-fixture';

/** An `async` helper that posts by node:https and answers status, headers and body, or the error. */
const POST = `
  const https = require('node:https');
  const post = (url, options = {}, body = '') => new Promise(resolve => {
    const request = https.request(url, { method: 'POST', ...options }, response => {
      const { authorized, encrypted, remoteAddress } = response.socket;
      let text = '';
      response.setEncoding('utf8').on('data', chunk => { text += chunk; });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text, authorized, encrypted,
        remoteAddress, reused: request.reusedSocket }));
    });
    if (options.timeout) request.on('timeout', () => request.destroy(new Error('my own timeout')));
    request.on('error', ({ message, code, syscall }) => resolve({ message, code, syscall, atMs: performance.now() }));
    request.end(body);
  });`;

describe("a function's network", () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  async function run(body: string, event: unknown = {}): Promise<unknown> {
    world.deploy('client', {
      code: `${POST} exports.handler = async (event, context) => {${body}};`,
      timeoutSeconds: 60,
    });
    return (await world.invoke('client', event)).value;
  }

  const requests = (host: string): readonly OutgoingRequest[] => world.outside.endpoint(host).requests;
  const text = (request: OutgoingRequest | undefined): string => Buffer.from(request?.body ?? []).toString();

  test('node:https posts to a host of the engine', async () => {
    const reply = { ...response(201, '{"id":7}', { 'x-request-id': 'r' }), latencyMs: 120 } as Reply;
    world.outside.endpoint('billing.example.com').behave({ reply });
    const seen = await run(
      "return { ...(await post('https://billing.example.com/invoices?dry=1', { headers: { 'Content-Type': 'application/json' } }, '{\"a\":1}')), tookMs: performance.now() };",
    );
    expect(seen).toMatchObject({
      status: 201,
      text: '{"id":7}',
      headers: { 'x-request-id': 'r', 'content-length': '8', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
      authorized: true,
      encrypted: true,
      remoteAddress: expect.stringMatching(/^52\./),
      tookMs: 120,
    });
    const [request] = requests('billing.example.com');
    expect(request).toMatchObject({
      protocol: 'https',
      host: 'billing.example.com',
      port: 443,
      method: 'POST',
      path: '/invoices?dry=1',
      headers: { host: 'billing.example.com', 'content-type': 'application/json', 'content-length': '7' },
    });
    expect(text(request)).toBe('{"a":1}');
  });

  test('fetch, too, and node:http on any port', async () => {
    world.outside.endpoint('a.example').behave({ reply: response(200, 'x'.repeat(300_000)) });
    const seen = await run(`
      const fetched = await fetch('http://a.example:8080/big', { method: 'PUT', body: 'y'.repeat(200000) });
      const plain = await new Promise(resolve => require('node:http').get({ host: 'b.example', path: '/' }, resolve));
      plain.resume();
      return [fetched.status, (await fetched.text()).length, plain.statusCode];`);
    expect(seen).toEqual([200, 300_000, 200]);
    expect(requests('a.example')).toMatchObject([{ protocol: 'http', port: 8080, method: 'PUT', path: '/big' }]);
    expect(requests('a.example')[0]?.body.byteLength).toBe(200_000);
    expect(requests('b.example')).toMatchObject([{ protocol: 'http', port: 80 }]);
  });

  test.each([
    [
      'ECONNREFUSED',
      { code: 'ECONNREFUSED', syscall: 'connect', message: expect.stringMatching(/^connect ECONNREFUSED 52\..*:443$/) },
    ],
    ['ETIMEDOUT', { code: 'ETIMEDOUT', syscall: 'connect' }],
    ['ENOTFOUND', { code: 'ENOTFOUND', syscall: 'getaddrinfo', message: 'getaddrinfo ENOTFOUND a.example' }],
    ['ECONNRESET', { code: 'ECONNRESET', message: 'read ECONNRESET' }],
    ['CERT_HAS_EXPIRED', { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' }],
  ] as const)('no answer is the error node gives: %s', async (code, error) => {
    world.outside.endpoint('a.example').behave({ reply: { kind: 'no-answer', code, latencyMs: 40 } });
    const seen = await run(`
      const byNode = await post('https://a.example/');
      const byFetch = await fetch('https://a.example/').catch(error => [error.message, error.cause.code]);
      return { byNode, byFetch };`);
    expect(seen).toEqual({ byNode: expect.objectContaining({ ...error, atMs: 40 }), byFetch: ['fetch failed', code] });
  });

  test('silence lasts until the code gives up, or the function times out', async () => {
    world.network.attach('silent.example', () => ({ kind: 'silence' }));
    expect(await run("return post('https://silent.example/', { timeout: 5000 });")).toMatchObject({
      message: 'my own timeout',
      atMs: 5000,
    });
    world.deploy('patient', {
      code: `${POST} exports.handler = () => post('https://silent.example/');`,
      timeoutSeconds: 30,
    });
    const startedAt = world.seconds;
    expect((await world.invoke('patient')).value).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect(world.seconds - startedAt).toBe(30);
  });

  test('an agent with keep-alive uses its connection again', async () => {
    const seen = await run(`
      const agent = new https.Agent({ keepAlive: true, timeout: 9000 });
      const first = await post('https://a.example/', { agent });
      const second = await post('https://a.example/', { agent });
      const third = await post('https://b.example/', { agent });
      return [first.reused, second.reused, third.reused, Object.values(agent.freeSockets).flat().length];`);
    expect(seen).toEqual([false, true, false, 2]);
  });

  test('a server that closes the connection is obeyed, and the whole body arrives', async () => {
    world.outside.endpoint('a.example').behave({ reply: response(200, 'z'.repeat(100_000), { connection: 'close' }) });
    const seen = await run(`
      const agent = new https.Agent({ keepAlive: true });
      const { text } = await post('https://a.example/', { agent });
      return [text.length, (await post('https://a.example/', { agent })).reused];`);
    expect(seen).toEqual([100_000, false]);
  });

  test('a custom lookup is called as node calls it, with the addresses the engine gives, and not for an address', async () => {
    world.outside.endpoint('52.1.2.3');
    const seen = await run(`
      const dns = require('node:dns');
      const calls = [];
      const lookup = (host, options, done) => {
        calls.push([host, options.all]);
        dns.lookup(host, options, (error, addresses) => { calls.push(addresses); done(error, addresses); });
      };
      const { status, remoteAddress } = await post('https://a.example/', { lookup });
      await post('https://52.1.2.3/', { lookup });
      const refuse = (host, options, done) => done(new Error('private address'), '');
      const refused = await post('https://b.example/', { lookup: refuse });
      return { calls, status, remoteAddress, refused: refused.message };`);
    expect(seen).toMatchObject({
      calls: [['a.example', true], [{ address: expect.stringMatching(/^52\./), family: 4 }]],
      status: 200,
      refused: 'private address',
    });
    expect(requests('b.example')).toEqual([]);
    expect(requests('52.1.2.3')).toHaveLength(1);
  });

  test('names are asked of the engine, by callback and by promise', async () => {
    const seen = await run(`
      const dns = require('node:dns');
      const { promisify } = require('node:util');
      const { address } = await dns.promises.lookup('a.example');
      return [
        address,
        (await promisify(dns.lookup)('a.example')).address,
        (await dns.promises.resolve4('a.example'))[0],
        await dns.promises.resolve6('a.example').catch(error => error.code),
        (await dns.promises.lookup('localhost')).address,
      ];`);
    const [address, ...others] = seen as string[];
    expect(address).toMatch(/^52\.\d+\.\d+\.\d+$/);
    expect(others).toEqual([address, address, 'ENODATA', '127.0.0.1']);
  });

  test('a long poll that due work answers is answered at that instant', async () => {
    world.network.attach('poll.example', () => {
      const poll = new Promise<Reply>(resolve => {
        world.timeline.after(12_000, () => resolve(response(200, 'at last')));
      });
      return poll.then(async reply => reply);
    });
    world.timeline.after(50_000, () => {});
    expect(await run("return [(await post('https://poll.example/')).text, performance.now()];")).toEqual([
      'at last',
      12_000,
    ]);
  });

  test('what comes while the environment is frozen is there when it thaws', async () => {
    world.outside.endpoint('slow.example').behave({ reply: { ...response(200, 'late'), latencyMs: 10_000 } as Reply });
    world.deploy('background', {
      code: `
        let found = 'nothing yet';
        let beats = 0;
        setInterval(() => { beats += 1; }, 1000).unref();
        exports.handler = async event => {
          if (event.start) fetch('https://slow.example/').then(async response => { found = await response.text(); });
          await new Promise(resolve => setTimeout(resolve, 1));
          return [found, beats];
        };`,
    });
    expect((await world.invoke('background', { start: true })).value).toEqual(['nothing yet', 0]);
    await world.goTo(60);
    const { value } = await world.invoke('background');
    // The interval did not fire while the environment was frozen for a minute. It fired once afterwards.
    expect(value).toEqual(['late', 1]);
    expect(world.happened('lambda.invoked').map(({ coldStart }) => coldStart)).toEqual([true, false]);
  });

  test('the AWS SDK runs unchanged, signed with the credentials of the role', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sdk-bundle-'));
    const outfile = path.join(folder, 'index.js');
    await build({
      stdin: {
        contents: `
          import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
          const client = new SQSClient({});
          export const handler = async () => {
            const sent = await client.send(new SendMessageCommand({ QueueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/q', MessageBody: 'hi' }));
            return [sent.MessageId, performance.now()];
          };`,
        resolveDir: __dirname,
      },
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile,
      logLevel: 'silent',
    });
    const received: OutgoingRequest[] = [];
    world.network.attach('sqs.us-east-1.amazonaws.com', request => {
      received.push(request);
      if (received.length === 1) return { ...response(503), latencyMs: 5 } as Reply;
      const body = JSON.stringify({ MessageId: 'm-1', MD5OfMessageBody: '49f68a5c8493ec2c0bf489821c21fc3b' });
      return response(200, body, { 'content-type': 'application/x-amz-json-1.0' });
    });
    world.deploy('sender', { folder, timeoutSeconds: 30 });
    const { value } = await world.invoke('sender');
    rmSync(folder, { recursive: true });
    expect(value).toEqual(['m-1', expect.any(Number)]);
    // One retry, after the SDK's own backoff on virtual time.
    expect(received).toHaveLength(2);
    expect(received[0]?.headers).toMatchObject({
      'x-amz-target': 'AmazonSQS.SendMessage',
      'x-amz-date': '20260101T000000Z',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=ASIA[A-Z2-7]{16}\/20260101\/us-east-1\/sqs\/aws4_request/,
      ),
      'x-amz-security-token': expect.any(String),
    });
    expect(text(received[0])).toContain('"MessageBody":"hi"');
  });
});
