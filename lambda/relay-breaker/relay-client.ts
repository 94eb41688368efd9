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
import { inBatches, messageReceiver, type ReceiveOptions } from '../../mover/queue-messages';
import type { ProbeResult } from '../../policy/relay/breaker';

/** What the relay's function answers of a batch. */
export interface RelayAnswer {
  readonly batchItemFailures: readonly SQSBatchItemFailure[];
  readonly attempts: number;
  readonly delivered: number;
  readonly failedAttempts: number;
}

/** What the relay's function answered, or what kept it from answering. */
export type RelayResponse = { readonly answer: RelayAnswer } | { readonly broken: string };

/** Has the relay's own function attend to messages; with `expiring` it gives them up untried. */
export type InvokeRelay = (event: SQSEvent & { readonly expiring?: boolean }) => Promise<RelayResponse>;

function readAnswer(payload: string): RelayAnswer {
  const answer = JSON.parse(payload) as Partial<RelayAnswer>;
  const { batchItemFailures, attempts, delivered, failedAttempts } = answer;
  if (!batchItemFailures || attempts === undefined || delivered === undefined || failedAttempts === undefined) {
    throw new Error(`the relay's function answered ${payload}`);
  }
  return { batchItemFailures, attempts, delivered, failedAttempts };
}

/** What is no fault of ours, and gone at the next run. */
function isTransient(error: LambdaServiceException): boolean {
  return error.$fault === 'server' || error instanceof TooManyRequestsException;
}

/**
 * @param client tries once: a second try would find the messages with the first one
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

/** The relay's queue, as its breaker uses it. */
export interface RelayQueue {
  readonly receive: (how: ReceiveOptions) => Promise<readonly Message[]>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Makes messages visible again. */
  readonly putBack: (messages: readonly Received[]) => Promise<void>;
  /** How many messages somebody has, or wait to be tried again. */
  readonly inFlight: () => Promise<number>;
}

/** What SQS needs to know of a message to do something with it. */
export type Received = Pick<Message, 'ReceiptHandle'>;

function entries(messages: readonly Received[]) {
  return messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
}

export function relayQueue(client: SQSClient, QueueUrl: string): RelayQueue {
  return {
    receive: messageReceiver(client, QueueUrl),
    // What is not deleted comes back, and is attended to once more: as with any consumer.
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
 * Received messages as Lambda hands them to a function.
 * @param queueArn `arn:partition:sqs:region:account:name`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map(message => record(message, queueArn)) };
}

/** As long as SQS waits: a short look asks only some of its servers, and may miss the one message there is. */
const LONG_POLL_SECONDS = 20;

/** A probe, and what it leaves. */
export interface ProbeOutcome {
  readonly result: ProbeResult;
  /** The message that was tried, where the queue still has it. */
  readonly left?: Message;
}

/**
 * Has the relay's own function try one message of its queue, by the event Lambda would have invoked it with: what it does
 * with a message it cannot deliver is then done already. A message whose probe breaks off comes back by itself.
 */
export function relayProbe(queue: RelayQueue, ask: InvokeRelay, queueArn: string): () => Promise<ProbeOutcome> {
  return async () => {
    const [message] = await queue.receive({ max: 1, waitSeconds: LONG_POLL_SECONDS });
    if (!message) return { result: { kind: 'no-message', inFlight: await queue.inFlight() } };
    const asked = await ask(sqsEvent([message], queueArn));
    if ('broken' in asked) return { result: { kind: 'broken', reason: asked.broken }, left: message };
    const { batchItemFailures, attempts, delivered, failedAttempts } = asked.answer;
    const result: ProbeResult = { kind: 'answered', attempts, delivered, failedAttempts };
    if (batchItemFailures.length > 0) return { result, left: message };
    await queue.remove([message]);
    return { result };
  };
}
