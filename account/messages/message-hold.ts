import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { awsFailureOf } from '../../mover/aws-calls';
import { type DeadLetter, deadLetterOf } from '../../mover/dead-letter-receiver';
import { BATCH_SIZE, inBatches, messageReceiver } from '../../mover/queue-messages';
import type { NamedQueue } from './named-queue';

/** Our choice: how long a letter stays hidden when whoever looks at it is cut off, and cannot give it back. */
export const HOLD_SECONDS = 120;

/** Our choice: a letter that is still looked at is hidden anew when so little is left. */
const RENEWED_BEFORE_MS = 60_000;

/** What a hold takes. */
export interface HoldPorts {
  readonly sqs: SQSClient;
  readonly queue: Pick<NamedQueue, 'url' | 'isFifo'>;
  readonly nowMs: () => number;
  /** How long an empty queue is listened to. */
  readonly pollSeconds: number;
}

/** What SQS refuses of a batch: how many, and what it says of one of them. */
export interface Refused {
  readonly count: number;
  readonly reason?: string;
}

interface Held {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly untilMs: number;
}

/** Who has so many in flight that SQS hands out no more. */
function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'OverLimit';
}

/**
 * Letters of a queue that are looked at: each is told once, hidden from others while it is, and given back. It takes the
 * permissions `sqs:ReceiveMessage` and `sqs:ChangeMessageVisibility`.
 */
export class MessageHold {
  private readonly seen = new Set<string>();
  /** By their ids, the one that comes back first before others. */
  private readonly held = new Map<string, Held>();

  constructor(private readonly ports: HoldPorts) {}

  /** How many letters there were. */
  get reported(): number {
    return this.seen.size;
  }

  /** How many are hidden now. */
  get size(): number {
    return this.held.size;
  }

  /**
   * Asks SQS to give back a letter that nobody has, so that whoever may not give back hides none.
   * @throws Error where SQS does not let whoever asks
   */
  async checkMayGiveBack(): Promise<void> {
    const { sqs, queue } = this.ports;
    await checkMayGiveBack(sqs, queue.url);
  }

  /**
   * Receives once. A letter that SQS hands out a second time is not told again.
   * @param most 1 to 10
   */
  async receive(most: number): Promise<readonly HeldMessage[] | 'too-many-in-flight'> {
    const { sqs, queue, nowMs, pollSeconds } = this.ports;
    const untilMs = nowMs() + HOLD_SECONDS * 1_000;
    try {
      const how = { max: most, waitSeconds: pollSeconds, hiddenSeconds: HOLD_SECONDS };
      const messages = (await messageReceiver(sqs, queue.url)(how)).map(heldMessageOf);
      return messages.filter(message => this.hold(message, untilMs));
    } catch (error) {
      if (isOverLimit(error)) return 'too-many-in-flight';
      throw error;
    }
  }

  /** Whether it is a new one; of one that was there before the latest handle counts. */
  private hold({ messageId, receiptHandle }: HeldMessage, untilMs: number): boolean {
    this.held.delete(messageId);
    this.held.set(messageId, { messageId, receiptHandle, untilMs });
    const isNew = !this.seen.has(messageId);
    this.seen.add(messageId);
    return isNew;
  }

  /** Hides those anew that would come back soon. What SQS does not hide comes back, and is not told again. */
  async renew(): Promise<void> {
    const soonMs = this.ports.nowMs() + RENEWED_BEFORE_MS;
    const due: Held[] = [];
    for (const message of this.held.values()) {
      if (message.untilMs > soonMs) break;
      due.push(message);
    }
    const untilMs = this.ports.nowMs() + HOLD_SECONDS * 1_000;
    await this.hide(due, HOLD_SECONDS);
    for (const message of due) {
      this.held.delete(message.messageId);
      this.held.set(message.messageId, { ...message, untilMs });
    }
  }

  /** Deletes letters for good; those SQS does not delete are given back in the end. It takes `sqs:DeleteMessage`. */
  async remove(messages: readonly HeldMessage[]): Promise<Refused> {
    const { sqs, queue } = this.ports;
    const QueueUrl = queue.url;
    const refused = await inBatches(messages, async batch => {
      const Entries = batch.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
      const { Failed = [], Successful = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      for (const { Id } of Successful) this.held.delete(batch[Number(Id)]?.messageId ?? '');
      return Failed.map(({ Code, Message }) => `${Code}: ${Message}`);
    });
    const [reason] = refused.flat();
    return { count: refused.flat().length, ...(reason !== undefined && { reason }) };
  }

  /**
   * Lets others have all letters again, the next as soon as it is asked for.
   * @param given is told how many have been given back so far
   * @returns those that stay hidden, for `HOLD_SECONDS` at most
   */
  async giveBack(given: (count: number) => void): Promise<Refused> {
    const messages = [...this.held.values()];
    let refusedCount = 0;
    let reason: string | undefined;
    for (let from = 0; from < messages.length; from += 10 * BATCH_SIZE) {
      const refused = await this.hide(messages.slice(from, from + 10 * BATCH_SIZE), 0);
      refusedCount += refused.count;
      reason ??= refused.reason;
      given(Math.min(from + 10 * BATCH_SIZE, messages.length));
    }
    this.held.clear();
    return { count: refusedCount, ...(reason !== undefined && { reason }) };
  }

  private async hide(messages: readonly Held[], VisibilityTimeout: number): Promise<Refused> {
    const { sqs, queue } = this.ports;
    const QueueUrl = queue.url;
    const refused = await inBatches(messages, async batch => {
      const Entries = batch.map(({ receiptHandle: ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout,
      }));
      const { Failed = [] } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      // What is not hidden any more, or is gone, need not be given back.
      return Failed.filter(({ Code = '' }) => !/MessageNotInflight|NonExistent/.test(Code));
    });
    const [first] = refused.flat();
    return { count: refused.flat().length, ...(first && { reason: `${first.Code}: ${first.Message}` }) };
  }
}

/** A letter that is hidden from others for a while. */
export interface HeldMessage extends DeadLetter {
  /** All that SQS says of it, by SQS's names. */
  readonly system: Readonly<Record<string, string>>;
}

export function heldMessageOf(message: Message): HeldMessage {
  return { ...deadLetterOf(message), system: message.Attributes ?? {} };
}

/** Of a letter that nobody has: SQS looks first whether who asks may ask. */
const OF_NO_MESSAGE = { Id: '0', ReceiptHandle: 'of-no-letter' };

/** @throws Error where whoever asks may not */
async function tried(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (awsFailureOf(error, '')?.outcome !== 'refused') throw error;
  }
}

/**
 * Asks SQS to delete a letter that nobody has, so that whoever may not delete sends none that would stay.
 * @throws Error where SQS does not let whoever asks
 */
export function checkMayDelete(sqs: SQSClient, QueueUrl: string): Promise<void> {
  return tried(sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [OF_NO_MESSAGE] })));
}

/**
 * The same for giving back, so that whoever may not give back hides none.
 * @throws Error where SQS does not let whoever asks
 */
export function checkMayGiveBack(sqs: SQSClient, QueueUrl: string): Promise<void> {
  const Entries = [{ ...OF_NO_MESSAGE, VisibilityTimeout: 0 }];
  return tried(sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })));
}
