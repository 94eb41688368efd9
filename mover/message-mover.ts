import {
  type BatchResultErrorEntry,
  type MessageSystemAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { QUEUE_LIMITS } from '../policy/aws-limits';
import { messageBytes } from '../policy/messages/queue-attributes';
import type { QuarantineCause } from '../policy/messages/reason-attributes';
import type { QueueName } from '../policy/redrive/redrive-settings';
import { awsFailureOf, failureKindOf, hasResponse, isNotFound } from './aws-calls';
import type { DeadLetter } from './dead-letter-receiver';
import { BATCH_SIZE } from './queue-messages';

/** It is to be carried. */
export interface Movable {
  readonly kind: 'fit';
}

/** It cannot go where it should, and never will by itself. */
export interface Unmovable {
  readonly kind: 'unfit';
  readonly cause: QuarantineCause;
  /** Completes a sentence that begins with the letter: `is not JSON`. */
  readonly reason: string;
}

/** It stays among the dead letters. */
export interface Remaining {
  readonly kind: 'left';
  /** Completes a sentence that begins with the letter, or is AWS's. */
  readonly reason: string;
}

/** What one attempt to carry a letter came to. */
export type MoveResult =
  /** The destination has it. */
  | { readonly kind: 'moved' }
  /** There was no answer: the destination may have it. It stays, and only a stint that knows nothing of it carries it once more. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The destination did not take it just now. */
  | { readonly kind: 'again'; readonly reason: string }
  | Unmovable
  | Remaining;

/** Nothing can be carried to the destination at all, for a reason that does not pass by itself. */
export interface DestinationClosed {
  readonly kind: 'closed';
  readonly reason: string;
}

/** Carries letters to a destination. */
export interface MessageMover {
  /** How long what the destination fails at may take to come back to where it was taken. @default - it goes elsewhere */
  readonly returnsWithinMs?: number;
  /** Looks at a letter before it is carried. */
  readonly inspect: (deadLetter: DeadLetter) => Movable | Unmovable | Remaining;
  /**
   * Which letters go in one call, a lot, and which lots wait for each other: those of one lane. Where a letter of a lane
   * stays, what is behind it stays too.
   */
  readonly batchesInOrder: (deadLetters: readonly DeadLetter[]) => readonly (readonly (readonly DeadLetter[])[])[];
  /** What became of each letter, in their order. It rejects only where something of ours is broken. */
  readonly move: (lot: readonly DeadLetter[]) => Promise<readonly MoveResult[] | DestinationClosed>;
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
    // Whoever copies it once more within five minutes copies it once.
    ...(isFifo && { MessageDeduplicationId: messageId }),
  };
}

/** Lots that are no more than SQS takes in one call. */
function batchesOf(deadLetters: readonly DeadLetter[]): readonly Batch[] {
  const lots: DeadLetter[][] = [];
  let bytes = 0;
  for (const deadLetter of deadLetters) {
    const size = messageBytes(deadLetter.body, deadLetter.attributes);
    const lot = lots.at(-1);
    if (lot && lot.length < BATCH_SIZE && bytes + size <= QUEUE_LIMITS.messageBytes.max) {
      lot.push(deadLetter);
      bytes += size;
    } else {
      lots.push([deadLetter]);
      bytes = size;
    }
  }
  return lots;
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

/** Whether it is the queue, or its key, and not what is sent there. */
function isQueueFailure(error: unknown, outcome: string): boolean {
  return outcome === 'permissions-missing' || isNotFound(error) || /kms/i.test(Object(error).name);
}

/**
 * Copies letters to a queue, with all their attributes: body, message attributes, X-Ray's header, and of a FIFO queue the
 * group. The copy is a new message, as one of SQS's own move tasks is.
 */
export class CopyingMessageMover implements MessageMover {
  private readonly isFifo: boolean;

  /** @param client makes no second attempt by itself: each has its turn */
  constructor(
    private readonly client: SQSClient,
    private readonly destination: QueueName,
  ) {
    this.isFifo = destination.arn.endsWith(FIFO);
  }

  readonly inspect: MessageMover['inspect'] = () => ({ kind: 'fit' });

  readonly batchesInOrder: MessageMover['batchesInOrder'] = deadLetters =>
    this.isFifo ? batchesByGroup(deadLetters) : batchesOf(deadLetters).map(lot => [lot]);

  readonly move = async (lot: Batch): Promise<readonly MoveResult[] | DestinationClosed> => {
    const Entries = lot.map((deadLetter, index) => entryOf(deadLetter, index, this.isFifo));
    try {
      const command = new SendMessageBatchCommand({ QueueUrl: this.destination.url, Entries });
      const { Failed = [] } = await this.client.send(command);
      const failed = new Map(Failed.map(entry => [Number(entry.Id), resultOfEntry(entry)]));
      return lot.map((_, index) => failed.get(index) ?? { kind: 'moved' });
    } catch (error) {
      return this.afterError(error, lot);
    }
  };

  private async afterError(error: unknown, lot: Batch): Promise<readonly MoveResult[] | DestinationClosed> {
    const refusal = awsFailureOf(error, 'SendMessageBatch');
    if (!refusal) throw error;
    const { outcome, reason } = refusal;
    if (!hasResponse(error)) return lot.map(() => ({ kind: 'unknown', reason }));
    if (outcome === 'throttled' || outcome === 'unavailable') return lot.map(() => ({ kind: 'again', reason }));
    if (isQueueFailure(error, outcome)) return { kind: 'closed', reason };
    if (lot.length === 1) return [{ kind: 'left', reason }];
    return this.oneByOne(lot);
  }

  /**
   * What one letter does wrong may fail the whole call: each alone shows which it is. Where the queue closes in between, those
   * before have gone.
   */
  private async oneByOne(lot: Batch): Promise<readonly MoveResult[] | DestinationClosed> {
    const fates: MoveResult[] = [];
    for (const deadLetter of lot) {
      const carried = await this.move([deadLetter]);
      if ('kind' in carried) {
        if (fates.length === 0) return carried;
        const { reason } = carried;
        return lot.map((_, index) => fates[index] ?? { kind: 'left', reason });
      }
      fates.push(...carried);
    }
    return fates;
  }
}
