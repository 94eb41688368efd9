import path from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { LocalAws } from '../../../local';
import type { Interruption } from '../../../local/lambda';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { LambdaFixture } from './lambda-fixture';

/** Functions of which each is at fault in its own way. */
const HANDLERS = {
  Works: 'exports.handler = async event => { console.log(event.Records[0].Sns.Message); };',
  BrokenOnLoad: 'throw new TypeError("no such table");',
  NoHandler: 'exports.other = async () => {};',
  NotJavaScript: 'exports.handler = async ( => {};',
  TooSlow: 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 60_000));',
  Loops: 'exports.handler = async () => { for (;;); };',
  LoopsOnLoad: 'for (;;);',
  Exits: 'exports.handler = async () => process.exit(3);',
} as const;

function handlers(stack: Stack): void {
  const topic = new Topic(stack, 'Orders');
  for (const [id, code] of Object.entries(HANDLERS)) {
    const handler = inlineFunction(stack, id, code, { timeout: Duration.seconds(5), retryAttempts: 0 });
    topic.addSubscription(new LambdaSubscription(handler));
  }
}

describe('a faulty function', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(handlers, { lambda: { watchdogMs: 2_000 } });
    await deployed.publish('Orders', 'an order');
    await deployed.aws.runUntilIdle();
  });

  const finished = (id: string) =>
    deployed.happened('lambda.finished').filter(({ functionArn }) => functionArn === deployed.arn(id));

  test.each([
    { id: 'BrokenOnLoad', outcome: 'error', errorType: 'TypeError', errorMessage: 'no such table' },
    {
      id: 'NoHandler',
      outcome: 'error',
      errorType: 'Runtime.HandlerNotFound',
      errorMessage: 'index.handler is undefined or not exported',
    },
    {
      id: 'NotJavaScript',
      outcome: 'error',
      errorType: 'Runtime.UserCodeSyntaxError',
      errorMessage: expect.stringMatching(/^SyntaxError: /),
    },
    {
      id: 'TooSlow',
      outcome: 'timeout',
      errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/),
    },
    { id: 'Loops', outcome: 'timeout', errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/) },
    {
      id: 'LoopsOnLoad',
      outcome: 'timeout',
      errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/),
    },
    {
      id: 'Exits',
      outcome: 'error',
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringMatching(/Error: Runtime exited with error: exit status 3$/),
    },
  ])('fails with Lambda’s error: $id', ({ id, ...failure }) => {
    expect(finished(id)).toMatchObject([failure]);
    const log = deployed.log(`/aws/lambda/${deployed.ref(id)}`).join('\n');
    expect(log).toContain('REPORT RequestId: ');
    expect(log).not.toContain(path.join('local', 'lambda'));
  });

  test('does not affect other functions, and the simulation continues', async () => {
    expect(finished('Works')).toMatchObject([{ outcome: 'success' }]);
    const topicSum = await deployed.topicSum('Orders', 'NumberOfNotificationsDelivered');
    expect(topicSum).toBe(Object.keys(HANDLERS).length);
    const before = deployed.seconds;
    await deployed.advance({ hours: 1 });
    expect(deployed.seconds).toBe(before + 3_600);
  });
});

describe('interruptions', () => {
  describe('an interrupted invocation', () => {
    let world: LambdaFixture;
    beforeEach(() => {
      world = new LambdaFixture();
      // The function calls three hosts in sequence, one second apart.
      world.deploy('f', {
        code: `exports.handler = async () => {
        for (const name of ['a', 'b', 'c']) {
          await fetch('https://' + name + '.example/');
          console.log('called ' + name);
          await new Promise(resolve => setTimeout(resolve, 1000));
        }
        return 'done';
      };`,
        timeoutSeconds: 30,
      });
    });
    afterEach(() => world.close());

    const reported = (): readonly string[] =>
      ['a', 'b', 'c'].filter(name => world.outside.has(`${name}.example`) && at(name) > 0);
    const at = (name: string): number => world.outside.endpoint(`${name}.example`).requests.length;
    const interrupt = (more: Partial<Interruption>): void =>
      world.lambda.interruptions.set({ functionName: 'f', how: 'exit', ...more });

    test.each([
      ['exit', 'Runtime.ExitError', /Runtime exited with error: exit status 1$/, 1.5],
      ['out-of-memory', 'Runtime.OutOfMemory', /Runtime exited with error: signal: killed$/, 1.5],
      ['timeout', 'Sandbox.Timedout', /Task timed out after 30\.00 seconds$/, 30],
    ] as const)('by %s keeps what it did before, and does nothing after', async (how, errorType, text, seconds) => {
      interrupt({ how, afterMs: 1500 });
      const answer = await world.invoke('f');
      expect(answer.functionError).toBe('Unhandled');
      expect(answer.value).toMatchObject({ errorType, errorMessage: expect.stringMatching(text) });
      expect(reported()).toEqual(['a', 'b']);
      expect(world.seconds).toBe(seconds);
      const [{ outcome, durationMs } = {}] = world.happened('lambda.finished');
      expect([outcome, durationMs]).toEqual([how === 'timeout' ? 'timeout' : 'error', seconds * 1000]);
      // The next invocation has a new environment, and completes.
      expect((await world.invoke('f')).value).toBe('done');
      expect(world.happened('lambda.invoked').map(({ coldStart }) => coldStart)).toEqual([true, true]);
    });

    test('after a request never receives its response', async () => {
      interrupt({ afterRequests: 2 });
      expect((await world.invoke('f')).value).toMatchObject({ errorType: 'Runtime.ExitError' });
      expect(reported()).toEqual(['a', 'b']);
      expect(world.messages.filter(message => message.includes('called'))).toHaveLength(1);
      expect(world.seconds).toBe(1);
    });

    test('sends no further parallel requests', async () => {
      world.deploy('g', {
        code: `exports.handler = () => Promise.all(['a', 'b', 'c'].map(name => fetch('https://' + name + '.example/')));`,
      });
      world.lambda.interruptions.set({ functionName: 'g', how: 'out-of-memory', afterRequests: 2 });
      expect((await world.invoke('g')).value).toMatchObject({ errorType: 'Runtime.OutOfMemory' });
      expect(reported()).toEqual(['a', 'b']);
    });

    test('is the selected one, of the selected function', async () => {
      world.deploy('g', { code: 'exports.handler = async () => { await fetch("https://a.example/"); return "g"; };' });
      interrupt({ invocation: 2, count: 2 });
      const values: unknown[] = [];
      for (const name of ['f', 'g', 'f', 'g', 'f', 'f']) values.push((await world.invoke(name)).value);
      const ended = expect.objectContaining({ errorType: 'Runtime.ExitError' });
      expect(values).toEqual(['done', 'g', ended, 'g', ended, 'done']);
    });

    test('is not interrupted after it has ended', async () => {
      interrupt({ afterMs: 3001 });
      interrupt({ afterRequests: 4 });
      expect((await world.invoke('f')).value).toBe('done');
      expect((await world.invoke('f')).value).toBe('done');
    });

    test('is not interrupted after clear()', async () => {
      interrupt({});
      world.lambda.interruptions.clear();
      expect((await world.invoke('f')).value).toBe('done');
    });

    test('leaves the messages of its batch in the queue, which delivers them again', async () => {
      const queue = world.createQueue('orders');
      world.deploy('worker', { code: "exports.handler = async () => { await fetch('https://a.example/'); };" });
      world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn });
      world.lambda.interruptions.set({ functionName: 'worker', how: 'exit', afterRequests: 1 });
      world.send(queue.url, 'order');
      await world.goTo(60);
      expect(at('a')).toBe(2);
      expect(world.happened('lambda.batch-finished').map(({ outcome, deleted }) => [outcome, deleted])).toEqual([
        ['error', 0],
        ['success', 1],
      ]);
      expect(world.times('lambda.batch-received')).toEqual([0, 30]);
    });
  });

  test.each<[object, string]>([
    [{ functionName: 'g', how: 'exit' }, 'functionName must be an existing function, got "g"'],
    [{ functionName: 'f' }, 'how must be one of exit, out-of-memory, timeout, got nothing'],
    [{ functionName: 'f', how: 'kill' }, 'how must be one of exit, out-of-memory, timeout, got "kill"'],
    [{ functionName: 'f', how: 'exit', invocation: 0 }, 'invocation must be a whole number from 1'],
    [{ functionName: 'f', how: 'exit', afterMs: -1, count: 0 }, 'count must be a whole number from 1'],
    [{ functionName: 'f', how: 'exit', afterMs: 900_001 }, 'afterMs must be a number from 0 to 900000, got 900001'],
    [{ functionName: 'f', how: 'exit', afterMs: 1, afterRequests: 1 }, 'afterMs must not be given with afterRequests'],
    [
      { functionName: 'f', how: 'exit', after: 1 },
      'after is not known (is afterMs meant?): there are functionName, how, invocation',
    ],
  ])('an interruption cannot be %j', async (interruption, message) => {
    const world = new LambdaFixture();
    world.deploy('f', { code: 'exports.handler = async () => {};' });
    const setting = () => world.lambda.interruptions.set(interruption as Interruption);
    expect(setting).toThrow(RangeError);
    expect(setting).toThrow(message);
    await world.close();
  });

  test('a scenario sets interruptions on the embedded AWS', async () => {
    const aws = LocalAws.start();
    expect(() => aws.interruptions.set({ functionName: 'f', how: 'exit' })).toThrow('must be an existing function');
    await aws.close();
  });
});
