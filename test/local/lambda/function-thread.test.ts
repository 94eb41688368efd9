import { Answer, LambdaFixture, START_MS } from './lambda-fixture';

describe("a function's thread", () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  /** Runs an async handler with this body and answers what it returns. */
  async function run(body: string, event: unknown = {}): Promise<unknown> {
    world.deploy('probe', { code: `exports.handler = async (event, context) => {${body}};` });
    return (await world.invoke('probe', event)).value;
  }

  describe('time', () => {
    test('stands where the timeline stands, wherever code looks', async () => {
      await world.goTo(90);
      const seen = await run(`
        const { performance: named } = require('node:perf_hooks');
        return [Date.now(), new Date().getTime(), +new Date(5), new Date().constructor === Date, new Date() instanceof Date,
          typeof Date(), performance.now(), named.now(), performance.timeOrigin, process.uptime(),
          process.hrtime([0, 0]).length, typeof process.hrtime.bigint(), context.getRemainingTimeInMillis()];`);
      const now = START_MS + 90_000;
      expect(seen).toEqual([now, now, 5, true, true, 'string', 0, 0, now, 0, 2, 'bigint', 3000]);
    });

    test('is shown in UTC, whatever the time zone of this machine', async () => {
      const date = `new Date(Date.UTC(2026, 6, 5, 4, 3, 2, 1))`;
      const seen = await run(`
        const date = ${date};
        const set = ${date};
        set.setHours(23);
        return [date.getHours(), date.getDate(), date.getTimezoneOffset(), String(date), date.toDateString(), date.toTimeString(),
          date.toLocaleString('en-US'), date.toLocaleDateString('de-DE'), new Intl.DateTimeFormat('en-US').format(),
          Intl.DateTimeFormat().resolvedOptions().timeZone, set.toISOString(), String(new Date(NaN)), Date(),
          date.toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo' }),
          new Date(2026, 6, 5, 4).toISOString(),
          ...['2026-07-05T04:00:00', '2026-07-05', '2026-07-05T04:00:00+02:00', 'Jul 5, 2026 04:00', 'Sun, 05 Jul 2026 04:00:00 GMT', date.toString(), 'nonsense']
            .map(text => Date.parse(text))];`);
      const four = Date.UTC(2026, 6, 5, 4);
      expect(seen).toEqual([
        4,
        5,
        0,
        'Sun Jul 05 2026 04:03:02 GMT+0000 (Coordinated Universal Time)',
        'Sun Jul 05 2026',
        '04:03:02 GMT+0000 (Coordinated Universal Time)',
        '7/5/2026, 4:03:02 AM',
        '5.7.2026',
        '1/1/2026',
        'UTC',
        '2026-07-05T23:03:02.001Z',
        'Invalid Date',
        'Thu Jan 01 2026 00:00:00 GMT+0000 (Coordinated Universal Time)',
        '13:03:02',
        '2026-07-05T04:00:00.000Z',
        ...[four, Date.UTC(2026, 6, 5), four - 7_200_000, four, four, four + 182_000, null],
      ]);
    });

    test('passes only while code waits', async () => {
      const seen = await run(`
        const times = [];
        const started = Date.now();
        const note = name => times.push([name, Date.now() - started, performance.now(), context.getRemainingTimeInMillis()]);
        await new Promise(resolve => setTimeout(resolve, 250)); note('setTimeout');
        await require('node:timers/promises').setTimeout(500); note('timers/promises');
        await require('node:util').promisify(setTimeout)(250); note('promisify');
        await new Promise(resolve => setImmediate(resolve)); note('setImmediate');
        for await (const _ of require('node:timers/promises').setInterval(100)) { if (Date.now() - started >= 1300) break; }
        note('interval');
        for (let i = 0; i < 1e6; i += 1) Math.sqrt(i);
        note('computing');
        return times;`);
      expect(seen).toEqual([
        ['setTimeout', 250, 250, 2750],
        ['timers/promises', 750, 750, 2250],
        ['promisify', 1000, 1000, 2000],
        ['setImmediate', 1000, 1000, 2000],
        ['interval', 1300, 1300, 1700],
        ['computing', 1300, 1300, 1700],
      ]);
      expect(world.happened('lambda.finished')).toMatchObject([{ durationMs: 1300, outcome: 'success' }]);
    });

    test('timers fire in order, can be cleared, refreshed and refused, and keep asynchronous context', async () => {
      const seen = await run(`
        const { AsyncLocalStorage } = require('node:async_hooks');
        const store = new AsyncLocalStorage();
        const order = [];
        const cleared = setTimeout(() => order.push('never'), 10);
        clearTimeout(cleared);
        const byNumber = setTimeout(() => order.push('never'), 10);
        clearTimeout(Number(byNumber));
        const later = setTimeout(() => order.push('refreshed at ' + performance.now()), 30);
        setTimeout(() => { order.push('20'); later.refresh(); Promise.resolve().then(() => order.push('promise of 20')); }, 20);
        setTimeout(() => order.push('20 again'), 20);
        store.run('mine', () => setTimeout(() => order.push(store.getStore()), 5));
        let beats = 0;
        const beat = setInterval(() => { beats += 1; if (beats === 3) clearInterval(beat); }, 7);
        await new Promise(resolve => setTimeout(resolve, 100));
        try { setTimeout('text'); } catch (error) { order.push(error.code); }
        return [order, beats, later.hasRef(), later.unref().hasRef()];`);
      const order = ['mine', '20', 'promise of 20', '20 again', 'refreshed at 50', 'ERR_INVALID_ARG_TYPE'];
      expect(seen).toEqual([order, 3, true, false]);
    });

    test('AbortSignal.timeout aborts after virtual time', async () => {
      world.network.attach('silent.example.com', () => ({ kind: 'silence' }));
      const seen = await run(`
        try { await fetch('https://silent.example.com/', { signal: AbortSignal.timeout(700) }); }
        catch (error) { return [error.name, performance.now()]; }`);
      expect(seen).toEqual(['TimeoutError', 700]);
    });

    test('waits for work in the thread pool without passing', async () => {
      const seen = await run(`
        const { promisify } = require('node:util');
        const key = await promisify(require('node:crypto').pbkdf2)('a', 'b', 1000, 8, 'sha256');
        const packed = await promisify(require('node:zlib').gzip)('x'.repeat(1000));
        const text = await require('node:fs/promises').readFile(__filename, 'utf8');
        const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(4));
        return [key.length, packed.length < 100, text.includes('pbkdf2'), digest.byteLength, performance.now()];`);
      expect(seen).toEqual([8, true, true, 32, 0]);
    });
  });

  test('carries on after work in the thread pool in the order in which it was asked for, however long it took', async () => {
    // Without the fixed order, the short inputs would finish first.
    const seen = await run(`
      const { AsyncLocalStorage } = require('node:async_hooks');
      const { createReadStream } = require('node:fs');
      const fs = require('node:fs/promises');
      const node = require('node:crypto');
      const zlib = require('node:zlib');
      const { pipeline } = require('node:stream/promises');
      const { promisify } = require('node:util');
      const store = new AsyncLocalStorage();
      const order = [];
      const note = name => value => { order.push(name); return value; };
      const big = Buffer.alloc(20_000_000);
      await Promise.all([
        promisify(node.pbkdf2)('a', 'b', 200_000, 8, 'sha256').then(note('pbkdf2, long')),
        promisify(node.pbkdf2)('a', 'b', 1, 8, 'sha256').then(note('pbkdf2, short')),
        promisify(node.scrypt)('a', 'b', 8, { N: 65536, maxmem: 2 ** 30 }).then(note('scrypt')),
        promisify(zlib.gzip)(big).then(promisify(zlib.gunzip)).then(note('there and back')),
        promisify(zlib.deflate)('x').then(note('deflate')),
        crypto.subtle.digest('SHA-256', big).then(note('digest, long')),
        crypto.subtle.digest('SHA-256', new Uint8Array(1)).then(note('digest, short')),
        fs.readFile(__filename).then(note('readFile')),
        store.run('mine', () => promisify(require('node:fs').stat)(__filename)).then(note('stat')),
        fs.open(__filename).then(async handle => { await handle.read(Buffer.alloc(8)); await handle.close(); }).then(note('handle')),
        pipeline(createReadStream(__filename), zlib.createGzip(), async chunks => { for await (const _ of chunks); }).then(note('stream')),
        promisify(node.generateKeyPair)('ec', { namedCurve: 'P-256' }).then(({ publicKey }) => note(publicKey.type)()),
        new Promise(resolve => store.run('kept', () => node.hkdf('sha256', 'k', 's', 'i', 8, () => resolve(store.getStore())))).then(note('hkdf')),
        new Promise(resolve => setImmediate(resolve)).then(note('immediate')),
      ]);
      const refused = await promisify(node.pbkdf2)('a', 'b', -1, 8, 'sha256').catch(error => error.code);
      return { order, refused, now: performance.now() };`);
    expect(seen).toEqual({
      order: [
        'immediate',
        'pbkdf2, long',
        'pbkdf2, short',
        'scrypt',
        'digest, long',
        'digest, short',
        'readFile',
        'stat',
        'public',
        'hkdf',
        // Each of these does several pieces of work in sequence.
        'deflate',
        'handle',
        'there and back',
        'stream',
      ],
      refused: 'ERR_OUT_OF_RANGE',
      now: 0,
    });
  });

  test('runs on the same machine everywhere, with the memory of the function', async () => {
    world.deploy('probe', {
      memorySizeMb: 3000,
      code: `
        const os = require('node:os');
        const threads = require('node:worker_threads');
        exports.handler = async () => ({
          machine: [os.hostname(), os.type(), os.cpus().length, os.availableParallelism(), os.totalmem() / 2 ** 20, os.loadavg(), os.uptime(),
            os.userInfo().username, os.networkInterfaces()],
          memory: [process.memoryUsage(), process.memoryUsage.rss(), process.constrainedMemory() / 2 ** 20,
            require('node:v8').getHeapStatistics()],
          time: [process.cpuUsage(), process.resourceUsage().userCPUTime],
          thread: [threads.isMainThread, threads.parentPort, threads.threadId, threads.workerData],
        });`,
    });
    const first = await world.invoke('probe');
    expect(first.value).toMatchObject({
      machine: ['169.254.100.6', 'Linux', 2, 2, 3000, [0, 0, 0], 0, 'sbx_user1051', {}],
      time: [{ user: 0, system: 0 }, 0],
      thread: [true, null, 0, null],
    });
    expect((await world.invoke('probe')).value).toEqual(first.value);
  });

  describe('chance', () => {
    const DRAWS = `
      const node = require('node:crypto');
      return [Math.random(), crypto.randomUUID(), node.randomUUID(), node.randomBytes(8).toString('hex'), node.randomInt(1000),
        [...crypto.getRandomValues(new Uint8Array(4))], node.randomFillSync(Buffer.alloc(4)).toString('hex'),
        await new Promise((resolve, reject) => node.randomBytes(4, (error, bytes) => error ? reject(error) : resolve(bytes.toString('hex'))))];`;

    test('comes from the seed, so that it is the same in every run', async () => {
      const first = await run(DRAWS);
      await world.close();
      world = new LambdaFixture();
      expect(await run(DRAWS)).toEqual(first);
      expect(first).toMatchObject([
        expect.any(Number),
        expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        expect.not.stringMatching(/^$/),
        expect.stringMatching(/^[0-9a-f]{16}$/),
        expect.any(Number),
        expect.any(Array),
        expect.stringMatching(/^[0-9a-f]{8}$/),
        expect.stringMatching(/^[0-9a-f]{8}$/),
      ]);
    });
  });

  describe('process', () => {
    test('has the environment variables of the function, and not the ones of the engine', async () => {
      world.deploy('probe', {
        code: 'exports.handler = async () => ({ ...process.env });',
        variables: { BILLING_URL: 'https://billing.example.com' },
        memorySizeMb: 256,
      });
      const { value } = await world.invoke('probe');
      expect(value).toMatchObject({
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
        AWS_LAMBDA_FUNCTION_NAME: 'probe',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/probe',
        AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^2026\/01\/01\/\[\$LATEST\][0-9a-f]{32}$/),
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: expect.stringMatching(/^ASIA[A-Z2-7]{16}$/),
        BILLING_URL: 'https://billing.example.com',
        TZ: ':UTC',
        _HANDLER: 'index.handler',
        _X_AMZN_TRACE_ID: expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0/),
      });
      expect(Object.keys(value as object)).not.toContain('JEST_WORKER_ID');
    });

    test.each([
      [
        'child processes',
        "require('node:child_process').execSync('true')",
        'child_process.execSync is not implemented',
      ],
      ['threads', "new (require('node:worker_threads').Worker)('0', { eval: true })", 'worker_threads.Worker is not'],
      ['debuggers', "require('node:inspector').open(0)", 'inspector.open is not implemented'],
      ['HTTP/2', "require('node:http2').connect('https://a.example')", 'http2.connect is not implemented'],
      ['datagrams', "require('node:dgram').createSocket('udp4')", 'dgram.createSocket is not implemented'],
      ['listening', "require('node:http').createServer().listen(0)", 'net.Server.listen is not implemented'],
    ])('says so where it would leave the engine: %s', async (_, code, text) => {
      expect(await run(code)).toMatchObject({ errorType: 'Error', errorMessage: expect.stringContaining(text) });
    });
  });

  describe('an endless wait', () => {
    /** Code that never rests turns a processor for as long. */
    async function watch(watchdogMs: number): Promise<void> {
      await world.close();
      world = new LambdaFixture({ watchdogMs });
    }

    test.each([
      ['an infinite loop', 'for (;;);'],
      ['code that waits for the clock to move', 'const from = Date.now(); while (Date.now() - from < 10);'],
      ['an endless chain of promises', 'for (;;) await null;'],
    ])('is a timeout of the function, at the virtual instant: %s', async (_, code) => {
      await watch(250);
      world.deploy('stuck', { code: `exports.handler = async () => {${code}};` });
      const answer = await world.invoke('stuck');
      expect(answer.functionError).toBe('Unhandled');
      expect(answer.value).toEqual({
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringMatching(/^RequestId: [0-9a-f-]{36} Error: Task timed out after 3.00 seconds$/),
      });
      expect(world.seconds).toBe(3);
      expect(world.happened('lambda.finished')).toMatchObject([{ outcome: 'timeout', decidedBy: 'watchdog' }]);
      expect(world.messages.at(-3)).toMatch(
        /^2026-01-01T00:00:03.000Z [0-9a-f-]{36} Task timed out after 3.00 seconds\n$/,
      );
    });

    test('is distinguished from waiting too long, which needs no watchdog', async () => {
      await watch(2000);
      world.deploy('waiting', { code: 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 4000));' });
      expect((await world.invoke('waiting')).functionError).toBe('Unhandled');
      const [finished] = world.happened('lambda.finished');
      expect(finished).toMatchObject({ outcome: 'timeout', errorType: 'Sandbox.Timedout' });
      expect(finished).not.toHaveProperty('decidedBy');
    });

    test('leaves the engine, and the next invocation, as they were', async () => {
      await watch(1000);
      world.deploy('sometimes', {
        code: 'exports.handler = async event => { if (event.loop) for (;;); return "fine"; };',
      });
      expect((await world.invoke('sometimes', { loop: true })).functionError).toBe('Unhandled');
      expect((await world.invoke('sometimes')).value).toBe('fine');
      expect(world.happened('lambda.invoked')).toMatchObject([
        { environment: 1, coldStart: true },
        { environment: 2, coldStart: true },
      ]);
    });
  });

  describe('runs large code, which V8 compiles for all threads,', () => {
    const PADDING = `\n//${'-'.repeat(50_000)}`;
    const map = { version: 3, sources: ['handler.ts'], names: [], mappings: 'AAAA' };
    const MAP = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
    const CODE = `
      exports.handler = async () => [module.exports === exports, require.main.loaded, __filename.slice(__dirname.length),
        /[^/]*:\\d+:\\d+/.exec(new Error('here').stack)[0]];`;
    const IMPORTING = `exports.handler = async () => (await import('node:path')).sep;`;

    /** What two threads answered and logged, an hour after each other. */
    async function played(code: string, later = code): Promise<readonly unknown[]> {
      const fixture = new LambdaFixture();
      const variables = { NODE_OPTIONS: '--enable-source-maps' };
      fixture.deploy('probe', { code, variables, runtime: 'nodejs22.x' });
      const first = (await fixture.invoke('probe')).value;
      await fixture.goTo(3_600);
      fixture.deploy('later', { files: { '../probe/index.js': later } });
      const second = (await fixture.invoke('probe')).value;
      expect(fixture.happened('lambda.invoked').map(({ coldStart }) => coldStart)).toEqual([true, true]);
      await fixture.close();
      return [first, second, ...fixture.logged];
    }

    test.each([
      [CODE, '', [true, true, '/index.js', 'index.js:3:30']],
      [CODE, MAP, [true, true, '/index.js', 'handler.ts:1:1']],
      [IMPORTING, '', '/'],
    ])('as small code: its module, stack traces, imports and log (%#)', async (code, sourceMap, answer) => {
      const small = await played(code + sourceMap);
      expect(small.slice(0, 2)).toEqual([answer, answer]);
      expect(await played(code + PADDING + sourceMap)).toEqual(small);
    });

    test('again after a change that leaves its length', async () => {
      const code = (answer: number): string => `exports.handler = async () => ${answer};${PADDING}`;
      expect((await played(code(1), code(2))).slice(0, 2)).toEqual([1, 2]);
    });
  });

  test('is the same, byte for byte, in every run', async () => {
    const play = async (): Promise<string> => {
      const fixture = new LambdaFixture();
      fixture.outside.endpoint('a.example').behave({ reply: { kind: 'silence' }, count: 1 });
      fixture.deploy('story', {
        code: `
          const https = require('node:https');
          exports.handler = async (event, { awsRequestId }) => {
            console.log('hello', awsRequestId, Math.random());
            await Promise.all([1, 2, 3].map(async i => {
              await new Promise(resolve => setTimeout(resolve, Math.random() * 100));
              console.log(i, Date.now(), crypto.randomUUID());
            }));
            const response = await fetch('https://a.example/' + Math.random(), { signal: AbortSignal.timeout(1000) });
            return response.status;
          };`,
      });
      fixture.queue('story', { n: 1 });
      await fixture.timeline.runUntilIdle();
      const record = fixture.trace.toJsonLines() + JSON.stringify(fixture.logged) + JSON.stringify(fixture.measured);
      await fixture.close();
      return record;
    };
    const first = await play();
    expect(first).toContain('lambda.retry-scheduled');
    expect(await play()).toBe(first);
  });

  test('answers through a promise that only due work resolves', async () => {
    world.deploy('plain', { code: 'exports.handler = async () => 1;' });
    const answer = world.lambda.call(
      'Invoke',
      { principal: { kind: 'account', account: '1' }, context: {} },
      { FunctionName: 'plain' },
    );
    let settled = false;
    const observed = Promise.resolve(answer).then(response => {
      settled = true;
      return new Answer(response).value;
    });
    await Promise.resolve();
    expect(settled).toBe(false);
    await world.timeline.runUntilIdle();
    expect(await observed).toBe(1);
  });
});
