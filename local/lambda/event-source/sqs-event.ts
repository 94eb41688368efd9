import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** Where messages come from. */
export interface MessageSource {
  readonly queueArn: string;
  readonly region: string;
}

/**
 * The event a function gets for messages of a queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
 */
export function sqsEvent(messages: readonly Message[], source: MessageSource): string {
  return JSON.stringify({ Records: messages.map(message => sqsRecord(message, source)) });
}

/** One record of it. */
export function sqsRecord(message: Message, { queueArn: eventSourceARN, region: awsRegion }: MessageSource) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: messageAttributes(message.MessageAttributes ?? {}),
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion,
  };
}

function messageAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): object {
  const entries = Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => {
    const value = BinaryValue
      ? { binaryValue: Buffer.from(BinaryValue).toString('base64') }
      : { stringValue: StringValue };
    return [name, { ...value, stringListValues: [], binaryListValues: [], dataType: DataType }];
  });
  return Object.fromEntries(entries);
}

/** Bytes a message takes of the 6 MB an event may have. */
export function messageBytes(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
}
