import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

function attribute({ DataType = 'String', StringValue, BinaryValue }: MessageAttributeValue): SQSMessageAttribute {
  return {
    dataType: DataType,
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
  };
}

function record(message: Message, queueArn: string): SQSRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes, MessageAttributes = {} } = message;
  const { ApproximateReceiveCount = '', SentTimestamp = '', SenderId = '', ...more } = Attributes ?? {};
  const { ApproximateFirstReceiveTimestamp = '', ...others } = more;
  const messageAttributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, value]) => [name, attribute(value)]),
  );
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount, SentTimestamp, SenderId, ApproximateFirstReceiveTimestamp, ...others },
    messageAttributes,
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

/**
 * Received messages as Lambda hands them to a function.
 * @param queueArn `arn:partition:sqs:region:account:name`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map(message => record(message, queueArn)) };
}
