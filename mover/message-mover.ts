import {
  type BatchResultErrorEntry,
  type MessageSystemAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { QUEUE_BATCH_SIZE, QUEUE_LIMITS } from '../policy/aws-limits';
import { messageBytes } from '../policy/messages/queue-attributes';
import type { QuarantineCause } from '../policy/messages/reason-attributes';
import type { QueueName } from '../policy/redrive/redrive-settings';
import { awsFailureOf, failureKindOf, isCertainlyRefused, isNotFound } from './aws/aws-calls';
import type { DeadLetter } from './dead-letter-receiver';

export interface Movable {
  readonly kind: 'fit';
}

/** The message can never be moved to this destination. */
export interface Unmovable {
  readonly kind: 'unfit';
  readonly cause: QuarantineCause;
  /** Completes a sentence that begins with the message: `is not JSON`. */
  readonly reason: string;
}

/** The message remains in the dead-letter queue. */
interface Remaining {
  readonly kind: 'left';
  /** Completes a sentence that begins with the message, or is AWS's error. */
  readonly reason: string;
}

export type MoveResult =
  /** The destination has it. */
  | { readonly kind: 'moved' }
  /**
   * No response came, or a server error: the destination may have it. It remains in the queue, and the same pass does not send it
   * again.
   */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** It can be sent again at once: the destination rejected it for a transient reason, or may have it and drops a second copy. */
  | { readonly kind: 'again'; readonly reason: string; readonly isUnsure?: true }
  /** The function was invoked with it and failed. */
  | { readonly kind: 'failed'; readonly reason: string }
  | Unmovable
  | Remaining;

/** The destination takes no messages at all, for a reason that is not transient. */
export interface DestinationClosed {
  readonly kind: 'closed';
  readonly reason: string;
}

export interface MessageMover {
  /**
   * How long a call may take, because it waits until the message is processed. As many calls are then under way at once as the
   * rate allows. @default - calls are answered in a moment
   */
  readonly callMs?: number;
  /** Decides whether a message can be moved. */
  readonly inspect: (deadLetter: DeadLetter) => Movable | Unmovable | Remaining;
  /**
   * Divides messages into lists of batches. A batch is one call. The batches of a list are sent one after another; if a
   * message of one remains, so do all behind it.
   */
  readonly batchesInOrder: (deadLetters: readonly DeadLetter[]) => readonly (readonly (readonly DeadLetter[])[])[];
  /** Resolves with a result per message, in their order. Rejects only because of a bug. */
  readonly move: (batch: readonly DeadLetter[]) => Promise<readonly MoveResult[] | DestinationClosed>;
}

type Batch = readonly DeadLetter[];

const FIFO = '.fifo';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
function entryOf(deadLetter: DeadLetter, index: number, isFifo: boolean): SendMessageBatchRequestEntry {
  const { messageId, body, attributes, groupId, traceHeader } = deadLetter;
  const trace: MessageSystemAttributeValue | undefined =
    traceHeader === undefined ? undefined : { DataType: 'String', StringValue: traceHeader };
  return {
    Id: String(index),
    MessageBody: body,
    MessageAttributes: { ...attributes },
    ...(trace && { MessageSystemAttributes: { AWSTraceHeader: trace } }),
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    // SQS drops a second copy within five minutes.
    ...(isFifo && { MessageDeduplicationId: messageId }),
  };
}

/** Batches within the limits of one SQS call. */
function batchesOf(deadLetters: readonly DeadLetter[]): readonly Batch[] {
  const batches: DeadLetter[][] = [];
  let bytes = 0;
  for (const deadLetter of deadLetters) {
    const size = messageBytes(deadLetter.body, deadLetter.attributes);
    const batch = batches.at(-1);
    if (batch && batch.length < QUEUE_BATCH_SIZE && bytes + size <= QUEUE_LIMITS.messageBytes.max) {
      batch.push(deadLetter);
      bytes += size;
    } else {
      batches.push([deadLetter]);
      bytes = size;
    }
  }
  return batches;
}

/** The order of a group holds only where each message waits until SQS has the one before it. */
function batchesByGroup(deadLetters: readonly DeadLetter[]): readonly (readonly Batch[])[] {
  const groups = new Map<string | undefined, Batch[]>();
  for (const deadLetter of deadLetters) {
    const group = groups.get(deadLetter.groupId);
    if (group) group.push([deadLetter]);
    else groups.set(deadLetter.groupId, [[deadLetter]]);
  }
  return [...groups.values()];
}

function resultOfEntry({ Code = '', Message = '', SenderFault = false }: BatchResultErrorEntry): MoveResult {
  const reason = `${Code}: ${Message}`;
  const isAgain = !SenderFault || failureKindOf(Code) === 'throttled';
  return { kind: isAgain ? 'again' : 'left', reason };
}

/** Whether the queue or its key causes the error, and not a message. */
function isQueueFailure(error: unknown, outcome: string): boolean {
  return outcome === 'permissions-missing' || isNotFound(error) || /kms/i.test(Object(error).name);
}

/**
 * Copies messages to a queue with their body, message attributes, X-Ray header and, for a FIFO queue, message group. The copy is
 * a new message, as with an SQS message move task.
 */
export class CopyingMessageMover implements MessageMover {
  private readonly isFifo: boolean;

  /** @param client must not retry: see `MOVE_CLIENT_CONFIG` */
  constructor(
    private readonly client: SQSClient,
    private readonly destination: QueueName,
  ) {
    this.isFifo = destination.arn.endsWith(FIFO);
  }

  readonly inspect: MessageMover['inspect'] = () => ({ kind: 'fit' });

  readonly batchesInOrder: MessageMover['batchesInOrder'] = deadLetters =>
    this.isFifo ? batchesByGroup(deadLetters) : batchesOf(deadLetters).map(batch => [batch]);

  readonly move = async (batch: Batch): Promise<readonly MoveResult[] | DestinationClosed> => {
    const Entries = batch.map((deadLetter, index) => entryOf(deadLetter, index, this.isFifo));
    try {
      const command = new SendMessageBatchCommand({ QueueUrl: this.destination.url, Entries });
      const { Failed = [] } = await this.client.send(command);
      const failed = new Map(Failed.map(entry => [Number(entry.Id), resultOfEntry(entry)]));
      return batch.map((_, index) => failed.get(index) ?? { kind: 'moved' });
    } catch (error) {
      return this.afterError(error, batch);
    }
  };

  private async afterError(error: unknown, batch: Batch): Promise<readonly MoveResult[] | DestinationClosed> {
    const failure = awsFailureOf(error, 'SendMessageBatch');
    if (!failure) throw error;
    const { outcome, reason } = failure;
    // A FIFO queue drops a second copy with the same deduplication id. A standard queue has no id that shows a repeated send.
    if (!isCertainlyRefused(error)) {
      return batch.map(() => (this.isFifo ? { kind: 'again', reason, isUnsure: true } : { kind: 'unknown', reason }));
    }
    if (outcome === 'throttled' || outcome === 'unavailable') return batch.map(() => ({ kind: 'again', reason }));
    if (isQueueFailure(error, outcome)) return { kind: 'closed', reason };
    if (batch.length === 1) return [{ kind: 'left', reason }];
    return this.moveOneByOne(batch);
  }

  /** One bad message can fail the whole call. Sending each alone shows which one it is. */
  private async moveOneByOne(batch: Batch): Promise<readonly MoveResult[] | DestinationClosed> {
    const results: MoveResult[] = [];
    for (const deadLetter of batch) {
      const moved = await this.move([deadLetter]);
      if ('kind' in moved) {
        if (results.length === 0) return moved;
        const { reason } = moved;
        return batch.map((_, index) => results[index] ?? { kind: 'left', reason });
      }
      results.push(...moved);
    }
    return results;
  }
}
