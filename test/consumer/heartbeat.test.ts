import { SQS } from '@aws-sdk/client-sqs';
import { LeaseLostError, withHeartbeat } from '../../consumer';
import { heartbeats } from '../../consumer/heartbeat';
import type { HeartbeatOptions } from '../../consumer/heartbeat-options';
import { LocalAws } from '../../local';
import { ConsumerClock } from './consumer-clock';

const TWELVE_HOURS_SECONDS = 43_200;

let aws: LocalAws;
let sqs: SQS;
let clock: ConsumerClock;
let queueUrl: string;

beforeEach(async () => {
  aws = LocalAws.start({ seed: 7 });
  sqs = new SQS({ ...aws.clientConfig(), maxAttempts: 1 });
  clock = new ConsumerClock(aws);
  queueUrl = (await sqs.createQueue({ QueueName: 'orders', Attributes: { VisibilityTimeout: '60' } })).QueueUrl ?? '';
});

afterEach(async () => {
  expect(clock.running).toBe(0);
  await aws.close();
});

/** What a consumer gets now: a message's receipt handle, or nothing. */
async function receive(url = queueUrl): Promise<string | undefined> {
  const { Messages: [message] = [] } = await sqs.receiveMessage({ QueueUrl: url });
  return message?.ReceiptHandle;
}

/** Sends a message and receives it. */
async function take(url = queueUrl): Promise<string> {
  const group = url.endsWith('.fifo') ? { MessageGroupId: 'customer-7', MessageDeduplicationId: '1' } : {};
  await sqs.sendMessage({ QueueUrl: url, MessageBody: 'an order', ...group });
  const receiptHandle = await receive(url);
  if (receiptHandle === undefined) throw new Error('nothing was received');
  return receiptHandle;
}

async function start(more: Partial<HeartbeatOptions> = {}) {
  const receiptHandle = more.receiptHandle ?? (await take(more.queueUrl));
  const options = { client: sqs, queueUrl, receiptHandle, visibilitySeconds: 60, ...more };
  const startedAtMs = aws.nowMs;
  const heartbeat = heartbeats(clock).startHeartbeat(options);
  const lost: { seconds: number; reason: LeaseLostError }[] = [];
  heartbeat.signal.addEventListener('abort', () => {
    const { reason } = heartbeat.signal;
    if (!(reason instanceof LeaseLostError)) throw new Error('the reason is no LeaseLostError');
    lost.push({ seconds: (aws.nowMs - startedAtMs) / 1_000, reason });
  });
  return { heartbeat, lost, receiptHandle, startedAtMs };
}

/** The extensions SQS made: when, in seconds since `fromMs`, and by how much. */
function extensions(fromMs: number): number[][] {
  return aws.trace.events
    .filter(it => it.type === 'sqs.visibility-changed')
    .map(({ atMs, visibilityTimeoutSeconds }) => [(atMs - fromMs) / 1_000, visibilityTimeoutSeconds]);
}

function refusals(): number {
  return aws.trace.events.filter(({ type }) => type === 'sqs.refused').length;
}

function breakExtensions(fault: { throttle?: boolean; latencyMs?: number; forMs?: number }): void {
  aws.faults.set({ service: 'sqs', action: 'ChangeMessageVisibility', ...fault });
}

describe('A heartbeat', () => {
  test('keeps a message of a minute’s visibility for as long as it beats, and a minute at most after', async () => {
    const { heartbeat, lost, startedAtMs } = await start();
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.pass(60);
      expect(await receive()).toBeUndefined();
    }
    expect(extensions(startedAtMs).slice(0, 3)).toEqual([
      [30, 60],
      [60, 60],
      [90, 60],
    ]);
    await heartbeat.stop();
    await clock.pass(60);
    expect(await receive()).toBeDefined();
    expect(extensions(startedAtMs)).toHaveLength(20);
    expect(lost).toEqual([]);
  });

  test('asks for nothing where the work is done before the first interval', async () => {
    const { heartbeat, startedAtMs } = await start({ intervalSeconds: 50 });
    await clock.pass(49);
    await heartbeat.stop();
    await heartbeat.stop();
    await clock.pass(600);
    expect(extensions(startedAtMs)).toEqual([]);
  });

  test.each([
    [60, [43_140, 55]],
    [7_000, [38_500, 4_695]],
    [43_194, [21_597, 21_598]],
    [43_200, undefined],
  ])('of %i s ends after 43,195 s in all, with a warning and without a refusal', async (visibilitySeconds, last) => {
    const Attributes = { VisibilityTimeout: `${visibilitySeconds}` };
    await sqs.setQueueAttributes({ QueueUrl: queueUrl, Attributes });
    const { lost, startedAtMs } = await start({ visibilitySeconds });
    await clock.pass(TWELVE_HOURS_SECONDS - 6);
    expect(lost).toMatchObject([{ seconds: 43_194, reason: { name: 'LeaseLostError', reason: 'limit' } }]);
    expect(extensions(startedAtMs).at(-1)).toEqual(last);
    expect(await receive()).toBeUndefined();
    await clock.pass(6);
    expect(await receive()).toBeDefined();
    expect(refusals()).toBe(0);
  });

  test('counts from the receive when it is told of it', async () => {
    await sqs.setQueueAttributes({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '600' } });
    const receiptHandle = await take();
    const receivedAtMs = aws.nowMs;
    await clock.pass(500);
    const { lost, startedAtMs } = await start({ receiptHandle, receivedAtMs, visibilitySeconds: 600 });
    await clock.pass(TWELVE_HOURS_SECONDS);
    // The extension was due 300 s after the receive.
    expect(extensions(receivedAtMs)[0]).toEqual([500, 600]);
    expect(lost).toMatchObject([{ seconds: 42_694, reason: { reason: 'limit' } }]);
    expect(startedAtMs - receivedAtMs).toBe(500_000);
    expect(refusals()).toBe(0);
  });

  test('goes on until the visibility timeout ends where SQS says that the 12 hours are over before it thinks so', async () => {
    await sqs.setQueueAttributes({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '7200' } });
    const receiptHandle = await take();
    await clock.pass(3_000);
    const { lost } = await start({ receiptHandle, visibilitySeconds: 7_200 });
    await clock.pass(TWELVE_HOURS_SECONDS);
    expect(refusals()).toBe(1);
    const cause = { message: expect.stringContaining('beyond the limit [43200 seconds]') };
    // The last extension was made 36,000 s after the start, for 7,200 s. The one at 39,600 s was refused.
    expect(lost).toMatchObject([{ seconds: 39_599, reason: { reason: 'limit', cause } }]);
  });

  test('gives a message up at once that is presumed lost already', async () => {
    const receiptHandle = await take();
    const { lost } = await start({ receiptHandle, receivedAtMs: aws.nowMs - 60_000 });
    await clock.pass(1);
    expect(lost).toMatchObject([{ seconds: 0, reason: { reason: 'expired', cause: undefined } }]);
  });
});

describe('When SQS does not extend', () => {
  test('a heartbeat tries again while the message is hidden, and nobody else gets it', async () => {
    const { heartbeat, lost, startedAtMs } = await start();
    breakExtensions({ throttle: true, forMs: 50_000 });
    await clock.pass(53);
    expect(refusals()).toBe(4);
    expect(extensions(startedAtMs)).toEqual([]);
    await clock.pass(2);
    expect(extensions(startedAtMs)).toEqual([[54, 60]]);
    await clock.pass(300);
    expect([await receive(), lost]).toEqual([undefined, []]);
    await heartbeat.stop();
  });

  test('it says so a second before another consumer may get the message, with the reason, and tries no more', async () => {
    const { lost } = await start();
    breakExtensions({ throttle: true });
    await clock.pass(59);
    expect(await receive()).toBeUndefined();
    const cause = { message: 'Request is throttled.' };
    expect(lost).toMatchObject([{ seconds: 59, reason: { reason: 'expired', cause } }]);
    await clock.pass(1);
    expect(await receive()).toBeDefined();
    const before = refusals();
    await clock.pass(600);
    expect(refusals()).toBe(before);
  });

  test('it does not wait for an answer for longer than the message is hidden', async () => {
    const { heartbeat, lost } = await start();
    breakExtensions({ latencyMs: 3_600_000 });
    await clock.pass(59);
    expect(lost).toMatchObject([{ seconds: 59, reason: { reason: 'expired' } }]);
    await heartbeat.stop();
    await clock.pass(3_600);
    expect(lost).toHaveLength(1);
  });

  test('a late answer counts from the request', async () => {
    const { heartbeat, lost } = await start();
    breakExtensions({ latencyMs: 20_000, forMs: 31_000 });
    await clock.pass(59);
    expect(lost).toEqual([]);
    breakExtensions({ throttle: true });
    await clock.pass(600);
    expect(lost).toMatchObject([{ seconds: 89 }]);
    await heartbeat.stop();
  });

  test.each([
    ['the message is deleted', (ReceiptHandle: string) => sqs.deleteMessage({ QueueUrl: queueUrl, ReceiptHandle })],
    ['the queue is deleted', () => sqs.deleteQueue({ QueueUrl: queueUrl })],
  ])('it gives up at once where %s', async (_what, act) => {
    const { lost, receiptHandle } = await start();
    await act(receiptHandle);
    await clock.pass(600);
    expect(lost).toMatchObject([{ seconds: 30, reason: { reason: 'gone' } }]);
    expect(refusals()).toBe(1);
  });

  test('it gives up at once on a handle that is none', async () => {
    const { lost } = await start({ receiptHandle: 'garbage' });
    await clock.pass(600);
    expect(lost).toMatchObject([{ seconds: 30, reason: { reason: 'gone' } }]);
  });

  test('it gives up at once on a handle of a FIFO queue that expired', async () => {
    const attributes = { FifoQueue: 'true', VisibilityTimeout: '20' };
    const { QueueUrl = '' } = await sqs.createQueue({ QueueName: 'orders.fifo', Attributes: attributes });
    const { lost } = await start({ queueUrl: QueueUrl });
    await clock.pass(600);
    expect(lost).toMatchObject([{ seconds: 30, reason: { reason: 'gone' } }]);
  });
});

describe('stop', () => {
  test('waits for an extension under way: it would hide a message again that is then made visible', async () => {
    const { heartbeat, receiptHandle } = await start();
    breakExtensions({ latencyMs: 20_000 });
    await clock.pass(35);
    let stopped = false;
    const stop = heartbeat.stop().then(() => {
      stopped = true;
    });
    await clock.pass(14);
    expect(stopped).toBe(false);
    await clock.pass(1);
    await stop;
    aws.faults.clear();
    await sqs.changeMessageVisibility({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: 0 });
    expect(await receive()).toBeDefined();
  });

  test('waits for a slow extension only until the message is visible again, and then reports no lost lease', async () => {
    const { heartbeat, lost } = await start();
    breakExtensions({ latencyMs: 3_600_000 });
    await clock.pass(35);
    const stop = heartbeat.stop();
    await clock.pass(24);
    await stop;
    expect(lost).toEqual([]);
    await clock.pass(3_600);
  });

  test('takes an error that comes afterwards for no news', async () => {
    const { heartbeat, lost } = await start();
    breakExtensions({ latencyMs: 10_000, throttle: true });
    await clock.pass(35);
    const stop = heartbeat.stop();
    await clock.pass(10);
    await stop;
    expect(lost).toEqual([]);
  });
});

describe('withHeartbeat', () => {
  const options = async (): Promise<HeartbeatOptions> => ({
    client: sqs,
    queueUrl,
    receiptHandle: await take(),
    visibilitySeconds: 60,
  });
  const pause = (seconds: number) => new Promise<void>(resolve => clock.after(seconds * 1_000, resolve));

  test('returns what the work does, and keeps the message meanwhile', async () => {
    const done = heartbeats(clock).withHeartbeat(await options(), async () => {
      await pause(600);
      return 'done';
    });
    await clock.pass(600);
    await expect(done).resolves.toBe('done');
    expect(await receive()).toBeUndefined();
  });

  test('rejects as the work does, and lets the message come back', async () => {
    const failing = heartbeats(clock).withHeartbeat(await options(), () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await clock.pass(60);
    expect(await receive()).toBeDefined();
  });

  test('lets the work stop by the signal when the message is lost', async () => {
    breakExtensions({ throttle: true });
    const stopping = heartbeats(clock).withHeartbeat(await options(), async signal => {
      await pause(90);
      signal.throwIfAborted();
    });
    const failure = expect(stopping).rejects.toThrow(
      'The message is lost to this consumer: its visibility timeout could not be extended in time, and another consumer may get it.',
    );
    await clock.pass(90);
    await failure;
  });

  test('outlives a client that throws before it asks', async () => {
    const client = {
      changeMessageVisibility: () => {
        throw new Error('no client');
      },
    };
    const { lost } = await start({ client });
    await clock.pass(60);
    expect(lost).toMatchObject([{ reason: { reason: 'expired', cause: { message: 'no client' } } }]);
  });
});

test('A heartbeat with the timeline of the embedded AWS as its clock needs no other', async () => {
  const { timeline } = aws;
  const options = { client: sqs, queueUrl, receiptHandle: await take(), visibilitySeconds: 60, clock: timeline };
  const work = withHeartbeat(options, () => new Promise<void>(resolve => void timeline.after(200_000, resolve)));
  const startedAtMs = aws.nowMs;
  timeline.whenSettled(work, () => expect(aws.nowMs).toBe(startedAtMs + 200_000));
  await aws.advance({ minutes: 5 });
  expect(extensions(startedAtMs)).toHaveLength(6);
});

describe('A heartbeat is refused', () => {
  const good = { queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/orders', receiptHandle: 'AQEB' };

  test.each<[Partial<HeartbeatOptions>, string]>([
    [{ visibilitySeconds: 9 }, 'visibilitySeconds must be a whole number from 10 to 43,200, got 9'],
    [{ visibilitySeconds: 43_201 }, 'visibilitySeconds must be a whole number from 10 to 43,200, got 43201'],
    [{ visibilitySeconds: 10.5 }, 'visibilitySeconds must be a whole number from 10 to 43,200, got 10.5'],
    [
      { visibilitySeconds: 60, intervalSeconds: 56 },
      'intervalSeconds must be at least 1, and at least 5 less than visibilitySeconds, got 56',
    ],
    [
      { visibilitySeconds: 60, intervalSeconds: 0.5 },
      'intervalSeconds must be at least 1, and at least 5 less than visibilitySeconds, got 0.5',
    ],
    [{ visibilitySeconds: 60, receivedAtMs: Number.NaN }, 'receivedAtMs must be milliseconds since 1970, got NaN'],
    [
      { clock: { nowMs: Number.NaN, after: () => ({ cancel() {} }) } },
      'clock must have nowMs and after, got {"nowMs":null}',
    ],
    [
      { queueUrl: 'orders', receiptHandle: '', visibilitySeconds: Number.NaN },
      'queueUrl must be the URL of a queue, got "orders"; receiptHandle must be a text that is not empty, got ""; visibilitySeconds must be a whole number from 10 to 43,200, got NaN',
    ],
  ])('with %j', (given, text) => {
    const options = { ...good, client: sqs, visibilitySeconds: 60, ...given };
    expect(() => heartbeats(clock).startHeartbeat(options)).toThrow(new RangeError(text));
  });

  test.each([
    [10, 5],
    [43_200, 43_195],
  ])('but not with a visibility of %i s and an interval of %i s', async (visibilitySeconds, intervalSeconds) => {
    const options = { ...good, client: sqs, visibilitySeconds, intervalSeconds };
    await heartbeats(clock).startHeartbeat(options).stop();
  });
});
