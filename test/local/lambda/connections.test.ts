import { addressesOf } from '../../../local/network/addresses';
import type { Reply } from '../../../local/network/network';
import { response } from '../../../local/network/outside-endpoint';
import { LambdaFixture } from './lambda-fixture';

/**
 * `call` posts by node:https and answers when it connected and what it met; it gives up connecting after 5 s and waiting
 * after 15 s, as the two timeouts of a careful client do.
 */
const CALL = `
  const https = require('node:https');
  const started = performance.now();
  const since = () => performance.now() - started;
  const call = (url, options = {}) => new Promise(resolve => {
    const seen = { text: '' };
    const end = more => resolve({ ...seen, ...more, endedAtMs: since() });
    const request = https.request(url, { method: 'POST', ...options }, response => {
      seen.status = response.statusCode;
      response.setEncoding('utf8').on('data', chunk => { seen.text += chunk; });
      response.on('end', () => end({ complete: response.complete }));
      response.on('error', ({ code, message }) => end({ code, message }));
    });
    request.on('socket', socket => {
      const connecting = setTimeout(() => request.destroy(new Error('no connection')), options.connectMs ?? 5000);
      socket.once('connect', () => { clearTimeout(connecting); seen.connectedAtMs = since(); });
      socket.once('close', () => clearTimeout(connecting));
    });
    const waiting = setTimeout(() => request.destroy(new Error('no answer')), 15000);
    request.on('close', () => clearTimeout(waiting));
    request.on('error', ({ code, message }) => end({ code, message }));
    request.end('{}');
  });`;

describe('what keeps a function from its answer', () => {
  let world: LambdaFixture;
  let deployed = 0;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  const endpoint = () => world.outside.endpoint('a.example');

  /** Runs code that can `call`, against an endpoint that behaves like this. */
  async function run(reply: Reply, code = "return call('https://a.example/');"): Promise<unknown> {
    endpoint().behave({ reply });
    deployed += 1;
    const name = `f${deployed}`;
    world.deploy(name, { code: `exports.handler = async () => { ${CALL} ${code} };`, timeoutSeconds: 300 });
    return (await world.invoke(name)).value;
  }

  test('no connection is another thing than a connection and no answer', async () => {
    expect(await run({ kind: 'silence', unreachable: true })).toEqual({
      text: '',
      message: 'no connection',
      endedAtMs: 5000,
    });
    expect(endpoint().requests).toEqual([]);
    expect(await run({ kind: 'silence' })).toEqual({
      text: '',
      connectedAtMs: 0,
      message: 'no answer',
      endedAtMs: 15_000,
    });
    expect(endpoint().requests).toHaveLength(1);
    expect(endpoint().failedConnections).toEqual([
      {
        atMs: Date.UTC(2026, 0, 1),
        address: addressesOf('a.example')[0],
        reply: { kind: 'silence', unreachable: true },
      },
    ]);
  });

  test('a connection without a response fails when the operating system gives up', async () => {
    const code =
      "return new Promise(resolve => require('node:net').connect(443, 'a.example')" +
      '.on("error", error => resolve([error.code, error.syscall, since()])));';
    expect(await run({ kind: 'silence', unreachable: true }, code)).toEqual(['ETIMEDOUT', 'connect', 127_000]);
  });

  test.each(['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ETIMEDOUT'] as const)(
    '%s comes before there is a request',
    async code => {
      const seen = await run({ kind: 'no-answer', code, latencyMs: 30 });
      expect(seen).toMatchObject({ code, endedAtMs: 30 });
      expect(seen).not.toHaveProperty('connectedAtMs');
      expect(endpoint().requests).toEqual([]);
      expect(endpoint().failedConnections).toHaveLength(1);
    },
  );

  test('the name system reports a name that does not exist to every kind of lookup', async () => {
    const code = `
      const lookup = (name, options, done) => require('node:dns').lookup(name, options, (...found) => { asked.push(found[0]?.code); done(...found); });
      const asked = [];
      const seen = await call('https://a.example/', { lookup });
      return { asked, code: seen.code, message: seen.message };`;
    expect(await run({ kind: 'no-answer', code: 'ENOTFOUND' }, code)).toEqual({
      asked: ['ENOTFOUND'],
      code: 'ENOTFOUND',
      message: 'getaddrinfo ENOTFOUND a.example',
    });
  });

  test('a spell of refusals is used up by connections', async () => {
    endpoint().behave({ reply: { kind: 'no-answer', code: 'ECONNREFUSED' }, count: 2 });
    world.deploy('f', {
      code: `exports.handler = async () => { ${CALL}
        const codes = [];
        for (let i = 0; i < 3; i += 1) { const { code, status } = await call('https://a.example/'); codes.push(code ?? status); }
        return codes; };`,
    });
    expect((await world.invoke('f')).value).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 200]);
    expect(endpoint().requests).toHaveLength(1);
  });

  describe('a body', () => {
    const body = (ending: 'reset' | 'never' | 'endless', headers: Record<string, string> = {}): Reply => ({
      kind: 'response',
      status: 200,
      headers,
      body: Buffer.from('the beginning'),
      ending,
    });

    test.each([[{}], [{ 'content-length': '1000' }]])('may break off: the connection is reset, %j', async headers => {
      expect(await run(body('reset', headers))).toMatchObject({
        status: 200,
        text: 'the beginning',
        code: 'ECONNRESET',
        endedAtMs: 0,
      });
      const code = `
        const response = await fetch('https://a.example/', { method: 'POST', body: '{}' });
        return response.text().catch(error => [response.status, error.message, error.cause?.code]);`;
      expect(await run(body('reset', headers), code)).toEqual([
        200,
        'terminated',
        expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
      ]);
    });

    test('may never end, until the code gives up', async () => {
      expect(await run(body('never'))).toMatchObject({
        status: 200,
        text: 'the beginning',
        endedAtMs: 15_000,
      });
      const code = `
        const response = await fetch('https://a.example/', { signal: AbortSignal.timeout(7000) });
        return response.text().catch(error => [error.name, since()]);`;
      expect(await run(body('never'), code)).toEqual(['TimeoutError', 7000]);
    });

    test('may come again and again, and never end: only a time for all of it helps', async () => {
      const give = (idleMs: number, totalMs: number): string => `return new Promise(resolve => {
        const request = https.get('https://a.example/', response => {
          let text = '';
          response.setEncoding('utf8').on('data', chunk => { text += chunk; });
          response.on('close', () => resolve([text.length, since()]));
        });
        request.setTimeout(${idleMs}, () => request.destroy());
        setTimeout(() => request.destroy(), ${totalMs});
        request.on('error', () => {});
      });`;
      expect(await run(body('endless'), give(2000, 10_500))).toEqual([11 * 'the beginning'.length, 10_500]);
    });

    test('may be large, and is read only as far as the code wants', async () => {
      const large: Reply = { kind: 'response', status: 200, headers: {}, body: Buffer.alloc(5_000_000, 'x') };
      const code = `return new Promise(resolve => https.get('https://a.example/', response => {
        let bytes = 0;
        response.on('data', chunk => { bytes += chunk.length; if (bytes > 100_000) response.destroy(); });
        response.on('close', () => resolve(bytes < 1_000_000));
      }));`;
      expect(await run(large, code)).toBe(true);
    });
  });

  test('an answer may be no HTTP at all', async () => {
    const garbage: Reply = { kind: 'no-answer', code: 'HPE_INVALID_CONSTANT' };
    expect(await run(garbage)).toMatchObject({
      code: 'HPE_INVALID_CONSTANT',
      connectedAtMs: 0,
      message: expect.stringContaining('Parse Error'),
    });
    expect(endpoint().requests).toHaveLength(1);
    const byFetch = "return fetch('https://a.example/').catch(error => [error.message, error.cause.name]);";
    expect(await run(garbage, byFetch)).toEqual(['fetch failed', 'HTTPParserError']);
  });

  describe('a connection that is kept, and closed by its host after 5 s', () => {
    const twice = (pauseMs: number) => `
      const agent = new https.Agent({ keepAlive: true });
      const first = await call('https://a.example/', { agent });
      await new Promise(resolve => setTimeout(resolve, ${pauseMs}));
      const second = await call('https://a.example/', { agent });
      return [first.status, second.status, second.connectedAtMs !== undefined];`;

    test('is used again before, and not after, by code that runs', async () => {
      const reply = response(200, 'taken', {}, { keepAliveMs: 5000 });
      expect(await run(reply, twice(4999))).toEqual([200, 200, false]);
      expect(await run(reply, twice(5001))).toEqual([200, 200, true]);
      expect(endpoint().requests).toHaveLength(4);
    });

    test('stays open while it is used, and without such a host for ever', async () => {
      const code = `
        const agent = new https.Agent({ keepAlive: true });
        const connected = [];
        for (let i = 0; i < 4; i += 1) {
          connected.push((await call('https://a.example/', { agent })).connectedAtMs !== undefined);
          await new Promise(resolve => setTimeout(resolve, 4000));
        }
        return connected;`;
      const once = [true, false, false, false];
      expect(await run(response(200, '', {}, { keepAliveMs: 5000 }), code)).toEqual(once);
      expect(await run(response(200), twice(200_000))).toEqual([200, 200, false]);
    });

    test('is dead for a function that sends right after the thaw, and the host does not receive the request', async () => {
      endpoint().behave({ reply: response(200, 'taken', {}, { keepAliveMs: 5000 }) });
      const code = `${CALL}
        const agent = new https.Agent({ keepAlive: true });
        exports.handler = () => call('https://a.example/', { agent });`;
      world.deploy('thawing', { code, timeoutSeconds: 60 });
      const met = async () => (await world.invoke('thawing')).value;
      expect(await met()).toMatchObject({ text: 'taken' });
      await world.timeline.advanceTo(world.timeline.nowMs + 60_000);
      expect(await met()).toMatchObject({ code: 'ECONNRESET', message: 'socket hang up' });
      expect(endpoint().requests).toHaveLength(1);
      // A retry opens a new connection.
      expect(await met()).toMatchObject({ text: 'taken' });
      expect(endpoint().requests).toHaveLength(2);
    });
  });
});
