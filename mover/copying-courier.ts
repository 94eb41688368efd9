import {
  type BatchResultErrorEntry,
  type MessageSystemAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { isOfNothing, kindOfCode, refusalOf } from '../lambda/redrive/refusal';
import { BATCH } from '../lambda/shared/queue-messages';
import { QUEUE_LIMITS } from '../policy/limits/queue-limits';
import { messageBytes } from '../policy/messages/queue-attributes';
import type { QueueName } from '../policy/redrive/redrive-settings';
import type { Closed, Fate, MessageMover } from './courier';
import type { DeadLetter } from './dead-letter';
import { isAnswered } from './persistence';

type Lot = readonly DeadLetter[];

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
function lotsOf(deadLetters: readonly DeadLetter[]): readonly Lot[] {
  const lots: DeadLetter[][] = [];
  let bytes = 0;
  for (const deadLetter of deadLetters) {
    const size = messageBytes(deadLetter.body, deadLetter.attributes);
    const lot = lots.at(-1);
    if (lot && lot.length < BATCH && bytes + size <= QUEUE_LIMITS.messageBytes.max) {
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
function lanesOfGroups(deadLetters: readonly DeadLetter[]): readonly (readonly Lot[])[] {
  const groups = new Map<string | undefined, Lot[]>();
  for (const deadLetter of deadLetters) {
    const group = groups.get(deadLetter.groupId);
    if (group) group.push([deadLetter]);
    else groups.set(deadLetter.groupId, [[deadLetter]]);
  }
  return [...groups.values()];
}

function fateOfEntry({ Code = '', Message = '', SenderFault = false }: BatchResultErrorEntry): Fate {
  const reason = `${Code}: ${Message}`;
  const isAgain = !SenderFault || kindOfCode(Code) === 'throttled';
  return { kind: isAgain ? 'again' : 'left', reason };
}

/** Whether it is the queue, or its key, and not what is sent there. */
function isOfTheQueue(error: unknown, outcome: string): boolean {
  return outcome === 'permissions-missing' || isOfNothing(error) || /kms/i.test(Object(error).name);
}

/**
 * Copies letters to a queue, with all their attributes: body, message attributes, X-Ray's header, and of a FIFO queue the
 * group. The copy is a new message, as one of SQS's own move tasks is.
 */
export class CopyingMover implements MessageMover {
  private readonly isFifo: boolean;

  /** @param client makes no second attempt by itself: each has its turn */
  constructor(
    private readonly client: SQSClient,
    private readonly destination: QueueName,
  ) {
    this.isFifo = destination.arn.endsWith(FIFO);
  }

  readonly screen: MessageMover['screen'] = () => ({ kind: 'fit' });

  readonly lanes: MessageMover['lanes'] = deadLetters =>
    this.isFifo ? lanesOfGroups(deadLetters) : lotsOf(deadLetters).map(lot => [lot]);

  readonly carry = async (lot: Lot): Promise<readonly Fate[] | Closed> => {
    const Entries = lot.map((deadLetter, index) => entryOf(deadLetter, index, this.isFifo));
    try {
      const command = new SendMessageBatchCommand({ QueueUrl: this.destination.url, Entries });
      const { Failed = [] } = await this.client.send(command);
      const failed = new Map(Failed.map(entry => [Number(entry.Id), fateOfEntry(entry)]));
      return lot.map((_, index) => failed.get(index) ?? { kind: 'moved' });
    } catch (error) {
      return this.afterError(error, lot);
    }
  };

  private async afterError(error: unknown, lot: Lot): Promise<readonly Fate[] | Closed> {
    const refusal = refusalOf(error, 'SendMessageBatch');
    if (!refusal) throw error;
    const { outcome, reason } = refusal;
    if (!isAnswered(error)) return lot.map(() => ({ kind: 'unknown', reason }));
    if (outcome === 'throttled' || outcome === 'unavailable') return lot.map(() => ({ kind: 'again', reason }));
    if (isOfTheQueue(error, outcome)) return { kind: 'closed', reason };
    if (lot.length === 1) return [{ kind: 'left', reason }];
    return this.oneByOne(lot);
  }

  /**
   * What one letter does wrong may fail the whole call: each alone shows which it is. Where the queue closes in between, those
   * before have gone.
   */
  private async oneByOne(lot: Lot): Promise<readonly Fate[] | Closed> {
    const fates: Fate[] = [];
    for (const deadLetter of lot) {
      const carried = await this.carry([deadLetter]);
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
