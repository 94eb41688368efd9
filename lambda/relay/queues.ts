import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { inBatches } from '../../mover/aws/queue-messages';
import { ALWAYS_ALLOWED_SECONDS } from '../../policy/relay/relay-limits';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { errorOf } from '../shared/log';
import type { RelayQueues, VisibilityChange } from './ports';

/** Why visibility timeouts were not changed, by message id. */
interface NotChanged {
  /** SQS refuses this timeout. */
  readonly refused: ReadonlyMap<string, string>;
  /** The call failed, and the SDK has already tried it twice. */
  readonly failed: ReadonlyMap<string, string>;
}

function reasonOf(
  { Id, Code, Message }: BatchResultErrorEntry,
  batch: readonly VisibilityChange[],
): readonly [string, string] {
  return [batch[Number(Id)]?.messageId ?? '', `${Code}: ${Message}`];
}

async function changeBatch(
  client: SQSClient,
  QueueUrl: string,
  batch: readonly VisibilityChange[],
): Promise<NotChanged> {
  const Entries = batch.map(({ receiptHandle, seconds }, index) => ({
    Id: String(index),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  }));
  try {
    const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    return { refused: new Map(Failed.map(entry => reasonOf(entry, batch))), failed: new Map() };
  } catch (error) {
    const { name, message } = errorOf(error);
    return { refused: new Map(), failed: new Map(batch.map(({ messageId }) => [messageId, `${name}: ${message}`])) };
  }
}

async function changeAll(
  client: SQSClient,
  queueUrl: string,
  changes: readonly VisibilityChange[],
): Promise<NotChanged> {
  const answers = await inBatches(changes, batch => changeBatch(client, queueUrl, batch));
  return {
    refused: new Map(answers.flatMap(({ refused }) => [...refused])),
    failed: new Map(answers.flatMap(({ failed }) => [...failed])),
  };
}

/** Tries a shorter timeout if SQS refuses one: it hides a message for 12 hours in all, and less of that may be left. */
async function changeVisibility(
  client: SQSClient,
  queueUrl: string,
  changes: readonly VisibilityChange[],
): Promise<ReadonlyMap<string, string>> {
  const { refused, failed } = await changeAll(client, queueUrl, changes);
  const shorter = changes
    .filter(({ messageId }) => refused.has(messageId))
    .map(change => ({ ...change, seconds: Math.min(change.seconds, ALWAYS_ALLOWED_SECONDS) }));
  const left = await changeAll(client, queueUrl, shorter);
  return new Map([...failed, ...left.failed, ...left.refused]);
}

/** Whether SQS rejected the message itself: for example, the dead-letter queue may not allow its size. */
function isRefusedMessage(error: unknown): boolean {
  return errorOf(error).name.startsWith('InvalidParameterValue');
}

/**
 * The queues of a relay. If the dead-letter queue refuses a message's attributes, the message is sent without them.
 *
 * In a FIFO queue a dead letter has a deduplication id of its own. With the publisher's id, SQS would drop a message that is
 * dead-lettered twice within five minutes, for example after it was moved back.
 */
export function relayQueues(
  client: SQSClient,
  settings: Pick<RelaySettings, 'queueUrl' | 'deadLetterQueueUrl' | 'fifo'>,
): RelayQueues {
  const { queueUrl, deadLetterQueueUrl, fifo } = settings;
  return {
    changeVisibility: changes => changeVisibility(client, queueUrl, changes),
    deadLetterMessage: async ({ messageId, sentAtMs, body, groupId }, attributes) => {
      const message: SendMessageCommandInput = {
        QueueUrl: deadLetterQueueUrl,
        MessageBody: body,
        ...(groupId !== undefined && { MessageGroupId: groupId }),
        ...(fifo && { MessageDeduplicationId: `${messageId}.${sentAtMs}` }),
      };
      try {
        await client.send(new SendMessageCommand({ ...message, MessageAttributes: { ...attributes } }));
      } catch (error) {
        if (!isRefusedMessage(error)) throw error;
        await client.send(new SendMessageCommand(message));
      }
    },
  };
}
