import { OneAttemptSqs } from '../../../../account/connection/one-attempt';
import { MINUTE_MS } from '../../../../policy/time-units';
import { MemoryIo } from '../../shared/memory-io';
import type { Meddler, Meddling, PassingCall } from './meddler';
import { plainShop } from './plain-shop';
import { RedriveAccount } from './redrive-account';

const range = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));

const sorted = (texts: readonly string[]) => [...texts].sort();

/** A filter that matches all messages, so that they are moved one by one. */
const ONE_BY_ONE = '--filter body ';

/** Whether it is one of the first calls of an action. */
function isFirst(action: string, times = 1): (call: PassingCall) => boolean {
  let left = times;
  return call => {
    if (call.action !== action || left === 0) return false;
    left -= 1;
    return true;
  };
}

describe('dlo dlq redrive, when things go wrong', () => {
  let account: RedriveAccount;
  let meddler: Meddler;
  let dead: string;
  /** How many messages the consumer had processed before. */
  let before: number;

  beforeAll(async () => {
    account = await RedriveAccount.of(plainShop);
    dead = account.queue('Dead');
    meddler = await account.meddler();
  });

  beforeEach(() => {
    before = account.done('Worker').length;
  });

  afterAll(() => meddler.close());

  afterEach(async () => {
    jest.restoreAllMocks();
    account.deployed.aws.faults.clear();
    meddler.meddling = {};
    await account.deployed.advance({ minutes: 3 });
    await account.drain('Dead');
  });

  const doneSince = () => sorted(account.done('Worker').slice(before));

  const moved = (out: string) => Number(/^(\d+) messages? moved/.exec(out)?.[1]);

  /** Runs the current plan while a proxy changes calls and answers. */
  const meddled = (options: string, meddling: Meddling) => {
    meddler.meddling = meddling;
    const words = `dlq redrive ${dead} ${options}--execute --endpoint-url ${meddler.url}`.split(' ');
    return account.typed(words, {}, new MemoryIo());
  };

  const failing = (action: string, forMs?: number) =>
    account.deployed.aws.faults.set({
      service: 'sqs',
      action,
      httpStatus: 503,
      code: 'ServiceUnavailable',
      ...(forMs !== undefined && { forMs }),
    });

  describe('by a task', () => {
    /** Whether a task has started since the test began. */
    let hasStarted: () => boolean;

    beforeEach(() => {
      const tasks = () => account.deployed.happened('sqs.move-task-started').length;
      const first = tasks();
      hasStarted = () => tasks() > first;
    });

    test('asks again where SQS does not list it for a moment, and the canary stays one', async () => {
      await account.sendMany('Dead', 60);
      let isFailing = false;
      const fail = () => {
        if (!isFailing && hasStarted()) failing('ListMessageMoveTasks', 5_000);
        isFailing = hasStarted();
      };
      const { exitCode, out } = await account.meanwhile(() => account.redrive('Dead', '--canary 3 '), fail);
      expect([exitCode, moved(out)]).toEqual([0, 60]);
      const [canary] = account.deployed.happened('sqs.move-task-ended');
      expect(canary).toMatchObject({ status: 'CANCELLED' });
    });

    test('has the canary cancelled when its time is over though nobody can see it, and says what is known', async () => {
      await account.sendMany('Dead', 60);
      const fail = () => void (hasStarted() && failing('ListMessageMoveTasks'));
      const { exitCode, out, err } = await account.meanwhile(() => account.redrive('Dead', '--canary 3 '), fail);
      expect([exitCode, out]).toEqual([1, expect.stringContaining(`\nNext: dlo dlq watch ${dead}`)]);
      expect(out).toMatch(/^\d messages moved, as far as SQS reported, from /);
      expect(err).toMatch(/dlo: lost track of the task \(\d messages moved, .* SQS has been asked to cancel the task/);
      expect(account.depth('Dead')[0]).toBeGreaterThan(45);
      await account.deployed.advance({ minutes: 5 });
      expect(account.depth('Dead')[0]).toBeGreaterThan(45);
    });

    test('finds the task it began where the answer is lost, and cancels it when it is enough', async () => {
      await account.sendMany('Dead', 60);
      const isStart = isFirst('StartMessageMoveTask');
      const hears = (call: PassingCall) => (isStart(call) ? 'nothing' : 'answer');
      const { exitCode, out, err } = await meddled('--canary 3 ', { hears });
      expect([exitCode, moved(out)]).toEqual([0, 60]);
      expect(err).toContain('The canary succeeded.');
      expect(account.deployed.happened('sqs.move-task-started').at(-2)).toMatchObject({ messagesPerSecond: 1 });
    });

    test('says of a task that nobody answered for and SQS does not list that nobody knows', async () => {
      await account.sendMany('Dead', 5);
      failing('StartMessageMoveTask');
      const { exitCode, out, err } = await account.redrive('Dead');
      expect([exitCode, moved(out), account.depth('Dead')]).toEqual([1, 0, [5, 0]]);
      expect(err).toContain('it is unknown whether a task has started: ');
    });

    test('cancels the canary by its own time where the clock of the machine is wrong', async () => {
      for (const minutes of [-10, 30]) {
        await account.sendMany('Dead', 60);
        const before = account.deployed.happened('sqs.move-task-started').length;
        const run = () => account.redrive('Dead', '--canary 3 ');
        const { exitCode } = await account.skewed(minutes * MINUTE_MS, run);
        expect(exitCode).toBe(0);
        expect(account.deployed.happened('sqs.move-task-started').slice(before)).toHaveLength(2);
      }
    });
  });

  describe('message by message', () => {
    beforeEach(() => account.sendMany('Dead', 30));

    const redrive = (options: string) => account.redrive('Dead', `${ONE_BY_ONE}${options}`);

    test('sends none where whoever asks may not delete', async () => {
      const fault = { service: 'sqs', action: 'DeleteMessageBatch', httpStatus: 403, code: 'AccessDenied' } as const;
      account.deployed.aws.faults.set(fault);
      const { exitCode, out, err } = await redrive('--canary 0 ');
      expect([exitCode, out, doneSince(), account.depth('Dead')]).toEqual([1, '', [], [30, 0]]);
      expect(err).toContain('dlo: sqs:DeleteMessage is denied');
    });

    test('says what was moved where the watch on the canary fails', async () => {
      const fail = () => void (account.done('Worker').length >= before + 4 && failing('GetQueueAttributes'));
      const { exitCode, out, err } = await account.meanwhile(() => redrive('--canary 4 '), fail);
      expect([exitCode, moved(out), doneSince().length]).toEqual([1, 4, 4]);
      expect(err).toMatch(/dlo: failed \(4 messages moved\): could not watch for returning messages: /);
      expect(out).toContain(`\nNext: dlo dlq redrive ${dead} `);
    });

    test('says what was moved, and what was not deleted, where the credentials end half way', async () => {
      const send = OneAttemptSqs.prototype.send;
      let deletes = 0;
      jest.spyOn(OneAttemptSqs.prototype, 'send').mockImplementation(function (
        this: OneAttemptSqs,
        ...args: unknown[]
      ) {
        const [command] = args;
        if (command?.constructor.name === 'DeleteMessageBatchCommand') deletes += 1;
        if (deletes > 5) return Promise.reject(new Error('The SSO session has expired'));
        return Reflect.apply(send, this, args);
      });
      const { exitCode, out, err } = await redrive('--canary 0 --rate 1 ');
      // The first delete is the permission check, which deletes no message.
      expect([exitCode, moved(out), doneSince().length]).toEqual([1, 5, 5]);
      expect(out).toMatch(/\n {2}1 message, for instance [\w-]+: was moved, and not deleted: SQS did not answer\n/);
      expect(out).toContain(`\nNext: dlo dlq redrive ${dead} `);
      expect(err).toMatch(/dlo: failed \(5 messages moved, 1 of them not deleted\): The SSO session has expired\n$/);
    });

    test('deletes what the canary moved and SQS did not delete, and sends none twice', async () => {
      // Moving 90 messages at 1 a second takes longer than an undeleted message stays hidden.
      await account.drain('Dead');
      await account.sendMany('Dead', 90);
      // The first call is the permission check, which deletes no message.
      const isOfCanary = isFirst('DeleteMessageBatch', 2);
      const asks = (call: PassingCall) =>
        isOfCanary(call) ? call.body.replace(/"ReceiptHandle":"[^"]+"/, '"ReceiptHandle":"garbled"') : call.body;
      const { exitCode, out } = await meddled(`${ONE_BY_ONE}--canary 4 --rate 1 `, { asks });
      expect([exitCode, moved(out), account.depth('Dead')]).toEqual([0, 90, [0, 0]]);
      expect(doneSince()).toEqual(sorted(range(90)));
    });

    test('says how many were moved and could not be deleted', async () => {
      const asks = ({ action, body }: PassingCall) =>
        action === 'DeleteMessageBatch'
          ? body.replaceAll(/"ReceiptHandle":"[^"]+"/g, '"ReceiptHandle":"garbled"')
          : body;
      const { exitCode, out, err } = await meddled(`${ONE_BY_ONE}--canary 0 `, { asks });
      expect([exitCode, moved(out), doneSince()]).toEqual([1, 30, sorted(range(30))]);
      expect(out).toMatch(/\n {2}30 messages, for instance [\w-]+: was moved, and not deleted: ReceiptHandleIsInvalid/);
      expect(err).toContain('dlo: not all messages moved (30 messages moved, 30 of them not deleted): 30 messages: ');
    });

    test('sends nothing a second time that nobody has answered for, and says that it may have gone', async () => {
      const isSend = isFirst('SendMessageBatch');
      const hears = (call: PassingCall) => (isSend(call) ? 'nothing' : 'answer');
      const { exitCode, out, err } = await meddled(`${ONE_BY_ONE}--canary 4 `, { hears });
      expect([exitCode, moved(out), account.depth('Dead')]).toEqual([1, 29, [1, 0]]);
      expect(doneSince()).toEqual(sorted(range(30)));
      expect(out).toMatch(/\n {2}1 message, for instance [\w-]+: may have been moved, and was not deleted: /);
      expect(err).toContain('dlo: not all messages moved (29 messages moved, and 1 more may have moved): 1 message: ');
    });

    test('ends the canary where the destination has refused as many as it has', async () => {
      const resource = account.deployed.arn('Orders');
      const refusal = { httpStatus: 400, code: 'InvalidMessageContents' } as const;
      account.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', resource, ...refusal });
      const { exitCode, out, err } = await redrive('--canary 3 ');
      expect([exitCode, moved(out), account.depth('Dead')]).toEqual([1, 0, [30, 0]]);
      expect(out).toMatch(/\n {2}3 messages, for instance [\w-]+: SendMessageBatch: InvalidMessageContents: /);
      expect(err).toContain('dlo: failed (0 messages moved): the destination has refused 3: ');
    });

    test.each([-10, 30])('moves each once where the clock of the machine is wrong by %i minutes', async minutes => {
      await account.drain('Dead');
      for (const number of range(20)) await account.send('Dead', `poison ${number}`);
      const run = () => redrive('--canary 0 --rate 1 ');
      const { exitCode, out } = await account.skewed(minutes * MINUTE_MS, run);
      expect([exitCode, moved(out)]).toEqual([1, 20]);
      expect(out).toContain('messages returned');
    });

    test('hides messages that a filter leaves for at most two minutes, and again while it continues', async () => {
      const hidden: number[] = [];
      const asks = ({ action, body }: PassingCall) => {
        if (action === 'ChangeMessageVisibilityBatch')
          hidden.push(...[...body.matchAll(/"VisibilityTimeout":(\d+)/g)].map(([, seconds]) => Number(seconds)));
        return body;
      };
      await account.drain('Dead');
      for (const number of range(200)) await account.send('Dead', Number(number) <= 3 ? 'stays' : number);
      const { exitCode, out } = await meddled(`--filter body!='stays' --canary 0 --rate 1 `, { asks });
      expect([exitCode, moved(out)]).toEqual([0, 197]);
      // The three messages that stay are hidden, hidden again each minute, and given back (0 seconds).
      expect(new Set(hidden)).toEqual(new Set([0, 120]));
      expect(hidden.filter(seconds => seconds === 120).length).toBeGreaterThanOrEqual(9);
      const staying = await account.deployed.receive('Dead');
      expect(staying.map(({ Attributes }) => Attributes?.ApproximateReceiveCount)).toEqual(['2', '2', '2']);
    });
  });
});
