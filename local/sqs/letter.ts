import type { SendMessageRequest, SendMessageResult } from '@aws-sdk/client-sqs';
import { AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { invalidParameterValue, invalidValue, messageTooLong, missingParameter } from './errors';
import { md5OfAttributes, md5OfText } from './md5';
import type { Letter } from './message';
import { attributeBytes, checkMessageAttributes } from './message-attributes';
import type { QueueSettings } from './queue-attributes';
import { NUMBER_ATTRIBUTES } from './queue-attributes';
import { senderId } from './sender-id';

/** What `SendMessage` and an entry of `SendMessageBatch` have in common. */
export type Sending = Omit<SendMessageRequest, 'QueueUrl'>;

/** Control characters, lone surrogates and the two non-characters: everything XML 1.0 cannot carry. */
const UNSENDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const TRACE_HEADER = 'AWSTraceHeader';

/** The size that counts towards the limits: body and attributes, in bytes. */
export function sizeOf({ MessageBody = '', MessageAttributes = {} }: Sending): number {
  return Buffer.byteLength(MessageBody) + attributeBytes(MessageAttributes);
}

/** @throws AwsError what is wrong with the message, in AWS's words */
export function checkSending(sending: Sending, settings: QueueSettings): void {
  const { MessageBody, MessageAttributes = {}, MessageDeduplicationId, DelaySeconds } = sending;
  if (!MessageBody) throw missingParameter('MessageBody');
  if (UNSENDABLE.test(MessageBody)) {
    throw new AwsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    );
  }
  checkMessageAttributes(MessageAttributes);
  checkSystemAttributes(sending);
  if (sizeOf(sending) > settings.maximumMessageBytes) {
    throw messageTooLong(settings.maximumMessageBytes);
  }
  const { min, max } = NUMBER_ATTRIBUTES.DelaySeconds;
  if (DelaySeconds !== undefined && !(DelaySeconds >= min && DelaySeconds <= max)) {
    throw invalidValue(DelaySeconds, 'DelaySeconds', `DelaySeconds must be >= ${min} and <= ${max}.`);
  }
  if (MessageDeduplicationId !== undefined) {
    throw invalidValue(
      MessageDeduplicationId,
      'MessageDeduplicationId',
      'The request include parameter that is not valid for this queue type.',
    );
  }
}

export function letterOf(sending: Sending, id: string, caller: Caller, sentAtMs: number): Letter {
  const { MessageBody = '', MessageAttributes = {}, MessageGroupId, MessageSystemAttributes } = sending;
  return {
    id,
    body: MessageBody,
    md5OfBody: md5OfText(MessageBody),
    attributes: MessageAttributes,
    traceHeader: MessageSystemAttributes?.[TRACE_HEADER]?.StringValue ?? caller.traceHeader,
    groupId: MessageGroupId,
    senderId: senderId(caller),
    sizeBytes: sizeOf(sending),
    sentAtMs,
  };
}

/** What the sender is answered, and compares with digests of its own. */
export function receiptOf(sending: Sending, letter: Letter): SendMessageResult & { MessageId: string } {
  const md5OfMessageAttributes = md5OfAttributes(letter.attributes);
  const md5OfSystemAttributes = md5OfAttributes(sending.MessageSystemAttributes ?? {});
  return {
    MD5OfMessageBody: letter.md5OfBody,
    MessageId: letter.id,
    ...(md5OfMessageAttributes && { MD5OfMessageAttributes: md5OfMessageAttributes }),
    ...(md5OfSystemAttributes && { MD5OfMessageSystemAttributes: md5OfSystemAttributes }),
  };
}

function checkSystemAttributes({ MessageSystemAttributes = {} }: Sending): void {
  for (const [name, value] of Object.entries(MessageSystemAttributes)) {
    if (name !== TRACE_HEADER) {
      throw invalidParameterValue(`Message system attribute name '${name}' is invalid.`);
    }
    if (value.DataType !== 'String' || !value.StringValue) {
      throw invalidParameterValue(`The message system attribute '${name}' must be of type 'String' and not empty.`);
    }
  }
}
