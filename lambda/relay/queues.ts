import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { inBatches } from '../../mover/queue-messages';
import { ALWAYS_ALLOWED_SECONDS } from '../../policy/relay/relay-limits';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { errorOf } from '../shared/log';
import type { Queues, VisibilityChange } from './ports';

/** Why messages are not hidden, by message. */
interface Refusals {
  /** By SQS: it would have to be asked for something else. */
  readonly refused: ReadonlyMap<string, string>;
  /** SQS did not take the call; the SDK has tried it twice. */
  readonly failed: ReadonlyMap<string, string>;
}

function refusalOf(
  { Id, Code, Message }: BatchResultErrorEntry,
  batch: readonly VisibilityChange[],
): readonly [string, string] {
  return [batch[Number(Id)]?.messageId ?? '', `${Code}: ${Message}`];
}

async function hideBatch(client: SQSClient, QueueUrl: string, batch: readonly VisibilityChange[]): Promise<Refusals> {
  const Entries = batch.map(({ receiptHandle, seconds }, index) => ({
    Id: String(index),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  }));
  try {
    const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    return { refused: new Map(Failed.map(entry => refusalOf(entry, batch))), failed: new Map() };
  } catch (error) {
    const { name, message } = errorOf(error);
    return { refused: new Map(), failed: new Map(batch.map(({ messageId }) => [messageId, `${name}: ${message}`])) };
  }
}

async function hideAll(client: SQSClient, queueUrl: string, hidings: readonly VisibilityChange[]): Promise<Refusals> {
  const answers = await inBatches(hidings, batch => hideBatch(client, queueUrl, batch));
  return {
    refused: new Map(answers.flatMap(({ refused }) => [...refused])),
    failed: new Map(answers.flatMap(({ failed }) => [...failed])),
  };
}

/** What SQS refuses is asked for once more: of the twelve hours it hides a message for, less may be left than was asked for. */
async function hide(
  client: SQSClient,
  queueUrl: string,
  hidings: readonly VisibilityChange[],
): Promise<ReadonlyMap<string, string>> {
  const { refused, failed } = await hideAll(client, queueUrl, hidings);
  const shorter = hidings
    .filter(({ messageId }) => refused.has(messageId))
    .map(hiding => ({ ...hiding, seconds: Math.min(hiding.seconds, ALWAYS_ALLOWED_SECONDS) }));
  const left = await hideAll(client, queueUrl, shorter);
  return new Map([...failed, ...left.failed, ...left.refused]);
}

/** Whether the queue took offence at the message and not at who sends it: it may be closed to large ones. */
function isRefusedMessage(error: unknown): boolean {
  return errorOf(error).name.startsWith('InvalidParameterValue');
}

/**
 * The queues of a relay, in SQS. A dead letter whose attributes the dead-letter queue refuses goes without them.
 *
 * Of a FIFO queue it goes by an id of its own: by the producer's, SQS would take a message that dies twice within five
 * minutes, as after a move back, for a repetition and drop it.
 */
export function relayQueues(
  client: SQSClient,
  settings: Pick<RelaySettings, 'queueUrl' | 'deadLetterQueueUrl' | 'fifo'>,
): Queues {
  const { queueUrl, deadLetterQueueUrl, fifo } = settings;
  return {
    changeVisibility: hidings => hide(client, queueUrl, hidings),
    deadLetterMessage: async ({ messageId, sentAtMs, body, groupId }, attributes) => {
      const relayMessage: SendMessageCommandInput = {
        QueueUrl: deadLetterQueueUrl,
        MessageBody: body,
        ...(groupId !== undefined && { MessageGroupId: groupId }),
        ...(fifo && { MessageDeduplicationId: `${messageId}.${sentAtMs}` }),
      };
      try {
        await client.send(new SendMessageCommand({ ...relayMessage, MessageAttributes: { ...attributes } }));
      } catch (error) {
        if (!isRefusedMessage(error)) throw error;
        await client.send(new SendMessageCommand(relayMessage));
      }
    },
  };
}
