import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DlqContext } from '../../bin/dlq/command';
import { warn } from '../../bin/print';
import type { Wait } from '../../mover/clock';
import { BATCH_SIZE } from '../../mover/queue-messages';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';
import { type HeldMessage, HOLD_SECONDS, type HoldPorts, MessageHold, type Refused } from './message-hold';
import type { NamedQueue } from './named-queue';

/** What looking at letters takes. */
export interface MessagePorts extends HoldPorts {
  readonly wait: Wait;
  /** Says what somebody should know, and does not keep the work from going on. */
  readonly warn: (text: string) => void;
}

/**
 * What looking at the letters of a queue takes, of what a command has.
 * @param clear takes away what is drawn, before something is said
 */
export function messagePorts(aws: Connection, queue: NamedQueue, world: DlqContext, clear = () => {}): MessagePorts {
  const { io, nowMs, wait, pollSeconds = 1 } = world;
  const say = (text: string) => {
    clear();
    warn(io, [text]);
  };
  return { sqs: aws.client(SQSClient), queue, nowMs, wait, pollSeconds, warn: say };
}

/** Which letters are looked at, and until when. */
export interface LookOptions {
  /** @default - all there are */
  readonly most?: number;
  /** Whether somebody wants it to end. @default - nobody does */
  readonly isOver?: () => boolean;
  /** Is told how many letters have been told so far, or have been given back, and of how many where that is known. */
  readonly progress?: (what: 'received' | 'given back', count: number, total?: number) => void;
}

/** Why no more letters were received. */
export type LookEnd =
  /** There are none any more that SQS hands out. */
  | 'empty'
  /** As many as were asked for. */
  | 'enough'
  | 'interrupted'
  /** SQS hands out no more while so many are in flight. */
  | 'too-many-in-flight';

/** How many letters a queue has, as far as SQS knows at once. */
export interface Depths {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** What came of looking. */
export interface Look {
  readonly seen: number;
  readonly end: LookEnd;
  /** What SQS says is in the queue beside those that were told, at the end. */
  readonly unseen: Depths;
}

/** Takes letters away for good. */
export interface Remover {
  remove(messages: readonly HeldMessage[]): Promise<Refused>;
}

/** Receives at once. Our choice. */
const CALLS = 10;

/**
 * How often in a row nothing must come before there is nothing: SQS may answer so although letters are there, for each look
 * asks some of its servers, or hands out nothing for a moment. Our choice.
 */
const EMPTY_LOOKS = 3;

/** And how often while SQS counts visible letters still; its count is late by up to a minute. Our choice. */
const MOST_EMPTY_LOOKS = 10;

/** Between looks that bring nothing. Our choice. */
const REST_MS = 250;

/** It takes the permission `sqs:GetQueueAttributes`. */
export async function depthsOf(sqs: SQSClient, QueueUrl: string): Promise<Depths> {
  const asked = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
  });
  const { Attributes = {} } = await sqs.send(asked);
  return depthsIn(Attributes);
}

/** The depths among a queue's attributes. */
export function depthsIn(attributes: Readonly<Partial<Record<string, string>>>): Depths {
  return {
    visible: Number(attributes['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}

/** What each came to, once all have: what one of them received is not forgotten where another fails. */
async function allOf<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/** Whether there is nothing more, after so many looks in a row that brought nothing. */
async function isEmpty({ sqs, queue }: MessagePorts, looks: number): Promise<boolean> {
  if (looks < EMPTY_LOOKS) return false;
  // Of a FIFO queue, SQS counts as visible what waits behind letters of its group that are in flight.
  if (queue.isFifo || looks >= MOST_EMPTY_LOOKS) return true;
  return (await depthsOf(sqs, queue.url)).visible === 0;
}

/** Receives round by round, until there is nothing, or enough. */
async function receiveAll(
  ports: MessagePorts,
  hold: MessageHold,
  { most = Number.POSITIVE_INFINITY, isOver = () => false, progress = () => {} }: LookOptions,
  visit: (messages: readonly HeldMessage[]) => Promise<void>,
): Promise<LookEnd> {
  let calls = 1;
  for (let empty = 0; ; ) {
    if (isOver()) return 'interrupted';
    const wanted = most - hold.reported;
    if (wanted <= 0) return 'enough';
    await hold.renew();
    const sizes = Array.from({ length: calls }, (_, call) => Math.min(BATCH_SIZE, wanted - call * BATCH_SIZE)).filter(
      n => n > 0,
    );
    const answers = await allOf(sizes.map(size => hold.receive(size)));
    const messages = answers.flatMap(answer => (answer === 'too-many-in-flight' ? [] : answer));
    if (messages.length > 0) {
      await visit(messages);
      progress('received', hold.reported);
    }
    if (answers.includes('too-many-in-flight')) return 'too-many-in-flight';
    // A queue that fills every call is asked more at once; one that does not, as before.
    calls = messages.length === sizes.length * BATCH_SIZE ? Math.min(calls * 2, CALLS) : 1;
    empty = messages.length > 0 ? 0 : empty + 1;
    if (await isEmpty(ports, empty)) return 'empty';
    if (empty > 0) await ports.wait(REST_MS);
  }
}

async function giveBack(hold: MessageHold, ports: MessagePorts, { progress = () => {} }: LookOptions): Promise<void> {
  const remain = `at most ${HOLD_SECONDS} seconds, and come back by themselves`;
  const size = hold.size;
  try {
    const { count, reason } = await hold.giveBack(given => progress('given back', given, size));
    if (count > 0) ports.warn(`${count} of the letters stay hidden for ${remain}: ${reason}`);
  } catch (error) {
    ports.warn(`of ${size} letters some stay hidden for ${remain}: ${messageOf(error)}`);
  }
}

/**
 * Looks at a queue's letters, each once, while they are hidden from others, and gives all of them back in the end, whatever
 * ends it. Letters that others have in flight are not waited for. Of a FIFO queue, at most ten of a group can be seen at a
 * time: while one is in flight, SQS hands out no others of its group.
 *
 * @param visit is given letters as they come, and may take them away for good
 * @throws Error where SQS does not let whoever asks receive letters, or give them back: none is hidden then
 */
export async function eachMessage(
  ports: MessagePorts,
  looking: LookOptions,
  visit: (messages: readonly HeldMessage[], remover: Remover) => Promise<void> | void,
): Promise<Look> {
  const hold = new MessageHold(ports);
  await hold.checkMayGiveBack();
  try {
    const end = await receiveAll(ports, hold, looking, async messages => visit(messages, hold));
    const { visible, inFlight, delayed } = await depthsOf(ports.sqs, ports.queue.url);
    const unseen = { visible, inFlight: Math.max(inFlight - hold.size, 0), delayed };
    return { seen: hold.reported, end, unseen };
  } finally {
    await giveBack(hold, ports, looking);
  }
}
