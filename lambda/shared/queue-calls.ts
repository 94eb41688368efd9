import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { inBatches } from '../../mover/aws/queue-messages';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import { ALWAYS_ALLOWED_SECONDS } from '../../policy/relay/relay-limits';
import { errorOf } from './log';

const MAX_ATTEMPTS = 2;

/** It counts from the call, before the connection is established. */
const REQUEST_TIMEOUT_MS = 1_500;

/** The SDK's longest wait before its second attempt, unless SQS asks for a longer one. */
const LONGEST_BACKOFF_MS = 1_000;

/** Configuration of the SQS client. The SDK makes the second attempt, and no caller makes a third. */
export const SQS_CLIENT_CONFIG = {
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
} as const;

export const LONGEST_CALL_MS = MAX_ATTEMPTS * REQUEST_TIMEOUT_MS + (MAX_ATTEMPTS - 1) * LONGEST_BACKOFF_MS;

/** How long to hide a message from now on. */
export interface VisibilityChange {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly seconds: number;
}

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

/**
 * Changes visibility timeouts. Tries a shorter one if SQS refuses one: it hides a message for 12 hours in all, and less of that may
 * be left. Resolves with the reason for each message whose timeout was not changed; never rejects.
 */
export async function changeVisibility(
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

/** Sends a message to a dead-letter queue. If the queue refuses its attributes, the message is sent without them. */
export async function sendDeadLetter(
  client: SQSClient,
  message: SendMessageCommandInput,
  attributes: QueueAttributes,
): Promise<void> {
  try {
    await client.send(new SendMessageCommand({ ...message, MessageAttributes: { ...attributes } }));
  } catch (error) {
    if (!isRefusedMessage(error)) throw error;
    await client.send(new SendMessageCommand(message));
  }
}
