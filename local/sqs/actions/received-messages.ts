import type {
  ChangeMessageVisibilityRequest,
  Message as ReceivedMessage,
  ReceiveMessageRequest,
  ReceiveMessageResult,
} from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { invalidParameterValue, invalidValue, missingParameter, notForThisQueueType, overLimit } from '../errors';
import { MAX_VISIBILITY_SECONDS } from '../limits';
import type { Message } from '../message/message';
import { md5OfAttributes, md5OfText, selectAttributes } from '../message/message-attributes';
import { checkToken } from '../message/sending';
import { checkMayDecrypt } from '../queue/encryption';
import type { Queue } from '../queue/queue';
import { unknownAttribute } from '../queue/queue-attributes';
import type { Call, SqsState } from '../sqs-state';
import { answerBatch } from './batch';
import { onQueue, type SqsFamily } from './sqs-action';

/** A long poll returns a promise, which due work resolves. */
export const receiveMessage = onQueue(receive);

function receive(
  state: SqsState,
  queue: Queue,
  { input, caller }: Call<ReceiveMessageRequest>,
): ReceiveMessageResult | Promise<ReceiveMessageResult> {
  checkRanges(input);
  const wishes = requestedAttributes(input);
  const { MaxNumberOfMessages = 1, WaitTimeSeconds = queue.settings.receiveWaitSeconds } = input;
  const { ReceiveRequestAttemptId: attemptId } = input;
  checkAttemptId(attemptId, queue);
  // A FIFO queue at its limit of in-flight messages returns nothing.
  if (!queue.fifo && WaitTimeSeconds === 0 && queue.store.remainingInFlight === 0) throw overLimit();

  const attempt = (): ReceiveMessageResult | undefined => {
    if (!queue.hasReceivable(attemptId)) return undefined;
    const timeout = input.VisibilityTimeout ?? queue.settings.visibilityTimeoutSeconds;
    const admit = admitting(state, caller);
    const messages = queue.receive({ max: MaxNumberOfMessages, timeoutSeconds: timeout, attemptId, admit });
    if (messages.length === 0) return undefined;
    return { Messages: messages.map(message => presentMessage(message, wishes, queue.identity.name)) };
  };
  const empty = (): ReceiveMessageResult => {
    queue.metrics.put('NumberOfEmptyReceives', 1);
    return {};
  };

  const atOnce = attempt();
  if (atOnce) return atOnce;
  if (WaitTimeSeconds === 0) return empty();
  return queue.receivers.wait(
    WaitTimeSeconds * 1000,
    () => (queue.hasReceivable(attemptId) ? answerLater(state, queue, caller, attempt) : undefined),
    () => answerLater(state, queue, caller, empty),
    caller.onGone,
  );
}

/** Checks that the caller may decrypt each message. SQS asks KMS once for each key, because it reuses data keys. */
function admitting({ context }: SqsState, caller: Caller): (message: Message) => void {
  const usable = new Set<string>();
  return ({ sent: { encryption } }) => {
    if (encryption === undefined) return;
    const use = `${encryption.keyId} ${encryption.queueArn}`;
    if (usable.has(use)) return;
    checkMayDecrypt(context, encryption, caller);
    usable.add(use);
  };
}

/** Answers a long poll. Checks the injected faults again, because they may have changed while it waited. */
function answerLater<Answer>({ checks }: SqsState, { arn }: Queue, caller: Caller, answer: () => Answer): Answer {
  return checks.recordingRefusals('ReceiveMessage', arn, () => {
    checks.checkFault('ReceiveMessage', arn, caller);
    return answer();
  });
}

function checkAttemptId(attemptId: string | undefined, queue: Queue): void {
  if (attemptId === undefined) return;
  if (!queue.fifo) throw notForThisQueueType(attemptId, 'ReceiveRequestAttemptId');
  checkToken(attemptId, 'ReceiveRequestAttemptId');
}

function checkRanges({
  MaxNumberOfMessages: max = 1,
  WaitTimeSeconds: wait = 0,
  VisibilityTimeout,
}: ReceiveMessageRequest) {
  if (!(max >= 1 && max <= 10)) {
    throw invalidValue(max, 'MaxNumberOfMessages', 'Must be between 1 and 10, if provided.');
  }
  if (!(wait >= 0 && wait <= 20)) {
    throw invalidValue(wait, 'WaitTimeSeconds', 'Must be >= 0 and <= 20, if provided.');
  }
  if (VisibilityTimeout !== undefined && !(VisibilityTimeout >= 0 && VisibilityTimeout <= MAX_VISIBILITY_SECONDS)) {
    const range = `Must be between 0 and ${MAX_VISIBILITY_SECONDS}, if provided.`;
    throw invalidValue(VisibilityTimeout, 'VisibilityTimeout', range);
  }
}

export const receivedMessageActions = {
  /**
   * Deletes a message of a standard queue by the receipt handle of any of its receives, even after the visibility timeout.
   * AWS documents that it may not delete by an older handle; recorded on AWS, it did. On a FIFO queue a handle works only
   * while its receive hides the message (recorded on AWS). `NumberOfMessagesDeleted` counts every successful call,
   * "including duplicate deletions".
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
   */
  DeleteMessage: onQueue((_, queue, { input }) => deleteByHandle(queue, input.ReceiptHandle)),

  DeleteMessageBatch: onQueue((_, queue, { input }) => {
    return answerBatch(input.Entries, 'DeleteMessageBatchRequestEntry', ({ ReceiptHandle }, Id) => {
      deleteByHandle(queue, ReceiptHandle);
      return { Id };
    });
  }, 'sqs:DeleteMessage'),

  /**
   * Changes the visibility timeout of a message. On a standard queue the receipt handle of an earlier receive works as
   * the latest one does, and works after the timeout while the message exists (recorded).
   * **Assumption SQS-6:** A call after the timeout hides the message again. On a FIFO queue, whose handles expire, it
   * gets the error for a deleted message.
   * The 12-hour limit counts from the receive. Recorded: AWS refuses the full 43,200 seconds, because some time has
   * always passed since.
   * **Assumption SQS-7:** The simulation also refuses 43,200 seconds when no virtual time has passed. A timeout of 0
   * extends nothing, so on a standard queue it works with a handle of any age while the message exists. With a handle
   * older than 12 hours, nothing else works.
   */
  ChangeMessageVisibility: onQueue((state, queue, { input }) => changeByHandle(state, queue, input)),

  ChangeMessageVisibilityBatch: onQueue((state, queue, { input }) => {
    return answerBatch(
      input.Entries,
      'ChangeMessageVisibilityBatchRequestEntry',
      ({ ReceiptHandle, VisibilityTimeout }, Id) => {
        changeByHandle(state, queue, { ReceiptHandle, VisibilityTimeout });
        return { Id };
      },
    );
  }, 'sqs:ChangeMessageVisibility'),
} satisfies SqsFamily;

function deleteByHandle(queue: Queue, handle: string | undefined): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  const hidesMessage = message?.receiveCount === receiveCount && message.place === 'in-flight';
  if (queue.fifo && message && !hidesMessage) {
    throw invalidValue(handle, 'ReceiptHandle', 'The receipt handle has expired.');
  }
  if (message) queue.delete(message);
  queue.metrics.put('NumberOfMessagesDeleted', 1);
}

function changeByHandle(
  state: SqsState,
  queue: Queue,
  { ReceiptHandle: handle, VisibilityTimeout: timeout }: Omit<ChangeMessageVisibilityRequest, 'QueueUrl'>,
): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  if (timeout === undefined) throw missingParameter('VisibilityTimeout');
  if (!(timeout >= 0 && timeout <= MAX_VISIBILITY_SECONDS)) {
    throw invalidValue(timeout, 'VisibilityTimeout', `Must be between 0 and ${MAX_VISIBILITY_SECONDS}, if provided.`);
  }
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  const isUseful = !queue.fifo || (message?.receiveCount === receiveCount && message.place === 'in-flight');
  if (!message || !isUseful) {
    const gone = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidValue(handle, 'ReceiptHandle', gone);
  }
  const isBeyond = state.nowMs + timeout * 1000 > message.receivedAtMs + MAX_VISIBILITY_SECONDS * 1000;
  if (timeout > 0 && (isBeyond || timeout === MAX_VISIBILITY_SECONDS)) {
    throw invalidParameterValue(
      `Value ${timeout} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${MAX_VISIBILITY_SECONDS} seconds]`,
    );
  }
  queue.changeVisibility(message, timeout);
}

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
function requestedAttributes(input: ReceiveMessageRequest): RequestedAttributes {
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

function presentMessage(message: Message, wishes: RequestedAttributes, queueName: string): ReceivedMessage {
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
interface Receipt {
  readonly messageId: string;
  readonly receiveCount: number;
}

/** Handles of AWS also share their first characters. */
const PREFIX = 'AQEB';
const CONTENT = /^([0-9a-f-]{36}) (\d+) (.+)$/;

function receiptHandle({ messageId, receiveCount }: Receipt, queueName: string): string {
  return PREFIX + Buffer.from(`${messageId} ${receiveCount} ${queueName}`).toString('base64');
}

function readReceiptHandle(handle: string, queueName: string): Receipt {
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
