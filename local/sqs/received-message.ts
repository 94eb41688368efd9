import type { Message as ReceivedMessage } from '@aws-sdk/client-sqs';
import { AwsError } from '../kernel/aws-error';
import { md5OfAttributes, md5OfText } from './digests';
import type { Message } from './message';
import { selectAttributes } from './message-attributes';
import { receiptHandle } from './receipt-handle';

/** What a receiver wants to know of each message. */
export interface Wishes {
  /** System attributes by name, or `All`. */
  readonly system: readonly string[];
  /** Message attributes by name, by `prefix.*`, or `All`. */
  readonly message: readonly string[];
}

/** Each system attribute, and where a message has it; undefined where it has none. */
const SYSTEM_ATTRIBUTES: Readonly<Record<string, (message: Message) => string | undefined>> = {
  SenderId: message => message.letter.senderId,
  SentTimestamp: message => String(message.sentAtMs),
  ApproximateReceiveCount: message => String(message.receiveCount),
  ApproximateFirstReceiveTimestamp: message => String(message.firstReceivedAtMs),
  MessageGroupId: message => message.letter.groupId,
  AWSTraceHeader: message => message.letter.traceHeader,
  DeadLetterQueueSourceArn: message => message.deadLetterQueueSourceArn,
  SequenceNumber: message => message.sequenceNumber,
  MessageDeduplicationId: message => message.letter.deduplicationId,
};

/** @throws AwsError `InvalidAttributeName` for a system attribute nobody knows */
export function checkWishes({ system }: Wishes): void {
  const unknown = system.find(name => name !== 'All' && !Object.hasOwn(SYSTEM_ATTRIBUTES, name));
  if (unknown !== undefined) throw new AwsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
}

export function presentMessage(message: Message, wishes: Wishes, queueName: string): ReceivedMessage {
  const system = systemAttributes(message, wishes.system);
  const attributes = selectAttributes(message.letter.attributes, wishes.message);
  const md5 = md5OfAttributes(attributes);
  const body = message.letter.body.toString();
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle({ messageId: message.id, receiveCount: message.receiveCount }, queueName),
    MD5OfBody: md5OfText(body),
    Body: body,
    ...(Object.keys(system).length > 0 && { Attributes: system }),
    ...(md5 && { MD5OfMessageAttributes: md5, MessageAttributes: { ...attributes } }),
  };
}

function systemAttributes(message: Message, wanted: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {};
  if (wanted.length === 0) return result;
  const all = wanted.includes('All');
  for (const [name, read] of Object.entries(SYSTEM_ATTRIBUTES)) {
    const value = all || wanted.includes(name) ? read(message) : undefined;
    if (value !== undefined) result[name] = value;
  }
  return result;
}
