import type { Message } from '@aws-sdk/client-sqs';
import type { NowMs } from '../../mover/aws/clock';
import { QUEUE_BATCH_SIZE } from '../../policy/aws-limits';
import { isExpiring } from '../../policy/relay/relay-schedule';
import { MINUTE_MS } from '../../policy/time-units';
import { type InvokeRelay, type Received, type RelayQueue, sqsEvent } from './relay-client';

/** The shortest long poll: it asks all servers of SQS, and does not wait if there are messages. */
const POLL_SECONDS = 1;

/** Enough time for the relay to dead-letter a batch several times over, and then to make the other messages visible. */
export const RESERVE_MS = MINUTE_MS;

/**
 * Limit of the payload of one invocation. Lambda accepts 6,291,456 bytes, and a quote in a body takes two. The largest SQS
 * message, of 1,048,576 bytes, always fits.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_PAYLOAD_BYTES = 4_000_000;

/** If this many batches in a row fail, the cause is not a message, and the drain ends. */
const MAX_FAILED_BATCHES = 3;

/** Batches that a sweep of one relay works on at once. */
export const SWEEP_LANES = 4;

/** Batches that the sweeps of all relays of an invocation work on at once. The function has memory for them. */
export const ALL_LANES = 2 * SWEEP_LANES;

/** Runs work when its turn comes. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that runs at most `most` pieces of work at once, and the others in the order in which they came. So
 * the sweep of a long queue does not hold up the sweeps of other relays.
 */
export function turnstile(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async work => {
    if (running >= most) await new Promise<void>(resolve => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

export interface DrainOrder {
  /** Messages that the breaker has received already. */
  readonly held: readonly Message[];
  /** Whether to go through all visible messages. Otherwise the drain ends at the first batch without an expiring message. */
  readonly isSweep: boolean;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
}

export interface DrainResult {
  /** How many messages the relay dead-lettered. */
  readonly givenUp: number;
  /** How many expiring messages are still in the queue. They become visible again. */
  readonly failed: number;
  /** How many messages were not expiring, and are visible again. */
  readonly putBack: number;
  readonly ended: string;
  /** Errors in spite of which the drain continued. */
  readonly errors: readonly unknown[];
}

export type Drain = (order: DrainOrder) => Promise<DrainResult>;

export interface DrainPorts {
  readonly queue: RelayQueue;
  readonly invokeRelay: InvokeRelay;
  readonly nowMs: NowMs;
  readonly queueArn: string;
  readonly retentionMs: number;
  readonly inTurn: InTurn;
}

/**
 * Returns a function that makes the relay dead-letter, without an attempt, the messages that would expire while the breaker is
 * open. The endpoint gets no request. Messages that are not expiring stay hidden until the drain ends, so that it does not receive
 * them again and again.
 */
export function relayDrain(ports: DrainPorts): Drain {
  return async order => {
    const progress: DrainProgress = { givenUp: 0, failed: 0, notExpiring: [], errors: [], failures: [] };
    await ports.inTurn(() => giveUpSafely(order.held, progress, ports));
    const lanes = Array.from({ length: order.isSweep ? SWEEP_LANES : 1 }, () => drainQueue(order, progress, ports));
    const ended = new Set<string>();
    for (const lane of await Promise.allSettled(lanes)) {
      if (lane.status === 'fulfilled') ended.add(lane.value);
      else progress.errors.push(lane.reason);
    }
    const { givenUp, failed, notExpiring, errors } = progress;
    await ports.queue.putBack(notExpiring);
    return { givenUp, failed, putBack: notExpiring.length, ended: [...ended].join('; '), errors };
  };
}

interface DrainProgress {
  givenUp: number;
  failed: number;
  /** Only the receipt handles: a sweep may hold tens of thousands of messages. */
  readonly notExpiring: Received[];
  readonly errors: unknown[];
  /** Why the latest batches failed, since the last one that did not. */
  failures: readonly string[];
}

/** Receives and gives up messages until nothing is left to do. Returns why it ended. */
async function drainQueue(order: DrainOrder, progress: DrainProgress, ports: DrainPorts): Promise<string> {
  for (;;) {
    const ended = await ports.inTurn(() => drainBatch(order, progress, ports));
    if (ended !== undefined) return ended;
  }
}

/** Receives and gives up one batch. Returns why the drain ends with it; undefined if it does not. */
async function drainBatch(
  { isSweep, remainingMs }: DrainOrder,
  progress: DrainProgress,
  ports: DrainPorts,
): Promise<string | undefined> {
  const { queue, nowMs, retentionMs } = ports;
  if (progress.failures.length >= MAX_FAILED_BATCHES) return progress.failures.at(-1) ?? '';
  if (remainingMs() < RESERVE_MS) return 'the time was over';
  // No message becomes visible before the drain is over, however it ends.
  const hiddenSeconds = Math.ceil(remainingMs() / 1_000);
  const batch = await queue.receive({ max: QUEUE_BATCH_SIZE, waitSeconds: POLL_SECONDS, hiddenSeconds });
  if (batch.length === 0) return 'no message is left';
  const due = batch.filter(({ Attributes }) => isExpiring(Number(Attributes?.SentTimestamp), nowMs(), retentionMs));
  const notExpiring = batch.filter(message => !due.includes(message));
  progress.notExpiring.push(...notExpiring.map(({ ReceiptHandle }) => ({ ReceiptHandle })));
  await giveUpSafely(due, progress, ports);
  return due.length === 0 && !isSweep ? 'nothing more expires' : undefined;
}

/** An error in one batch must not keep the batches behind it. It is reported in the end. */
async function giveUpSafely(due: readonly Message[], progress: DrainProgress, ports: DrainPorts): Promise<void> {
  for (const part of invocations(due, ports.queueArn)) {
    let result: number | string;
    try {
      result = await giveUp(part, ports);
    } catch (error) {
      progress.errors.push(error);
      result = String(error);
    }
    const done = typeof result === 'number' ? result : 0;
    progress.givenUp += done;
    progress.failed += part.length - done;
    progress.failures = typeof result === 'number' ? [] : [...progress.failures, result];
  }
}

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

/** Makes the relay dead-letter messages. Returns how many it did, or why it did none. */
async function giveUp(messages: readonly Message[], ports: DrainPorts): Promise<number | string> {
  const { queue, invokeRelay, queueArn } = ports;
  const response = await invokeRelay({ ...sqsEvent(messages, queueArn), expiring: true });
  if ('broken' in response) return response.broken;
  const failed = new Set(response.answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  await queue.remove(done);
  return done.length > 0 ? done.length : 'the dead-letter queue takes none';
}
