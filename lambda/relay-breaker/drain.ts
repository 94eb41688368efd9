import type { Message } from '@aws-sdk/client-sqs';
import type { NowMs } from '../../mover/clock';
import { BATCH_SIZE } from '../../mover/queue-messages';
import { isExpiring } from '../../policy/relay/relay-schedule';
import { type InvokeRelay, type Received, type RelayQueue, sqsEvent } from './relay-client';

/** A long poll as short as can be: it asks all servers of SQS, and does not wait where there are messages. */
const POLL_SECONDS = 1;

/** Our choice: what the relay needs to give up a batch, several times over, and then to put back what was not expiring. */
export const RESERVE_MS = 60_000;

/**
 * What one invocation is asked with, at most. Lambda takes 6,291,456 bytes, and quotes in a body take two each; ours is a
 * choice: a body of 1,048,576 bytes always fits.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_PAYLOAD_BYTES = 4_000_000;

/** Our choice: so many batches in a row of which nothing is given up, and it is no fault of a message. */
const MAX_FAILED_BATCHES = 3;

/** How many batches a sweep has in hand at once: our choice, which the memory of the function bears. */
export const SWEEP_LANES = 4;

/** How far a drain goes. */
export interface DrainOrder {
  /** Messages the breaker has in its hands already. */
  readonly held: readonly Message[];
  /** Whether it goes through all that is visible, and not only as far as what it finds is expiring. */
  readonly isSweep: boolean;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/** What came of a drain. */
export interface DrainResult {
  /** How many messages the relay gave up. */
  readonly givenUp: number;
  /** How many were expiring, and stay: they come back. */
  readonly failed: number;
  /** How many were put back, for they last longer. */
  readonly putBack: number;
  readonly ended: string;
  /** What went wrong on the way; the drain went on. */
  readonly errors: readonly unknown[];
}

export type Drain = (order: DrainOrder) => Promise<DrainResult>;

/** What a drain needs of the world. */
export interface DrainPorts {
  readonly queue: RelayQueue;
  readonly ask: InvokeRelay;
  readonly nowMs: NowMs;
  readonly queueArn: string;
  readonly retentionMs: number;
}

/** What a drain has come to so far. */
interface DrainProgress {
  givenUp: number;
  failed: number;
  /** No more of them than it takes to put them back: a sweep has tens of thousands in its hands, and little memory. */
  readonly spared: Received[];
  readonly errors: unknown[];
  /** Why nothing came of the latest batches, since the last of which something did. */
  vain: readonly string[];
}

/** As many messages as go into one invocation. */
function invocations(messages: readonly Message[], queueArn: string): Message[][] {
  const parts: Message[][] = [];
  let bytes = MAX_PAYLOAD_BYTES;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(sqsEvent([message], queueArn)));
    bytes += size;
    const part = parts.at(-1);
    if (part && bytes <= MAX_PAYLOAD_BYTES) part.push(message);
    else {
      parts.push([message]);
      bytes = size;
    }
  }
  return parts;
}

/** Has the relay give messages up, and answers how many it did, or why it did not. */
async function giveUp(messages: readonly Message[], { queue, ask, queueArn }: DrainPorts): Promise<number | string> {
  const asked = await ask({ ...sqsEvent(messages, queueArn), expiring: true });
  if ('broken' in asked) return asked.broken;
  const failed = new Set(asked.answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  await queue.remove(done);
  return done.length > 0 ? done.length : 'the dead-letter queue takes none';
}

/** What goes wrong at one batch is that batch's own misfortune: what stands behind it is given up, and then it is told of. */
async function giveUpSafely(due: readonly Message[], course: DrainProgress, ports: DrainPorts): Promise<void> {
  for (const part of invocations(due, ports.queueArn)) {
    let came: number | string;
    try {
      came = await giveUp(part, ports);
    } catch (error) {
      course.errors.push(error);
      came = String(error);
    }
    const done = typeof came === 'number' ? came : 0;
    course.givenUp += done;
    course.failed += part.length - done;
    course.vain = typeof came === 'number' ? [] : [...course.vain, came];
  }
}

/** Goes on until nothing is left to do, and answers why it ended. */
async function receiveAndGiveUp(order: DrainOrder, course: DrainProgress, ports: DrainPorts): Promise<string> {
  const { isSweep, remainingMs } = order;
  const { queue, nowMs, retentionMs } = ports;
  for (;;) {
    if (course.vain.length >= MAX_FAILED_BATCHES) return course.vain.at(-1) ?? '';
    if (remainingMs() < RESERVE_MS) return 'the time was over';
    // Nothing comes back before the drain is over, however it ends.
    const hiddenSeconds = Math.ceil(remainingMs() / 1_000);
    const batch = await queue.receive({ max: BATCH_SIZE, waitSeconds: POLL_SECONDS, hiddenSeconds });
    if (batch.length === 0) return 'no message is left';
    const due = batch.filter(({ Attributes }) => isExpiring(Number(Attributes?.SentTimestamp), nowMs(), retentionMs));
    const spared = batch.filter(message => !due.includes(message));
    course.spared.push(...spared.map(({ ReceiptHandle }) => ({ ReceiptHandle })));
    await giveUpSafely(due, course, ports);
    if (due.length === 0 && !isSweep) return 'nothing more expires';
  }
}

/**
 * Has the relay give up, untried, what its queue would drop while the breaker is open: nothing of it comes near the endpoint.
 * What lasts longer is put back when the drain is over, and not before, so that it is not received again and again.
 */
export function relayDrain(ports: DrainPorts): Drain {
  return async order => {
    const course: DrainProgress = { givenUp: 0, failed: 0, spared: [], errors: [], vain: [] };
    await giveUpSafely(order.held, course, ports);
    const lanes = Array.from({ length: order.isSweep ? SWEEP_LANES : 1 }, () => receiveAndGiveUp(order, course, ports));
    const ended = new Set<string>();
    for (const lane of await Promise.allSettled(lanes)) {
      if (lane.status === 'fulfilled') ended.add(lane.value);
      else course.errors.push(lane.reason);
    }
    const { givenUp, failed, spared, errors } = course;
    await ports.queue.putBack(spared);
    return { givenUp, failed, putBack: spared.length, ended: [...ended].join('; '), errors };
  };
}
