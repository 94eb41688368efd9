import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Wait } from '../../mover/aws/clock';
import { QUEUE_BATCH_SIZE } from '../../policy/aws-limits';
import { messageOf } from '../errors';
import { type HeldMessage, HOLD_SECONDS, type HoldPorts, MessageHold, type UndeletedEntries } from './message-hold';

export interface MessagePorts extends HoldPorts {
  readonly wait: Wait;
  /** Prints a warning. The work continues. */
  readonly warn: (text: string) => void;
}

/** How many messages to look at, and when to stop. */
export interface LookOptions {
  /** @default - all messages */
  readonly max?: number;
  /** Whether to stop early. @default - never */
  readonly isOver?: () => boolean;
  /** Receives how many messages have been received or given back so far, and of how many when that is known. */
  readonly progress?: (what: 'received' | 'given back', count: number, total?: number) => void;
}

export type LookEnd =
  /** SQS returns no more messages. */
  | 'empty'
  /** `max` messages have been received. */
  | 'enough'
  | 'interrupted'
  /** SQS returns no more messages while so many are in flight. */
  | 'too-many-in-flight';

/** The approximate number of messages in a queue, by state, as SQS counts them. */
export interface MessageCounts {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface LookResult {
  /** How many messages were visited. */
  readonly seen: number;
  readonly end: LookEnd;
  /** How many other messages SQS counts in the queue at the end. */
  readonly unseen: MessageCounts;
}

/** Deletes messages that are being looked at. */
export interface Remover {
  remove(messages: readonly HeldMessage[]): Promise<UndeletedEntries>;
}

/** How many receives run at the same time at most. */
const PARALLEL_RECEIVES = 10;

/**
 * After how many empty receives in a row a queue counts as empty. One is not enough: a receive may ask only some of SQS's
 * servers.
 */
const EMPTY_RECEIVES = 3;

/** The maximum number of empty receives while SQS still counts visible messages. Its count lags by up to a minute. */
const MAX_EMPTY_RECEIVES = 10;

/** The pause after an empty receive. */
const PAUSE_MS = 250;

/**
 * Looks at each message of a queue once. The messages are hidden from other consumers meanwhile, and given back at the end,
 * also after an error. Messages in flight elsewhere are neither seen nor waited for. Of a FIFO queue, at most ten messages of
 * a group are seen: SQS returns no others of the group while one of it is in flight.
 *
 * @param visit receives the messages as they arrive, and may delete them
 * @throws Error when the caller may not receive messages, or not give them back. In that case no message was hidden.
 */
export async function eachMessage(
  ports: MessagePorts,
  options: LookOptions,
  visit: (messages: readonly HeldMessage[], remover: Remover) => Promise<void> | void,
): Promise<LookResult> {
  const hold = new MessageHold(ports);
  await hold.checkMayGiveBack();
  try {
    const end = await receiveAll(ports, hold, options, async messages => visit(messages, hold));
    const { visible, inFlight, delayed } = await depthsOf(ports.sqs, ports.queue.url);
    const unseen = { visible, inFlight: Math.max(inFlight - hold.size, 0), delayed };
    return { seen: hold.seenCount, end, unseen };
  } finally {
    await giveBack(hold, ports, options);
  }
}

/** Reads the depths of a queue. It needs the permission `sqs:GetQueueAttributes`. */
export async function depthsOf(sqs: SQSClient, QueueUrl: string): Promise<MessageCounts> {
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
  });
  const { Attributes = {} } = await sqs.send(command);
  return depthsIn(Attributes);
}

export function depthsIn(attributes: Readonly<Partial<Record<string, string>>>): MessageCounts {
  return {
    visible: Number(attributes['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}

async function receiveAll(
  ports: MessagePorts,
  hold: MessageHold,
  { max = Number.POSITIVE_INFINITY, isOver = () => false, progress = () => {} }: LookOptions,
  visit: (messages: readonly HeldMessage[]) => Promise<void>,
): Promise<LookEnd> {
  let calls = 1;
  for (let empty = 0; ; ) {
    if (isOver()) return 'interrupted';
    const wanted = max - hold.seenCount;
    if (wanted <= 0) return 'enough';
    await hold.renew();
    const sizes = Array.from({ length: calls }, (_, call) =>
      Math.min(QUEUE_BATCH_SIZE, wanted - call * QUEUE_BATCH_SIZE),
    ).filter(size => size > 0);
    const answers = await allOf(sizes.map(size => hold.receive(size)));
    const messages = answers.flatMap(answer => (answer === 'too-many-in-flight' ? [] : answer));
    if (messages.length > 0) {
      await visit(messages);
      progress('received', hold.seenCount);
    }
    if (answers.includes('too-many-in-flight')) return 'too-many-in-flight';
    // Only a queue that fills every batch gets more calls in parallel.
    calls = messages.length === sizes.length * QUEUE_BATCH_SIZE ? Math.min(calls * 2, PARALLEL_RECEIVES) : 1;
    empty = messages.length > 0 ? 0 : empty + 1;
    if (await isEmpty(ports, empty)) return 'empty';
    if (empty > 0) await ports.wait(PAUSE_MS);
  }
}

/** Waits for all calls before it throws: what one of them received must not be forgotten because another failed. */
async function allOf<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

async function isEmpty({ sqs, queue }: MessagePorts, emptyReceives: number): Promise<boolean> {
  if (emptyReceives < EMPTY_RECEIVES) return false;
  // In a FIFO queue, SQS also counts messages as visible that wait behind an in-flight message of their group.
  if (queue.isFifo || emptyReceives >= MAX_EMPTY_RECEIVES) return true;
  return (await depthsOf(sqs, queue.url)).visible === 0;
}

async function giveBack(hold: MessageHold, ports: MessagePorts, { progress = () => {} }: LookOptions): Promise<void> {
  const hidden = `hidden for at most ${HOLD_SECONDS} seconds. They become visible again by themselves`;
  const { size } = hold;
  try {
    const { count, reason } = await hold.giveBack(given => progress('given back', given, size));
    if (count > 0) ports.warn(`${count} of ${size} messages stay ${hidden}: ${reason}`);
  } catch (error) {
    ports.warn(`some of ${size} messages stay ${hidden}: ${messageOf(error)}`);
  }
}
