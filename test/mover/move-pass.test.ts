import { type DeleteMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import {
  type DeadLetter,
  type DeadLetterReceiver,
  deadLetterReceiver,
  quarantineSender,
} from '../../mover/dead-letter-receiver';
import type { DestinationClosed, MessageMover, MoveResult } from '../../mover/message-mover';
import { type MovePassOrder, type MovePassPorts, type MovePassResult, runMovePass } from '../../mover/move-pass';
import { messagesPerCall, Pace } from '../../mover/pace';
import type { PassCounts } from '../../mover/pass-progress';
import { MovedBefore } from '../../mover/remaining-messages';
import { VirtualTime } from './move-pass-fixture';

const START = Date.UTC(2026, 0, 5, 9);
const HOLD_MS = 120_000;

interface Held {
  readonly deadLetter: DeadLetter;
  visibleAtMs: number;
}

/** A dead-letter queue, as a move pass sees it. */
class Box implements DeadLetterReceiver {
  private held: Held[];
  /** How the next deletes fail. */
  readonly undeletable = new Set<string>();

  constructor(
    private readonly time: VirtualTime,
    deadLetters: readonly DeadLetter[],
  ) {
    this.held = deadLetters.map(deadLetter => ({ deadLetter, visibleAtMs: START }));
  }

  get ids(): readonly string[] {
    return this.held.map(({ deadLetter }) => deadLetter.messageId);
  }

  get visible(): readonly string[] {
    return this.held.filter(it => this.isVisible(it)).map(({ deadLetter }) => deadLetter.messageId);
  }

  readonly receive: DeadLetterReceiver['receive'] = async (most, waitSeconds) => {
    await this.time.wait(this.visible.length > 0 ? 5 : waitSeconds * 1_000);
    const received = this.held.filter(it => this.isVisible(it)).slice(0, most);
    for (const it of received) it.visibleAtMs = this.time.nowMs() + HOLD_MS;
    return received.map(({ deadLetter }) => deadLetter);
  };

  readonly remove: DeadLetterReceiver['remove'] = async deadLetters => {
    await this.time.wait(5);
    const refused = deadLetters.filter(({ messageId }) => this.undeletable.delete(messageId));
    this.held = this.held.filter(({ deadLetter }) => refused.includes(deadLetter) || !deadLetters.includes(deadLetter));
    return new Map(refused.map(deadLetter => [deadLetter, 'InternalError: try again']));
  };

  readonly hide: DeadLetterReceiver['hide'] = async (deadLetters, seconds) => {
    await this.time.wait(5);
    for (const it of this.held) {
      if (deadLetters.includes(it.deadLetter)) it.visibleAtMs = this.time.nowMs() + seconds * 1_000;
    }
  };

  private isVisible({ visibleAtMs }: Held): boolean {
    return visibleAtMs <= this.time.nowMs();
  }
}

const messageOf = (id: string, sentAtMs = START - 1): DeadLetter => ({
  messageId: id,
  receiptHandle: id,
  firstReceivedAtMs: 0,
  receiveCount: 1,
  body: id,
  attributes: {},
  sentAtMs,
});

const named = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `letter-${index}`);

/** The result of an attempt to move a message, by its id and the number of the attempt. */
type FateOf = (id: string, attempt: number) => MoveResult | DestinationClosed;

/** A mover that only adds messages to a list. */
class ListMover implements MessageMover {
  readonly arrived: string[] = [];
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly time: VirtualTime,
    private readonly fateOf: FateOf,
    readonly inspect: MessageMover['inspect'] = () => ({ kind: 'fit' }),
    readonly callMs?: number,
  ) {}

  readonly batchesInOrder: MessageMover['batchesInOrder'] = deadLetters =>
    deadLetters.length === 0 ? [] : [[deadLetters]];

  readonly move: MessageMover['move'] = async lot => {
    await this.time.wait(20);
    const fates: MoveResult[] = [];
    for (const { messageId } of lot) {
      const attempt = (this.attempts.get(messageId) ?? 0) + 1;
      this.attempts.set(messageId, attempt);
      const fate = this.fateOf(messageId, attempt);
      if (fate.kind === 'closed') return fate;
      // A message without an answer may have arrived. In this test it has. A function that failed has received it.
      if (['moved', 'unknown', 'failed'].includes(fate.kind)) this.arrived.push(messageId);
      fates.push(fate);
    }
    return fates;
  };
}

const MOVED: MoveResult = { kind: 'moved' };

interface Scene {
  readonly deadLetters: readonly DeadLetter[];
  readonly fateOf?: FateOf;
  readonly screen?: MessageMover['inspect'];
  readonly rate?: number;
  readonly messages?: number;
  readonly timeMs?: number;
  readonly check?: MovePassOrder['check'];
  readonly quarantine?: MovePassPorts['quarantine'];
  readonly undeletable?: readonly string[];
  readonly movedBefore?: MovedBefore;
  readonly callMs?: number;
}

function optional({ quarantine, movedBefore }: Scene): Partial<MovePassPorts> {
  return { ...(quarantine && { quarantine }), ...(movedBefore && { movedBefore }) };
}

function staged(scene: Scene) {
  const { deadLetters, fateOf = () => MOVED, screen, rate = 500, messages = 1_000, timeMs = 900_000 } = scene;
  const time = new VirtualTime(START);
  const { nowMs, wait } = time;
  const box = new Box(time, deadLetters);
  for (const id of scene.undeletable ?? []) box.undeletable.add(id);
  const messageMover = new ListMover(time, fateOf, screen, scene.callMs);
  const reported = { moved: 0, quarantined: 0, returned: 0 };
  const onCounted = (added: PassCounts) => {
    reported.moved += added.moved;
    reported.quarantined += added.quarantined;
    reported.returned += added.returned;
  };
  const ports = { deadLetters: box, nowMs, wait, onCounted, ...optional(scene) };
  const order: MovePassOrder = {
    messagesPerSecond: rate,
    messages,
    sentUntilMs: START,
    remainingMs: () => START + timeMs - time.nowMs(),
    check: scene.check ?? (async () => undefined),
  };
  const seconds = () => Math.floor((time.nowMs() - START) / 1_000);
  return {
    box,
    messageMover,
    reported,
    seconds,
    run: (): Promise<MovePassResult> => time.run(runMovePass(messageMover, ports, order)),
  };
}

async function played(scene: Scene) {
  const stage = staged(scene);
  return { ...stage, came: await stage.run() };
}

describe('A move pass', () => {
  test('keeps its books, whatever becomes of each attempt', async () => {
    const fates = fc.constantFrom<MoveResult>(
      MOVED,
      MOVED,
      { kind: 'again', reason: 'throttled' },
      { kind: 'left', reason: 'too large' },
      { kind: 'unknown', reason: 'no answer' },
      { kind: 'failed', reason: 'the function failed' },
    );
    const scene = fc.record({
      fates: fc.array(fc.array(fates, { minLength: 1, maxLength: 6 }), { maxLength: 40 }),
      rate: fc.constantFrom(1, 7, 50, 500),
      messages: fc.integer({ min: 1, max: 45 }),
      timeMs: fc.constantFrom(31_000, 45_000, 900_000),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ fates: fatesOf, rate, messages, timeMs }) => {
        const ids = named(fatesOf.length);
        const fateOf: FateOf = (id, attempt) => fatesOf[ids.indexOf(id)]?.[attempt - 1] ?? MOVED;
        const { came, box, messageMover, reported } = await played({
          deadLetters: ids.map(id => messageOf(id)),
          fateOf,
          rate,
          messages,
          timeMs,
        });
        // The pass moves no more messages than it should, and each once: it does not send a message again that may have arrived.
        expect(messageMover.arrived.length).toBeLessThanOrEqual(messages);
        expect(new Set(messageMover.arrived).size).toBe(messageMover.arrived.length);
        expect(came.moved).toBe(messageMover.arrived.length);
        // A message that may not have arrived is still in the queue, and is visible.
        const certain = messageMover.arrived.filter(id => !box.ids.includes(id));
        expect([...certain, ...box.ids].sort()).toEqual([...ids].sort());
        expect(box.visible).toEqual(box.ids);
        expect(reported).toEqual({ moved: came.moved, quarantined: 0, returned: came.returned ?? 0 });
        if (came.status === 'COMPLETED' && came.moved < messages) {
          const left = (came.left ?? []).reduce((sum, { messages }) => sum + messages, 0);
          expect(left).toBe(box.ids.length);
        }
      }),
      { numRuns: 150, seed: 6 },
    );
  });

  test('does not move a message again in this pass that SQS did not delete, and reports it', async () => {
    const { came, box, messageMover } = await played({
      deadLetters: named(3).map(id => messageOf(id)),
      undeletable: ['letter-1'],
      // Long enough for the message to return to the queue.
      fateOf: () => MOVED,
      rate: 1,
    });
    const left = [{ reason: 'was moved, and not deleted: InternalError: try again', messages: 1, example: 'letter-1' }];
    expect(came).toMatchObject({ status: 'COMPLETED', moved: 3, left });
    expect([messageMover.arrived, box.ids]).toEqual([named(3), ['letter-1']]);
  });

  test('deletes a moved message when it receives it again', async () => {
    const { came, box, messageMover } = await played({
      deadLetters: named(200).map(id => messageOf(id)),
      undeletable: ['letter-1'],
      rate: 1,
    });
    expect(came).toMatchObject({ status: 'COMPLETED', moved: 200 });
    expect(came).not.toHaveProperty('left');
    expect([messageMover.arrived.length, box.ids]).toEqual([200, []]);
  });

  test('deletes messages that an earlier pass moved but could not delete, and sends no message twice that may have arrived', async () => {
    const movedBefore = new MovedBefore();
    movedBefore.undeleted.set('letter-0', 'InternalError: try again');
    movedBefore.unsure.set('letter-1', 'SendMessageBatch: TimeoutError: no answer');
    const { came, box, messageMover } = await played({
      deadLetters: named(4).map(id => messageOf(id)),
      messages: 2,
      movedBefore,
    });
    expect(messageMover.arrived).toEqual(['letter-2', 'letter-3']);
    expect(box.ids).toEqual(['letter-1']);
    const reason = 'may have been moved, and was not deleted: SendMessageBatch: TimeoutError: no answer';
    expect(came).toMatchObject({ moved: 2, left: [{ reason, messages: 1, example: 'letter-1' }] });
    expect(movedBefore.undeleted.size).toBe(0);
  });

  test('keeps what is behind one of its group that may be there already', async () => {
    const movedBefore = new MovedBefore();
    movedBefore.unsure.set('letter-0', 'no answer');
    const deadLetters = named(3).map((id, index) => ({ ...messageOf(id), groupId: index < 2 ? 'a' : 'b' }));
    const { messageMover, box } = await played({ deadLetters, movedBefore });
    expect([messageMover.arrived, box.ids]).toEqual([['letter-2'], ['letter-0', 'letter-1']]);
  });

  test('looks every 30 seconds, and tells how far it is', async () => {
    const looks: PassCounts[] = [];
    const check = async (soFar: PassCounts) => void looks.push(soFar);
    await played({ deadLetters: named(100).map(id => messageOf(id)), rate: 1, check });
    expect(looks.map(({ moved }) => moved)).toEqual([31, 61, 91]);
    expect(looks[0]).toEqual({ moved: 31, returned: 0, quarantined: 0 });
  });

  test('begins no call that may take longer than there is time', async () => {
    const ends = async (timeMs: number, callMs?: number) => {
      const deadLetters = named(3).map(id => messageOf(id));
      const { came } = await played({ deadLetters, timeMs, ...(callMs !== undefined && { callMs }) });
      return [came.status, came.moved];
    };
    expect(await ends(120_000)).toEqual(['COMPLETED', 3]);
    expect(await ends(120_000, 60_000)).toEqual(['COMPLETED', 3]);
    expect(await ends(120_000, 95_000)).toEqual(['PAUSED', 0]);
  });

  const FAILED: MoveResult = { kind: 'failed', reason: 'the function failed' };

  test('puts what a function failed on into the quarantine, with the reason, and counts it as moved', async () => {
    const quarantined: unknown[] = [];
    const { came, box, reported } = await played({
      deadLetters: named(4).map(id => messageOf(id)),
      fateOf: id => (id === 'letter-1' ? FAILED : MOVED),
      messages: 3,
      quarantine: async ({ messageId }, cause, reason) => void quarantined.push([messageId, cause, reason]),
    });
    expect(came).toMatchObject({ moved: 3, quarantined: 1, returned: 1 });
    expect(came).not.toHaveProperty('left');
    expect(quarantined).toEqual([['letter-1', 'came-back', 'the function failed']]);
    expect(reported).toEqual({ moved: 3, quarantined: 1, returned: 1 });
    expect(box.visible).toEqual(['letter-3']);
  });

  test('leaves what a function failed on where there is no quarantine, and tries it once', async () => {
    const movedBefore = new MovedBefore();
    const scene = { deadLetters: named(3).map(id => messageOf(id)), movedBefore };
    const attempts: string[] = [];
    const fateOf: FateOf = id => {
      attempts.push(id);
      return id === 'letter-1' ? FAILED : MOVED;
    };
    const { came, box } = await played({ ...scene, fateOf });
    const left = [{ reason: 'the function failed', messages: 1, example: 'letter-1' }];
    expect(came).toMatchObject({ status: 'COMPLETED', moved: 3, returned: 1, left });
    expect(box.visible).toEqual(['letter-1']);
    // Another pass of a caller that remembers what failed.
    const again = await played({ ...scene, deadLetters: [messageOf('letter-1')], fateOf });
    expect(again.came).toMatchObject({ status: 'COMPLETED', moved: 0, left });
    expect(attempts).toEqual(['letter-0', 'letter-1', 'letter-2']);
  });

  test.each([
    ['refuses', 'AccessDenied', 403, 'the quarantine queue did not take it: AccessDenied: no'],
    ['may have', 'InternalFailure', 500, 'the quarantine queue may have it too: InternalFailure: no'],
  ])('leaves a message that the quarantine %s, and says why', async (_, name, httpStatusCode, reason) => {
    const $fault = httpStatusCode < 500 ? 'client' : 'server';
    const refusal = Object.assign(new Error('no'), { name, $fault, $metadata: { httpStatusCode } });
    const { came, box } = await played({
      deadLetters: named(2).map(id => messageOf(id)),
      screen: ({ messageId }) =>
        messageId === 'letter-0' ? { kind: 'unfit', cause: 'refused', reason: 'is bad' } : { kind: 'fit' },
      quarantine: () => Promise.reject(refusal),
    });
    expect(came).toMatchObject({
      status: 'COMPLETED',
      moved: 1,
      left: [{ reason, messages: 1, example: 'letter-0' }],
    });
    expect(came).not.toHaveProperty('quarantined');
    expect(box.visible).toEqual(['letter-0']);
  });

  test('counts each message once if SQS does not make the remaining ones visible', async () => {
    const throttled = Object.assign(new Error('slow down'), {
      name: 'RequestThrottled',
      $fault: 'client',
      $metadata: { httpStatusCode: 403 },
    });
    const { box, run } = staged({
      deadLetters: named(3).map(id => messageOf(id)),
      screen: ({ messageId }) => (messageId === 'letter-1' ? { kind: 'left', reason: 'is newer' } : { kind: 'fit' }),
      fateOf: id => (id === 'letter-2' ? { kind: 'closed', reason: 'the destination is gone' } : MOVED),
      rate: 1,
    });
    const { hide } = box;
    jest
      .spyOn(box, 'hide')
      .mockImplementation((deadLetters, seconds) =>
        seconds === 0 ? Promise.reject(throttled) : hide(deadLetters, seconds),
      );
    const later = 'becomes visible later: ChangeMessageVisibilityBatch: RequestThrottled: slow down';
    expect((await run()).left).toEqual([
      { reason: `is newer; ${later}`, messages: 1, example: 'letter-1' },
      { reason: later, messages: 1, example: 'letter-2' },
    ]);
  });

  test('ends where all it meets came back, rather than hide a whole queue', async () => {
    const young = Array.from({ length: 5_100 }, (_, index) => messageOf(`young-${index}`, START + 1));
    const { came, box } = await played({ deadLetters: [messageOf('old'), ...young] });
    expect(came).toMatchObject({
      status: 'FAILED',
      moved: 1,
      reason: '5000 messages remain in the dead-letter queue',
    });
    expect(box.visible).toHaveLength(5_100);
  });

  test('reports what it has moved before it throws an error that is a bug', async () => {
    const broken: FateOf = id => {
      if (id === 'letter-3') throw new TypeError('ours');
      return MOVED;
    };
    const { box, reported, run } = staged({
      deadLetters: named(5).map(id => messageOf(id)),
      fateOf: broken,
      rate: 1,
    });
    await expect(run()).rejects.toThrow(new TypeError('ours'));
    expect(reported).toEqual({ moved: 3, quarantined: 0, returned: 0 });
    expect(box.ids).toEqual(['letter-3', 'letter-4']);
    // The same if the remaining messages cannot be given back.
    const again = staged({
      deadLetters: named(2).map(id => messageOf(id)),
      screen: () => ({ kind: 'left', reason: 'stays' }),
    });
    jest.spyOn(again.box, 'hide').mockRejectedValue(new TypeError('ours too'));
    await expect(again.run()).rejects.toThrow(new TypeError('ours too'));
  });
});

describe('receiver of dead letters', () => {
  const messageOf = (messageId: string): DeadLetter => ({
    messageId,
    receiptHandle: `of ${messageId}`,
    firstReceivedAtMs: 0,
    receiveCount: 1,
    body: '',
    attributes: {},
    sentAtMs: 0,
  });

  test.each([
    ['RequestThrottled', 403, 4],
    ['InternalFailure', 500, 1],
  ])(
    'A send to the quarantine after %s (%i) is made %i times: SQS may have carried out what failed',
    async (name, status, times) => {
      const $fault = status < 500 ? 'client' : 'server';
      const error = Object.assign(new Error('no'), { name, $fault, $metadata: { httpStatusCode: status } });
      const send = jest.fn().mockRejectedValue(error);
      const client = Object.assign(new SQSClient({ region: 'eu-west-1' }), { send });
      const queue = { url: 'https://sqs.eu-west-1.amazonaws.com/1/q', arn: 'arn:aws:sqs:eu-west-1:1:q' };
      const sender = quarantineSender({
        client,
        quarantine: queue,
        deadLetters: queue,
        nowMs: () => 0,
        wait: async () => {},
      });
      await expect(sender(messageOf('a message'), 'refused', 'is bad')).rejects.toBe(error);
      expect(send).toHaveBeenCalledTimes(times);
    },
  );

  describe('The box of a dead-letter queue', () => {
    const deadLetters = ['fine', 'slow', 'gone', 'never'].map(messageOf);

    /** An SQS whose deletes fail for some messages of a batch: once, because of the sender, and always. */
    function deleting() {
      const asked: string[][] = [];
      const waits: number[] = [];
      const client = new SQSClient({ region: 'us-east-1' });
      client.middlewareStack.add(
        () => async call => {
          const { Entries = [] } = call.input as DeleteMessageBatchCommandInput;
          asked.push(Entries.map(({ ReceiptHandle = '' }) => ReceiptHandle.replace('of ', '')));
          const failures = Entries.flatMap(({ Id, ReceiptHandle }) => {
            if (ReceiptHandle === 'of gone')
              return [{ Id, Code: 'ReceiptHandleIsInvalid', Message: 'it is', SenderFault: true }];
            const isFailing = ReceiptHandle === 'of never' || (ReceiptHandle === 'of slow' && asked.length === 1);
            return isFailing ? [{ Id, Code: 'InternalError', Message: 'try again', SenderFault: false }] : [];
          });
          return { output: { $metadata: {}, Successful: [], Failed: failures }, response: {} };
        },
        { step: 'initialize' },
      );
      const box = deadLetterReceiver(
        client,
        'http://localhost/1/dead',
        async milliseconds => void waits.push(milliseconds),
      );
      return { box, asked, waits };
    }

    test('asks again for what SQS itself failed to delete, and says what it did not delete in the end', async () => {
      const { box, asked, waits } = deleting();
      const refusals = await box.remove(deadLetters);
      expect([...refusals].map(([{ messageId }, reason]) => [messageId, reason])).toEqual([
        ['gone', 'ReceiptHandleIsInvalid: it is'],
        ['never', 'InternalError: try again'],
      ]);
      expect(asked).toEqual([['fine', 'slow', 'gone', 'never'], ['slow', 'never'], ['never'], ['never']]);
      expect(waits).toEqual([500, 1_000, 2_000]);
    });
  });
});

interface Call {
  readonly messages: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Makes calls with several workers and these latencies. */
async function paced(rate: number, latenciesMs: readonly number[], workers: number): Promise<readonly Call[]> {
  const time = new VirtualTime();
  const pace = new Pace(rate, time.nowMs, time.wait);
  const [todo, calls]: [number[], Call[]] = [[...latenciesMs], []];
  const messages = messagesPerCall(rate);
  const work = async () => {
    for (let latencyMs = todo.shift(); latencyMs !== undefined; latencyMs = todo.shift()) {
      const answered = await pace.turn(messages);
      const fromMs = time.nowMs();
      await time.wait(latencyMs);
      calls.push({ messages, fromMs, untilMs: time.nowMs() });
      answered();
    }
  };
  await time.run(Promise.all(Array.from({ length: workers }, work)));
  return calls;
}

describe('The pace of a move pass', () => {
  test('lets no second see more than the rate, whenever within a call its messages arrive', async () => {
    const latencies = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 });
    const rates = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 500 }));
    await fc.assert(
      fc.asyncProperty(
        rates,
        latencies,
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (rate, ms, workers, when) => {
          const calls = await paced(rate, ms, workers);
          // The worst case for the rate of one second: the first calls arrive late, and the others early.
          const arrivals = calls.map(({ fromMs, untilMs, messages }, index) => ({
            atMs: index % 2 === 0 ? untilMs : fromMs + when * (untilMs - fromMs),
            messages,
          }));
          for (const { atMs: fromMs } of arrivals) {
            const inSecond = arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 1_000);
            expect(inSecond.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(rate);
          }
        },
      ),
      { numRuns: 200, seed: 6 },
    );
  });

  test('spreads messages over the second', async () => {
    const calls = await paced(10, Array(10).fill(0), 3);
    expect(calls.map(({ fromMs }) => fromMs)).toEqual([0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800]);
  });

  test('is not held up by a clock that is set back by 20 seconds', async () => {
    const time = new VirtualTime(60_000);
    let setBackMs = 0;
    const pace = new Pace(10, () => time.nowMs() - setBackMs, time.wait);
    const act = async () => {
      for (let call = 0; call < 30; call += 1) {
        if (call === 15) setBackMs = 20_000;
        (await pace.turn(1))();
      }
    };
    await time.run(act());
    // 30 messages at 10 a second.
    expect(time.nowMs() - 60_000).toBeLessThan(3_500);
  });

  test('makes up for turns that come late, as timers do on a busy machine', async () => {
    const time = new VirtualTime();
    const late = (milliseconds: number) => time.wait(milliseconds + 12);
    const pace = new Pace(500, time.nowMs, late);
    const act = async () => {
      for (let call = 0; call < 250; call += 1) (await pace.turn(10))();
    };
    await time.run(act());
    // 2,500 messages, at most 500 in any second.
    expect(time.nowMs()).toBeLessThan(5_100);
  });

  test('holds everybody back for a while where it is told to rest', async () => {
    const time = new VirtualTime();
    const pace = new Pace(100, time.nowMs, time.wait);
    pace.pause(2_000);
    pace.pause(500);
    await time.run(pace.turn(1));
    expect(time.nowMs()).toBe(2_000);
  });

  test('is quiet when a second has passed since the last answer', async () => {
    const time = new VirtualTime();
    const pace = new Pace(100, time.nowMs, time.wait);
    const act = async () => {
      const answered = await pace.turn(10);
      await time.wait(300);
      answered();
      await pace.idle();
    };
    await time.run(act());
    expect(time.nowMs()).toBe(1_300);
  });

  test.each([
    [1, 1],
    [5, 1],
    [10, 2],
    [25, 5],
    [47, 1],
    [50, 10],
    [99, 9],
    [499, 10],
    [500, 10],
  ])('of %i messages a second makes calls of %i', (rate, messages) => {
    expect(messagesPerCall(rate)).toBe(messages);
  });

  test('fills the seconds of every rate up to 500, but for two in a hundred', () => {
    const rates = Array.from({ length: 500 }, (_, index) => index + 1);
    const reached = rates.map(rate => Math.floor(rate / messagesPerCall(rate)) * messagesPerCall(rate));
    expect(rates.filter((rate, index) => (reached[index] ?? 0) < rate * 0.98)).toEqual([]);
  });
});
