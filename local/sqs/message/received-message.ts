import type { Message as ReceivedMessage, ReceiveMessageRequest } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { unknownAttribute } from '../queue/queue-attributes';
import type { Message } from './message';
import { md5OfAttributes, md5OfText, selectAttributes } from './message-attributes';

/** The system attributes. Each function returns the value for a message, or undefined. */
const SYSTEM_ATTRIBUTES: Readonly<Record<string, (message: Message) => string | undefined>> = {
  SenderId: message => message.sent.senderId,
  SentTimestamp: message => String(message.sentAtMs),
  ApproximateReceiveCount: message => String(message.receiveCount),
  ApproximateFirstReceiveTimestamp: message => String(message.firstReceivedAtMs),
  MessageGroupId: message => message.sent.groupId,
  AWSTraceHeader: message => message.sent.traceHeader,
  DeadLetterQueueSourceArn: message => message.deadLetterQueueSourceArn,
  SequenceNumber: message => message.sequenceNumber,
  MessageDeduplicationId: message => message.sent.deduplicationId,
};

interface RequestedAttributes {
  readonly systemAttributes: typeof ALL_SYSTEM_ATTRIBUTES;
  /** Message attributes by name, by `prefix.*`, or `All`. */
  readonly messageAttributes: readonly string[];
}

const ALL_SYSTEM_ATTRIBUTES: readonly (readonly [string, (message: Message) => string | undefined])[] =
  Object.entries(SYSTEM_ATTRIBUTES);

/** `*` and `.*` also mean `All` message attributes (recorded). */
export function requestedAttributes(input: ReceiveMessageRequest): RequestedAttributes {
  const { AttributeNames = [], MessageSystemAttributeNames = [], MessageAttributeNames = [] } = input;
  const system: readonly string[] = [...AttributeNames, ...MessageSystemAttributeNames];
  const unknown = system.find(name => name !== 'All' && !Object.hasOwn(SYSTEM_ATTRIBUTES, name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  return {
    systemAttributes: system.includes('All')
      ? ALL_SYSTEM_ATTRIBUTES
      : ALL_SYSTEM_ATTRIBUTES.filter(([name]) => system.includes(name)),
    messageAttributes: MessageAttributeNames.map(name => (name === '.*' || name === '*' ? 'All' : name)),
  };
}

export function presentMessage(message: Message, wishes: RequestedAttributes, queueName: string): ReceivedMessage {
  const { id, receiveCount, sent } = message;
  const body = sent.body.toString();
  const received: ReceivedMessage = {
    MessageId: id,
    ReceiptHandle: receiptHandle({ messageId: id, receiveCount }, queueName),
    MD5OfBody: md5OfText(body),
    Body: body,
  };
  const system = systemAttributes(message, wishes);
  if (system) received.Attributes = system;
  const attributes = selectAttributes(sent.attributes, wishes.messageAttributes);
  if (attributes) {
    received.MD5OfMessageAttributes = md5OfAttributes(attributes);
    received.MessageAttributes = attributes;
  }
  return received;
}

function systemAttributes(message: Message, wishes: RequestedAttributes): Record<string, string> | undefined {
  let attributes: Record<string, string> | undefined;
  for (const [name, read] of wishes.systemAttributes) {
    const value = read(message);
    if (value === undefined) continue;
    attributes ??= {};
    attributes[name] = value;
  }
  return attributes;
}

/** The content of a receipt handle. It is opaque to clients. */
export interface Receipt {
  readonly messageId: string;
  readonly receiveCount: number;
}

/** Handles of AWS also share their first characters. */
const PREFIX = 'AQEB';
const CONTENT = /^([0-9a-f-]{36}) (\d+) (.+)$/;

function receiptHandle({ messageId, receiveCount }: Receipt, queueName: string): string {
  return PREFIX + Buffer.from(`${messageId} ${receiveCount} ${queueName}`).toString('base64');
}

export function readReceiptHandle(handle: string, queueName: string): Receipt {
  const content = handle.startsWith(PREFIX) ? Buffer.from(handle.slice(PREFIX.length), 'base64').toString() : '';
  const [, messageId, receiveCount, name] = CONTENT.exec(content) ?? [];
  if (messageId === undefined || name !== queueName) {
    throw new AwsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
      404,
    );
  }
  return { messageId, receiveCount: Number(receiveCount) };
}
