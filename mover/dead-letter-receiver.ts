import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueMessage } from '../policy/messages/decode-message';
import type { QueueAttribute, QueueAttributes } from '../policy/messages/queue-attributes';
import { type QuarantineCause, quarantineAttributes } from '../policy/messages/reason-attributes';
import type { QueueName } from '../policy/redrive/redrive-settings';
import { backoffMs, isCertainlyRefused, isSendRepeated, MAX_CALLS, retryTransient } from './aws/aws-calls';
import type { NowMs, Wait } from './aws/clock';
import { inBatches, messageReceiver } from './aws/queue-messages';

export interface DeadLetter extends QueueMessage {
  readonly receiptHandle: string;
}

function attributesOf({ MessageAttributes = {} }: Message): QueueAttributes {
  const entries = Object.entries(MessageAttributes).map(([name, { DataType = '', StringValue, BinaryValue }]) => {
    const attribute: QueueAttribute = {
      DataType,
      ...(StringValue !== undefined && { StringValue }),
      ...(BinaryValue && { BinaryValue }),
    };
    return [name, attribute] as const;
  });
  return Object.fromEntries(entries);
}

export function deadLetterOf(message: Message): DeadLetter {
  const { MessageId: messageId = '', ReceiptHandle: receiptHandle = '', Body: body = '', Attributes = {} } = message;
  const { MessageGroupId, MessageDeduplicationId, SequenceNumber, DeadLetterQueueSourceArn, AWSTraceHeader } =
    Attributes;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: attributesOf(message),
    sentAtMs: Number(Attributes.SentTimestamp ?? 0),
    firstReceivedAtMs: Number(Attributes.ApproximateFirstReceiveTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
    ...(SequenceNumber !== undefined && { sequenceNumber: SequenceNumber }),
    ...(DeadLetterQueueSourceArn !== undefined && { movedFromArn: DeadLetterQueueSourceArn }),
    ...(AWSTraceHeader !== undefined && { traceHeader: AWSTraceHeader }),
  };
}

/**
 * How long a received message stays hidden by default. It is longer than all attempts to move it take. If the function dies, SQS
 * shows the message again after this time.
 */
export const HOLD_SECONDS = 120;

/** Receives, deletes and hides messages of a dead-letter queue. Each method rejects with the error of SQS. */
export interface DeadLetterReceiver {
  /**
   * Receives up to ten messages. Resolves with none if no message is visible.
   * @param waitSeconds length of the long poll, 1 to 5
   */
  readonly receive: (most: number, waitSeconds: number) => Promise<readonly DeadLetter[]>;
  /** Deletes messages. Resolves with the reasons for those that SQS did not delete. */
  readonly remove: (deadLetters: readonly DeadLetter[]) => Promise<ReadonlyMap<DeadLetter, string>>;
  /** Hides messages from now on; 0 seconds makes them visible. If SQS refuses, a message keeps its visibility timeout. */
  readonly hide: (deadLetters: readonly DeadLetter[], seconds: number) => Promise<void>;
}

function entriesOf(deadLetters: readonly DeadLetter[]) {
  return deadLetters.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
}

function failuresIn(
  failed: readonly BatchResultErrorEntry[],
  deadLetters: readonly DeadLetter[],
): readonly (readonly [DeadLetter, string])[] {
  return failed.flatMap(({ Id, Code, Message }) => {
    const deadLetter = deadLetters[Number(Id)];
    return deadLetter ? [[deadLetter, `${Code}: ${Message}`] as const] : [];
  });
}

/** Deletes one batch and retries entries that failed on the side of SQS. Returns the entries that SQS did not delete. */
async function removeBatch(client: SQSClient, QueueUrl: string, wait: Wait, batch: readonly DeadLetter[]) {
  const refused: (readonly [DeadLetter, string])[] = [];
  let rest = batch;
  for (let calls = 1; ; calls += 1) {
    const command = new DeleteMessageBatchCommand({ QueueUrl, Entries: entriesOf(rest) });
    const { Failed = [] } = await retryTransient(wait, () => client.send(command));
    const isLastCall = calls === MAX_CALLS;
    const transient = Failed.filter(({ SenderFault = false }) => !SenderFault && !isLastCall);
    const permanent = Failed.filter(entry => !transient.includes(entry));
    refused.push(...failuresIn(permanent, rest));
    rest = failuresIn(transient, rest).map(([deadLetter]) => deadLetter);
    if (rest.length === 0) return refused;
    await wait(backoffMs(calls));
  }
}

/**
 * @param hiddenSeconds how long a received message stays hidden
 * @param onLost is called when the answer to a receive is lost: SQS may have hidden messages that no caller knows
 */
export function deadLetterReceiver(
  client: SQSClient,
  QueueUrl: string,
  wait: Wait,
  hiddenSeconds = HOLD_SECONDS,
  onLost: () => void = () => {},
): DeadLetterReceiver {
  const receiveOnce = messageReceiver(client, QueueUrl);
  const receive: typeof receiveOnce = async how => {
    try {
      return await receiveOnce(how);
    } catch (error) {
      if (!isCertainlyRefused(error)) onLost();
      throw error;
    }
  };
  return {
    receive: async (most, waitSeconds) => {
      const how = { max: most, waitSeconds, hiddenSeconds };
      return (await retryTransient(wait, () => receive(how))).map(deadLetterOf);
    },
    remove: async deadLetters => {
      const refusals = await inBatches(deadLetters, batch => removeBatch(client, QueueUrl, wait, batch));
      return new Map(refusals.flat());
    },
    hide: async (deadLetters, VisibilityTimeout) => {
      await inBatches(deadLetters, batch => {
        const Entries = entriesOf(batch).map(entry => ({ ...entry, VisibilityTimeout }));
        return retryTransient(wait, () => client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })));
      });
    },
  };
}

/** What `quarantineSender` needs. */
export interface QuarantinePorts {
  readonly client: SQSClient;
  readonly quarantine: QueueName;
  readonly deadLetters: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
}

/** Sends a message with the reason to the quarantine queue. Rejects with the error of SQS. */
export type SendToQuarantine = (deadLetter: DeadLetter, cause: QuarantineCause, reason: string) => Promise<void>;

export function quarantineSender(ports: QuarantinePorts): SendToQuarantine {
  const { client, quarantine, deadLetters, nowMs, wait } = ports;
  return async ({ body, attributes, sentAtMs }, cause, reason) => {
    const facts = { cause, reason, sentAtMs, sourceArn: deadLetters.arn, quarantinedAtMs: nowMs() };
    const fitted = quarantineAttributes(facts, body, attributes);
    const command = new SendMessageCommand({
      QueueUrl: quarantine.url,
      MessageBody: body,
      MessageAttributes: { ...fitted.attributes },
    });
    await retryTransient(wait, () => client.send(command), isSendRepeated);
  };
}
