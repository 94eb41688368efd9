import {
  InvokeCommand,
  type LambdaClient,
  LambdaServiceException,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchItemFailure, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';
import { inBatches, messageReceiver, type ReceiveOptions } from '../../mover/aws/queue-messages';
import type { ProbeResult } from '../../policy/relay/breaker';

interface RelayAnswer {
  readonly batchItemFailures: readonly SQSBatchItemFailure[];
  readonly attempts: number;
  readonly delivered: number;
  readonly failedAttempts: number;
}

/** The relay function's answer, or why there is none. */
export type RelayResponse = { readonly answer: RelayAnswer } | { readonly broken: string };

/** Invokes the relay function with messages of its queue. With `expiring` it dead-letters them without an attempt. */
export type InvokeRelay = (event: SQSEvent & { readonly expiring?: boolean }) => Promise<RelayResponse>;

function readAnswer(payload: string): RelayAnswer {
  const answer = JSON.parse(payload) as Partial<RelayAnswer>;
  const { batchItemFailures, attempts, delivered, failedAttempts } = answer;
  if (!batchItemFailures || attempts === undefined || delivered === undefined || failedAttempts === undefined) {
    throw new Error(`The relay function returned an unknown answer: ${payload}`);
  }
  return { batchItemFailures, attempts, delivered, failedAttempts };
}

/** Whether the next run may succeed. */
function isTransient(error: LambdaServiceException): boolean {
  return error.$fault === 'server' || error instanceof TooManyRequestsException;
}

/**
 * Returns a function that invokes the relay.
 * @param client must not retry: the first invocation may still be working on the messages
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function relayInvoker(client: LambdaClient, FunctionName: string): InvokeRelay {
  return async event => {
    try {
      const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
      const { FunctionError, Payload } = await client.send(command);
      const payload = Buffer.from(Payload ?? []).toString('utf8');
      return FunctionError ? { broken: `the relay's function failed: ${payload}` } : { answer: readAnswer(payload) };
    } catch (error) {
      if (!(error instanceof LambdaServiceException) || !isTransient(error)) throw error;
      return { broken: `Lambda did not invoke the relay's function: ${error.name}` };
    }
  };
}

export interface RelayQueue {
  readonly receive: (options: ReceiveOptions) => Promise<readonly Message[]>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  readonly putBack: (messages: readonly Received[]) => Promise<void>;
  /** How many messages are hidden: a consumer has them, or they wait for their next attempt. */
  readonly inFlight: () => Promise<number>;
}

export type Received = Pick<Message, 'ReceiptHandle'>;

function entries(messages: readonly Received[]) {
  return messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
}

export function relayQueue(client: SQSClient, QueueUrl: string): RelayQueue {
  return {
    receive: messageReceiver(client, QueueUrl),
    // A message that SQS does not delete is delivered again, as with any consumer.
    remove: async messages => {
      await inBatches(messages, batch =>
        client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: entries(batch) })),
      );
    },
    putBack: async messages => {
      await inBatches(messages, batch => {
        const Entries = entries(batch).map(entry => ({ ...entry, VisibilityTimeout: 0 }));
        return client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      });
    },
    inFlight: async () => {
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0);
    },
  };
}

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
 * Returns received messages as the event that Lambda sends to a function.
 * @param queueArn `arn:partition:sqs:region:account:name`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map(message => record(message, queueArn)) };
}

/** SQS's maximum: a short poll asks only some of its servers, and may miss the only message. */
const LONG_POLL_SECONDS = 20;

export interface ProbeOutcome {
  readonly result: ProbeResult;
  /** The message that was tried, if it is still in the queue. */
  readonly left?: Message;
}

/**
 * Returns a function that makes the relay try one message of its queue, with the event that Lambda would send. So a message that
 * cannot be delivered is retried or dead-lettered as usual. If the probe dies, the message becomes visible again.
 */
export function relayProbe(queue: RelayQueue, invokeRelay: InvokeRelay, queueArn: string): () => Promise<ProbeOutcome> {
  return async () => {
    const [message] = await queue.receive({ max: 1, waitSeconds: LONG_POLL_SECONDS });
    if (!message) return { result: { kind: 'no-message', inFlight: await queue.inFlight() } };
    const response = await invokeRelay(sqsEvent([message], queueArn));
    if ('broken' in response) return { result: { kind: 'broken', reason: response.broken }, left: message };
    const { batchItemFailures, attempts, delivered, failedAttempts } = response.answer;
    const result: ProbeResult = { kind: 'answered', attempts, delivered, failedAttempts };
    if (batchItemFailures.length > 0) return { result, left: message };
    await queue.remove([message]);
    return { result };
  };
}
