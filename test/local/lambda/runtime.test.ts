import { FunctionThread } from '../../../local/lambda/environment/function-thread';
import { type FunctionProps, LambdaFixture } from './lambda-fixture';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

describe("Lambda's runtime", () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  async function invoke(props: FunctionProps, event: unknown = {}) {
    world.deploy('f', props);
    return world.invoke('f', event);
  }

  /** Log messages without what differs from one run to another kind of run: ids. */
  const lines = (): string[] => world.messages.map(message => message.replaceAll(new RegExp(UUID, 'g'), 'ID'));

  describe('a handler may answer', () => {
    test.each([
      ['by a promise', 'exports.handler = async event => ({ got: event.n })', { got: 1 }],
      ['by the callback', 'exports.handler = (event, context, callback) => { callback(null, event.n); }', 1],
      [
        'by the callback, later',
        'exports.handler = (e, c, callback) => { setTimeout(() => callback(null, "late"), 500); }',
        'late',
      ],
      ['by context.succeed', 'exports.handler = (event, context) => { context.succeed("old"); }', 'old'],
      ['by context.done', 'exports.handler = (event, context) => { context.done(null, "older"); }', 'older'],
      ['with nothing', 'exports.handler = async () => {}', null],
      ['never, without a promise', 'exports.handler = () => {}', null],
      [
        'with the first of several answers',
        'exports.handler = (e, c, callback) => { callback(null, 1); callback(null, 2); }',
        1,
      ],
      ['from an ECMAScript module', undefined, 'module'],
      ['from a nested member', 'exports.handler = { inner: async () => "nested" }', 'nested'],
    ])('%s', async (how, code, value) => {
      const files = { 'index.mjs': 'export const handler = async () => "module";' };
      const handler = how === 'from a nested member' ? 'index.handler.inner' : 'index.handler';
      const answer = await invoke(code ? { code, handler } : { files }, { n: 1 });
      expect(answer.response).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
      expect(answer.functionError).toBeUndefined();
      expect(answer.value).toEqual(value);
    });

    test('after its event loop is empty, or without waiting for it', async () => {
      const code = `exports.handler = (event, context, callback) => {
        context.callbackWaitsForEmptyEventLoop = event.wait;
        setTimeout(() => {}, 2000);
        callback(null, Date.now());
      };`;
      await invoke({ code }, { wait: true });
      await world.invoke('f', { wait: false });
      expect(world.happened('lambda.finished').map(({ durationMs }) => durationMs)).toEqual([2000, 0]);
    });
  });

  describe('an error is reported in the words of the runtime', () => {
    const TRACE = expect.arrayContaining([expect.stringContaining('at ')]);
    test.each([
      [
        'a rejected promise',
        'exports.handler = async () => { throw new TypeError("bad order"); }',
        { errorType: 'TypeError', errorMessage: 'bad order', trace: TRACE },
      ],
      [
        'a thrown error',
        'exports.handler = () => { throw new RangeError("too far"); }',
        { errorType: 'RangeError', errorMessage: 'too far', trace: TRACE },
      ],
      [
        'an error class of its own',
        'class Gone extends Error { name = "Gone" } exports.handler = async () => { throw new Gone("410"); }',
        { errorType: 'Gone', errorMessage: '410', trace: TRACE },
      ],
      [
        'an error for the callback',
        'exports.handler = (e, c, callback) => callback(new Error("called back"))',
        { errorType: 'Error', errorMessage: 'called back', trace: TRACE },
      ],
      [
        'context.fail',
        'exports.handler = (e, context) => context.fail("no reason")',
        { errorType: 'string', errorMessage: 'no reason', trace: [] },
      ],
      [
        'something thrown that is no error',
        'exports.handler = async () => { throw 42; }',
        { errorType: 'number', errorMessage: '42', trace: [] },
      ],
      [
        'a promise that never settles',
        'exports.handler = async () => new Promise(() => {})',
        {
          errorType: 'Runtime.NodeJsExit',
          errorMessage: expect.stringContaining('a Promise that was never settled'),
          trace: expect.any(Array),
        },
      ],
      [
        'an answer JSON cannot hold',
        'exports.handler = async () => 10n',
        {
          errorType: 'Runtime.JSONStringifyError',
          errorMessage: 'Unable to stringify response body',
          trace: expect.any(Array),
        },
      ],
      [
        'an unhandled rejection',
        'exports.handler = async () => { Promise.reject(new Error("lost")); await new Promise(resolve => setTimeout(resolve, 1)); }',
        { errorType: 'Runtime.UnhandledPromiseRejection', errorMessage: 'Error: lost', trace: expect.any(Array) },
      ],
      [
        'an uncaught error',
        'exports.handler = async () => { setTimeout(() => { throw new Error("later"); }, 5); await new Promise(resolve => setTimeout(resolve, 50)); }',
        { errorType: 'Error', errorMessage: 'later', trace: TRACE },
      ],
      [
        'process.exit',
        'exports.handler = async () => process.exit(3)',
        {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringMatching(
            new RegExp(`^RequestId: ${UUID} Error: Runtime exited with error: exit status 3$`),
          ),
        },
      ],
      [
        'process.exit without a status',
        'exports.handler = async () => process.exit()',
        {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringMatching(/ Error: Runtime exited without providing a reason$/),
        },
      ],
      [
        'killing itself',
        'exports.handler = async () => process.kill(process.pid)',
        {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringMatching(/ Error: Runtime exited with error: signal: killed$/),
        },
      ],
      [
        'aborting',
        'exports.handler = async () => process.abort()',
        {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringMatching(/ Error: Runtime exited with error: signal: aborted$/),
        },
      ],
    ])('%s', async (_, code, error) => {
      const answer = await invoke({ code });
      expect(answer.response).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
      expect(answer.value).toEqual(error);
      expect(world.total('Errors')).toBe(1);
      expect(world.happened('lambda.finished')).toMatchObject([{ outcome: 'error', errorType: error.errorType }]);
    });

    test('too much memory', async () => {
      await world.close();
      // Filling the heap takes a while of real time on a busy machine.
      world = new LambdaFixture({ watchdogMs: 60_000 });
      const code = 'exports.handler = async () => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)); };';
      const { value } = await invoke({ code, memorySizeMb: 64 });
      expect(value).toEqual({
        errorType: 'Runtime.OutOfMemory',
        errorMessage: expect.stringMatching(/^RequestId: .* Error: Runtime exited with error: signal: killed$/),
      });
      expect(lines().at(-1)).toContain('Status: error\tError Type: Runtime.OutOfMemory');
    });

    test('an environment that crashed is replaced, one whose handler failed is used again', async () => {
      const code =
        'exports.handler = async event => { if (event.exit) process.exit(1); throw new Error("only this once"); };';
      await invoke({ code });
      await world.invoke('f', { exit: true });
      await world.invoke('f');
      expect(world.happened('lambda.invoked').map(({ environment }) => environment)).toEqual([1, 1, 2]);
    });
  });

  describe('loading fails as on AWS', () => {
    test.each<[string, FunctionProps, object]>([
      [
        'no such module',
        { files: {} },
        {
          errorType: 'Runtime.ImportModuleError',
          errorMessage: expect.stringContaining("Error: Cannot find module '/var/task/index'"),
        },
      ],
      [
        'a module it needs is missing',
        { code: 'require("not-there");' },
        {
          errorType: 'Runtime.ImportModuleError',
          errorMessage: expect.stringContaining(
            "Error: Cannot find module 'not-there'\nRequire stack:\n- /var/task/index.js",
          ),
        },
      ],
      [
        'no such export',
        { code: 'exports.other = 1;' },
        { errorType: 'Runtime.HandlerNotFound', errorMessage: 'index.handler is undefined or not exported' },
      ],
      [
        'an export that is no function',
        { code: 'exports.handler = 1;' },
        { errorType: 'Runtime.HandlerNotFound', errorMessage: 'index.handler is not a function' },
      ],
      [
        'a syntax error',
        { code: 'exports.handler = async () => {' },
        { errorType: 'Runtime.UserCodeSyntaxError', errorMessage: 'SyntaxError: Unexpected end of input' },
      ],
      [
        'a handler without a dot',
        { code: '', handler: 'index' },
        { errorType: 'Runtime.MalformedHandlerName', errorMessage: 'Bad handler' },
      ],
      [
        'a handler outside the code',
        { code: '', handler: '../index.handler' },
        { errorType: 'Runtime.MalformedHandlerName' },
      ],
      ['code that throws', { code: 'throw new Error("at load");' }, { errorType: 'Error', errorMessage: 'at load' }],
      [
        'code that exits',
        { code: 'process.exit(7);' },
        { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 7') },
      ],
      [
        'a callback handler on nodejs24.x',
        { code: 'exports.handler = (event, context, callback) => {};', runtime: 'nodejs24.x' },
        { errorType: 'Runtime.CallbackHandlerDeprecated' },
      ],
    ])('%s', async (_, props, error) => {
      const answer = await invoke(props);
      expect(answer.functionError).toBe('Unhandled');
      expect(answer.value).toMatchObject(error);
      expect(lines()).toContainEqual(
        expect.stringMatching(/^INIT_REPORT Init Duration: 0.00 ms\tPhase: init\tStatus: error\tError Type: /),
      );
    });

    test('code that never finishes loading meets the 10 s of the init phase, then its own timeout', async () => {
      await world.close();
      world = new LambdaFixture({ watchdogMs: 250 });
      const answer = await invoke({ code: 'for (;;);' });
      expect(answer.value).toMatchObject({ errorType: 'Sandbox.Timedout' });
      expect(world.seconds).toBe(13);
      expect(lines()).toContain('INIT_REPORT Init Duration: 10000.00 ms\tPhase: init\tStatus: timeout');
    });

    test('no path of this machine is shown', async () => {
      const answer = await invoke({ code: 'exports.handler = async () => { throw new Error(__filename); };' });
      const reported = JSON.stringify([answer.value, world.messages]);
      expect(answer.value).toMatchObject({
        errorMessage: '/var/task/index.js',
        trace: expect.arrayContaining([expect.stringMatching(/ at .*\(\/var\/task\/index.js:1:\d+\)/)]),
      });
      expect(reported).not.toContain('lambda-test-');
      expect(reported).not.toContain('function.worker');
    });
  });

  describe('the log', () => {
    const NOISY = `
      console.log('loading');
      exports.handler = async () => {
        console.log('order %s', 7, { a: 1 });
        console.warn('careful');
        console.error(new Error('seen').message);
        console.debug('fine');
        process.stdout.write('raw\\nhalf');
        process.stdout.write(' a line\\nrest');
        require('node:fs').writeSync(2, 'by descriptor\\n');
        await new Promise(resolve => setTimeout(resolve, 1500));
        console.info('two\\nlines');
      };`;

    test("has Lambda's lines around the text lines of the code", async () => {
      await invoke({ code: NOISY });
      const START = '2026-01-01T00:00:00.000Z';
      expect(lines()).toEqual([
        'INIT_START Runtime Version: nodejs20.x',
        `${START}\tundefined\tINFO\tloading`,
        'START RequestId: ID Version: $LATEST',
        `${START}\tID\tINFO\torder 7 { a: 1 }`,
        `${START}\tID\tWARN\tcareful`,
        `${START}\tID\tERROR\tseen`,
        `${START}\tID\tDEBUG\tfine`,
        'raw',
        'half a line',
        'by descriptor',
        '2026-01-01T00:00:01.500Z\tID\tINFO\ttwo\nlines',
        'rest',
        'END RequestId: ID',
        'REPORT RequestId: ID\tDuration: 1500.00 ms\tBilled Duration: 1500 ms\tMemory Size: 128 MB\tInit Duration: 0.00 ms',
      ]);
      expect(new Set(world.logged.map(({ group, stream }) => `${group} ${stream.slice(0, 20)}`))).toEqual(
        new Set(['/aws/lambda/f 2026/01/01/[$LATEST]']),
      );
    });

    test('is JSON where the function says so, from its least level on', async () => {
      const logging = {
        logGroup: 'mine',
        logFormat: 'JSON',
        applicationLogLevel: 'WARN',
        systemLogLevel: 'INFO',
      } as const;
      const code =
        'exports.handler = async () => { console.info("no"); console.warn("yes", new Error("why")); console.error({ a: 1 }); };';
      await invoke({ code, logging });
      const documents = lines().map(line => JSON.parse(line));
      expect(documents.map(({ type, level }) => type ?? level)).toEqual([
        'platform.initStart',
        'platform.start',
        'WARN',
        'ERROR',
        'platform.report',
      ]);
      expect(documents[2]).toMatchObject({
        timestamp: '2026-01-01T00:00:00.000Z',
        level: 'WARN',
        requestId: 'ID',
        message: expect.stringContaining('yes Error: why'),
        errorType: 'Error',
        errorMessage: 'why',
        stackTrace: expect.any(Array),
      });
      expect(documents[3]).toMatchObject({ message: { a: 1 } });
      expect(documents[4]).toMatchObject({
        record: { requestId: 'ID', status: 'success', metrics: { billedDurationMs: 1, memorySizeMB: 128 } },
      });
    });

    test('is lost without the permission to write it, and the trace says so', async () => {
      world.decideAccess = ({ action }) =>
        action === 'logs:PutLogEvents'
          ? { allowed: false, reason: 'no statement allows it' }
          : { allowed: true, reason: '' };
      expect((await invoke({ code: NOISY })).value).toBeNull();
      expect(world.logged).toEqual([]);
      expect(world.happened('lambda.logs-refused')).toMatchObject([{ reason: 'no statement allows it' }]);
    });
  });

  describe('execution environments', () => {
    const COUNTING =
      'let runs = 0; exports.handler = async () => { await new Promise(r => setTimeout(r, 1000)); return runs += 1; };';

    test('are used again one after the other, and as many as run at once', async () => {
      await invoke({ code: COUNTING });
      expect((await world.invoke('f')).value).toBe(2);
      for (let i = 0; i < 3; i += 1) world.queue('f');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.invoked').map(({ environment }) => environment)).toEqual([1, 1, 1, 2, 3]);
      expect(
        Math.max(...world.measured.filter(({ name }) => name === 'ConcurrentExecutions').map(({ value }) => value)),
      ).toBe(3);
    });

    test('are recycled after ten idle minutes, and the oldest when there are too many', async () => {
      await world.close();
      world = new LambdaFixture({ idleEnvironments: 1 });
      await invoke({ code: COUNTING });
      await world.goTo(300);
      expect((await world.invoke('f')).value).toBe(2);
      await world.goTo(1000);
      expect((await world.invoke('f')).value).toBe(1);
      world.deploy('g', { code: COUNTING });
      await world.invoke('g');
      await world.goTo(1003);
      expect((await world.invoke('f')).value).toBe(1);
    });

    test('are not ended at the instant at which others wait for them', async () => {
      await world.close();
      world = new LambdaFixture({ idleEnvironments: 1, maxThreads: 4 });
      const queue = world.createQueue('orders', { VisibilityTimeout: '60' });
      world.deploy('f', { code: 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 1000));' });
      for (let i = 0; i < 12; i += 1) world.send(queue.url, `order ${i}`);
      world.lambda.createEventSourceMapping('f', { queueArn: queue.arn, batchSize: 1 });
      await world.goTo(10);
      const invoked = world.happened('lambda.invoked');
      expect(invoked).toHaveLength(12);
      expect(invoked.filter(({ coldStart }) => coldStart)).toHaveLength(4);
      for (let n = 0; n < 4; n += 1) world.queue('f', { n });
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.invoked').filter(({ coldStart }) => coldStart)).toHaveLength(4 + 3);
    });

    test('take their credentials along when they end, an hour later', async () => {
      await invoke({ code: COUNTING });
      for (let day = 1; day < 20; day += 1) {
        await world.goTo(day * 86_400);
        await world.invoke('f');
      }
      expect(world.happened('lambda.invoked').filter(({ coldStart }) => coldStart)).toHaveLength(20);
      expect(world.credentials.count).toBe(1);
    });

    test('that break give their place back', async () => {
      await world.close();
      world = new LambdaFixture({ accountConcurrency: 1, maxThreads: 1 });
      world.deploy('f', { code: COUNTING });
      jest.spyOn(FunctionThread.prototype, 'send').mockRejectedValueOnce(new Error('no thread today'));
      world.queue('f');
      await expect(world.timeline.runUntilIdle()).rejects.toThrow('no thread today');
      expect((await world.invoke('f')).value).toBe(1);
    });
  });
});
