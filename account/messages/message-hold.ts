import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { awsFailureOf, isCertainlyRefused, isTransient } from '../../mover/aws/aws-calls';
import { inBatches, messageReceiver } from '../../mover/aws/queue-messages';
import { type DeadLetter, deadLetterOf } from '../../mover/dead-letter-receiver';
import { QUEUE_BATCH_SIZE } from '../../policy/aws-limits';
import { MINUTE_MS } from '../../policy/time-units';
import { messageOf } from '../errors';
import type { NamedQueue } from './named-queue';

/** How long a message stays hidden when the process is killed and cannot give it back. */
export const HOLD_SECONDS = 120;

/** A message that is still needed is hidden again when it would become visible this soon. */
const RENEWED_BEFORE_MS = MINUTE_MS;

export interface HoldPorts {
  readonly sqs: SQSClient;
  readonly queue: Pick<NamedQueue, 'url' | 'isFifo'>;
  readonly nowMs: () => number;
  /** How long a receive waits while the queue has no visible message, in seconds. */
  readonly pollSeconds: number;
}

/** The entries of a batch that SQS refused: how many, and the reason of the first. */
export interface RefusedEntries {
  readonly count: number;
  readonly reason?: string;
}

/** Entries that SQS did not delete, or may have deleted. */
export interface UndeletedEntries extends RefusedEntries {
  /** How many SQS may have deleted: it sent no answer, or a server error. */
  readonly unsure: number;
  /** An error that further calls would get, too: a missing permission, or a deleted queue. @default - there was none */
  readonly error?: unknown;
}

interface Held {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly untilMs: number;
}

/** Whether SQS refused because too many messages of the queue are in flight. */
function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'OverLimit';
}

/**
 * Holds messages of a queue while they are looked at. Each message is returned once, stays hidden from other consumers, and is
 * given back. It needs the permissions `sqs:ReceiveMessage` and `sqs:ChangeMessageVisibility`.
 */
export class MessageHold {
  private readonly seen = new Set<string>();
  /** By message id, ordered by when they become visible again. */
  private readonly held = new Map<string, Held>();

  constructor(private readonly ports: HoldPorts) {}

  /** How many messages have been received so far. */
  get seenCount(): number {
    return this.seen.size;
  }

  /** How many messages are hidden now. */
  get size(): number {
    return this.held.size;
  }

  /** @throws Error when the caller may not give messages back */
  async checkMayGiveBack(): Promise<void> {
    const { sqs, queue } = this.ports;
    await checkMayGiveBack(sqs, queue.url);
  }

  /**
   * Receives one batch. A message that SQS delivers a second time is held, but not returned again.
   * @param max 1 to 10
   */
  async receive(max: number): Promise<readonly HeldMessage[] | 'too-many-in-flight'> {
    const { sqs, queue, nowMs, pollSeconds } = this.ports;
    const untilMs = nowMs() + HOLD_SECONDS * 1_000;
    try {
      const how = { max, waitSeconds: pollSeconds, hiddenSeconds: HOLD_SECONDS };
      const messages = (await messageReceiver(sqs, queue.url)(how)).map(heldMessageOf);
      return messages.filter(message => this.hold(message, untilMs));
    } catch (error) {
      if (isOverLimit(error)) return 'too-many-in-flight';
      throw error;
    }
  }

  /** Whether the message is new. Of a repeated message, only the latest receipt handle is valid. */
  private hold({ messageId, receiptHandle }: HeldMessage, untilMs: number): boolean {
    this.held.delete(messageId);
    this.held.set(messageId, { messageId, receiptHandle, untilMs });
    const isNew = !this.seen.has(messageId);
    this.seen.add(messageId);
    return isNew;
  }

  /** Extends the visibility timeout of messages that would soon become visible. SQS's refusals do no harm here. */
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

  /** Deletes messages. Those that SQS has not deleted are given back at the end. It needs `sqs:DeleteMessage`. */
  async remove(messages: readonly HeldMessage[]): Promise<UndeletedEntries> {
    const { sqs, queue } = this.ports;
    const QueueUrl = queue.url;
    const results = await inBatches(messages, async (batch): Promise<UndeletedEntries> => {
      const Entries = batch.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
      try {
        const { Failed = [], Successful = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        for (const { Id } of Successful) this.held.delete(batch[Number(Id)]?.messageId ?? '');
        const [{ Code, Message } = {}] = Failed;
        return { count: Failed.length, unsure: 0, ...(Failed.length > 0 && { reason: `${Code}: ${Message}` }) };
      } catch (error) {
        if (awsFailureOf(error, '') === undefined) throw error;
        const unsure = isCertainlyRefused(error) ? 0 : batch.length;
        const reason = messageOf(error);
        return { count: batch.length - unsure, unsure, reason, ...(!isTransient(error) && { error }) };
      }
    });
    const reason = results.find(result => result.reason !== undefined)?.reason;
    const error = results.find(result => result.error !== undefined)?.error;
    const sum = (what: 'count' | 'unsure') => results.reduce((total, result) => total + result[what], 0);
    return {
      count: sum('count'),
      unsure: sum('unsure'),
      ...(reason !== undefined && { reason }),
      ...(error !== undefined && { error }),
    };
  }

  /**
   * Makes all held messages visible again, at once.
   * @param given receives how many have been given back so far
   * @returns those that stay hidden, for at most `HOLD_SECONDS`
   */
  async giveBack(given: (count: number) => void): Promise<RefusedEntries> {
    const messages = [...this.held.values()];
    let refusedCount = 0;
    let reason: string | undefined;
    for (let from = 0; from < messages.length; from += 10 * QUEUE_BATCH_SIZE) {
      const refused = await this.hide(messages.slice(from, from + 10 * QUEUE_BATCH_SIZE), 0);
      refusedCount += refused.count;
      reason ??= refused.reason;
      given(Math.min(from + 10 * QUEUE_BATCH_SIZE, messages.length));
    }
    this.held.clear();
    return { count: refusedCount, ...(reason !== undefined && { reason }) };
  }

  private async hide(messages: readonly Held[], VisibilityTimeout: number): Promise<RefusedEntries> {
    const { sqs, queue } = this.ports;
    const QueueUrl = queue.url;
    const refused = await inBatches(messages, async batch => {
      const Entries = batch.map(({ receiptHandle: ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout,
      }));
      const { Failed = [] } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      // A message that is visible again, or deleted, need not be given back.
      return Failed.filter(({ Code = '' }) => !/MessageNotInflight|NonExistent/.test(Code));
    });
    const [first] = refused.flat();
    return { count: refused.flat().length, ...(first && { reason: `${first.Code}: ${first.Message}` }) };
  }
}

/** A received message that is hidden from other consumers for a while. */
export interface HeldMessage extends DeadLetter {
  /** Its system attributes, by SQS's names. */
  readonly system: Readonly<Record<string, string>>;
}

function heldMessageOf(message: Message): HeldMessage {
  return { ...deadLetterOf(message), system: message.Attributes ?? {} };
}

/** A handle that belongs to no message. SQS checks the caller's permission before the handle. */
const INVALID_ENTRY = { Id: '0', ReceiptHandle: 'invalid-to-check-the-permission' };

async function checkPermission(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (awsFailureOf(error, '')?.outcome !== 'refused') throw error;
  }
}

/**
 * Deletes a message with an invalid receipt handle, to check the permission `sqs:DeleteMessage` before anything is sent.
 * @throws Error when the caller may not delete
 */
export function checkMayDelete(sqs: SQSClient, QueueUrl: string): Promise<void> {
  return checkPermission(sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [INVALID_ENTRY] })));
}

/**
 * Changes the visibility of a message with an invalid receipt handle, to check the permission before anything is hidden.
 * @throws Error when the caller may not change the visibility
 */
export function checkMayGiveBack(sqs: SQSClient, QueueUrl: string): Promise<void> {
  const Entries = [{ ...INVALID_ENTRY, VisibilityTimeout: 0 }];
  return checkPermission(sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })));
}
