import type {
  MessageAttributeValue,
  SendMessageBatchRequestEntry,
  SendMessageRequest,
  SendMessageResult,
} from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { attributeBytes, byteLengthOf, isToken, type LazyText } from '../../kernel/messaging';
import { invalidParameterValue, invalidValue, messageTooLong, missingParameter, notForThisQueueType } from '../errors';
import { type FifoSettings, NUMBER_ATTRIBUTES, type QueueSettings } from '../queue/queue-attributes';
import type { Accepted, SentMessage } from './message';
import { checkMessageAttributes, isSendable, md5OfAttributes, md5OfText, sha256OfText } from './message-attributes';

/** The input of `SendMessage` and of an entry of `SendMessageBatch`. */
export type Sending = Omit<SendMessageRequest, 'QueueUrl' | 'MessageBody'> & {
  /**
   * Another simulated service may send a text that is built only when it is read. That service then checks its characters.
   */
  readonly MessageBody?: string | LazyText | undefined;
};

/** The input of `SendMessage`. */
export type SendMessageInput = Sending & Pick<SendMessageRequest, 'QueueUrl'>;

const TRACE_HEADER = 'AWSTraceHeader';

const NO_ATTRIBUTES: Readonly<Record<string, MessageAttributeValue>> = {};

export type SendReceipt = SendMessageResult & { MD5OfMessageBody: string; MessageId: string };

/** The response for a text that is not built yet. Reading its digest builds the text. */
class LateReceipt implements SendReceipt {
  constructor(
    private readonly body: LazyText,
    readonly MessageId: string,
  ) {}

  get MD5OfMessageBody(): string {
    return md5OfText(this.body.toString());
  }
}

/** Returns the size that counts toward the limits: body and attributes, in bytes. */
export function sizeOf({ MessageBody = '', MessageAttributes }: Sending): number {
  return byteLengthOf(MessageBody) + (MessageAttributes ? attributeBytes(MessageAttributes) : 0);
}

/** @param inBatch whether it is an entry of a batch, for which AWS words some errors differently */
export function checkSending(sending: Sending, settings: QueueSettings, inBatch = false): void {
  const { MessageBody, MessageAttributes, MessageSystemAttributes, DelaySeconds } = sending;
  if (!MessageBody) throw missingParameter('MessageBody');
  const text = typeof MessageBody === 'string' ? MessageBody : MessageBody.text;
  if (text !== undefined && !isSendable(text)) {
    throw new AwsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    );
  }
  if (MessageAttributes) checkMessageAttributes(MessageAttributes);
  if (MessageSystemAttributes) checkSystemAttributes(MessageSystemAttributes);
  if (sizeOf(sending) > settings.maximumMessageBytes) {
    throw messageTooLong(settings.maximumMessageBytes, inBatch ? 'cannot be validated' : undefined);
  }
  const { min, max } = NUMBER_ATTRIBUTES.DelaySeconds;
  if (DelaySeconds !== undefined && !(DelaySeconds >= min && DelaySeconds <= max)) {
    throw invalidValue(DelaySeconds, 'DelaySeconds', `DelaySeconds must be >= ${min} and <= ${max}.`);
  }
  if (settings.fifo) checkFifoSending(sending, settings.fifo);
  else checkStandardSending(sending);
}

export function sentMessageOf(
  sending: Sending,
  settings: QueueSettings,
  caller: Caller,
  { id, sentAtMs, encryption }: Pick<SentMessage, 'id' | 'sentAtMs' | 'encryption'>,
): SentMessage {
  const { MessageBody = '', MessageAttributes = NO_ATTRIBUTES, MessageGroupId, MessageSystemAttributes } = sending;
  return {
    id,
    body: MessageBody,
    attributes: MessageAttributes,
    traceHeader: MessageSystemAttributes?.[TRACE_HEADER]?.StringValue ?? caller.traceHeader,
    groupId: MessageGroupId,
    deduplicationId: settings.fifo && deduplicationIdOf(sending),
    senderId: senderId(caller),
    encryption,
    sizeBytes: sizeOf(sending),
    sentAtMs,
  };
}

/** Returns the response to the sender, with the digests that SDKs verify. */
export function receiptOf(sending: Sending, { id, sequenceNumber }: Accepted): SendReceipt {
  const { MessageBody = '', MessageAttributes, MessageSystemAttributes } = sending;
  const receipt: SendReceipt =
    typeof MessageBody === 'string'
      ? { MD5OfMessageBody: md5OfText(MessageBody), MessageId: id }
      : new LateReceipt(MessageBody, id);
  const md5OfMessageAttributes = MessageAttributes && md5OfAttributes(MessageAttributes);
  if (md5OfMessageAttributes !== undefined) receipt.MD5OfMessageAttributes = md5OfMessageAttributes;
  const md5OfSystemAttributes = MessageSystemAttributes && md5OfAttributes(MessageSystemAttributes);
  if (md5OfSystemAttributes !== undefined) receipt.MD5OfMessageSystemAttributes = md5OfSystemAttributes;
  if (sequenceNumber !== undefined) receipt.SequenceNumber = sequenceNumber;
  return receipt;
}

function checkStandardSending({ MessageGroupId, MessageDeduplicationId }: Sending): void {
  if (MessageGroupId !== undefined) checkToken(MessageGroupId, 'MessageGroupId');
  if (MessageDeduplicationId !== undefined) throw notForThisQueueType(MessageDeduplicationId, 'MessageDeduplicationId');
}

function checkSystemAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== TRACE_HEADER) {
      throw invalidParameterValue(`Message system attribute name '${name}' is invalid.`);
    }
    if (value.DataType !== 'String' || !value.StringValue) {
      throw invalidParameterValue(`The message system attribute '${name}' must be of type 'String' and not empty.`);
    }
  }
}

const NO_DEDUPLICATION_ID =
  'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly';

/**
 * Checks what only FIFO queues require. A delay of 0 means the queue's own delay (recorded). Any other delay is
 * refused.
 */
function checkFifoSending(sending: Sending, fifo: FifoSettings): void {
  const { MessageGroupId, MessageDeduplicationId, DelaySeconds } = sending;
  if (DelaySeconds) throw notForThisQueueType(DelaySeconds, 'DelaySeconds');
  if (MessageGroupId === undefined) throw missingParameter('MessageGroupId');
  checkToken(MessageGroupId, 'MessageGroupId');
  if (MessageDeduplicationId !== undefined) checkToken(MessageDeduplicationId, 'MessageDeduplicationId');
  else if (!fifo.contentBasedDeduplication) throw invalidParameterValue(NO_DEDUPLICATION_ID);
}

/**
 * Checks the entries of a batch for a FIFO queue. A missing id in one entry fails the whole batch, with a separate
 * error code (recorded).
 */
export function checkFifoBatch(
  entries: readonly SendMessageBatchRequestEntry[],
  { contentBasedDeduplication }: FifoSettings,
): void {
  for (const { MessageGroupId, MessageDeduplicationId } of entries) {
    if (MessageGroupId === undefined) throw withBatchCode(missingParameter('MessageGroupId'));
    if (MessageDeduplicationId === undefined && !contentBasedDeduplication) {
      throw invalidParameterValue(NO_DEDUPLICATION_ID);
    }
  }
}

/** Returns the deduplication id: the sender's, or the SHA-256 digest of the body. */
function deduplicationIdOf({ MessageDeduplicationId, MessageBody = '' }: Sending): string {
  return MessageDeduplicationId ?? sha256OfText(MessageBody.toString());
}

const withBatchCode = ({ message }: AwsError): AwsError => invalidParameterValue(message);

/** The known sender ids of AWS services. */
const SERVICE_IDS: Readonly<Record<string, string>> = { 'sns.amazonaws.com': 'AIDAIT2UOQQY3AUEKVGXU' };

/**
 * Returns the `SenderId`: an account number, or the unique id of a role with its session name.
 * **Assumption SQS-18:** The unique id of a role is derived from its ARN, so that it is the same in every run.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
function senderId({ principal }: Caller): string {
  if (principal.kind === 'account') return principal.account;
  if (principal.kind === 'service') return SERVICE_IDS[principal.service] ?? principal.service;
  const unique = sha256OfText(principal.arn).slice(0, 17).toUpperCase();
  return `AROA${unique}:${principal.sessionName ?? principal.arn.split('/').pop()}`;
}

/** Checks a message group id, deduplication id or receive attempt id. */
export function checkToken(value: string, parameter: string): void {
  if (isToken(value)) return;
  const rule = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  throw invalidValue(value, parameter, rule);
}
