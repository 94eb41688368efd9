import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { isMembers } from '../../kernel/json';
import { invalidParameter } from '../errors';
import type { MessageAttributes } from '../message';
import { checkMessageAttributes } from './message-attribute-rules';

/** What Publish, and each entry of PublishBatch, says of a message. */
export interface DraftInput {
  readonly Message?: string | undefined;
  readonly Subject?: string | undefined;
  readonly MessageStructure?: string | undefined;
  readonly MessageAttributes?: Record<string, MessageAttributeValue> | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly MessageGroupId?: string | undefined;
}

/** A message that has been found fit to be published. */
export interface Draft {
  readonly body: string;
  readonly bodies?: Readonly<Record<string, string>>;
  readonly subject?: string;
  readonly attributes: MessageAttributes;
  readonly groupId?: string;
  readonly sizeBytes: number;
}

export const MAX_MESSAGE_BYTES = 262_144;

const MAX_SUBJECT_LENGTH = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a subject may not have
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

function attributeBytes(name: string, { DataType = '', StringValue = '', BinaryValue }: MessageAttributeValue): number {
  const value = BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + value;
}

/** A message counts with its attributes: their names, types and values. */
function sizeOf(body: string, attributes: MessageAttributes): number {
  return Object.entries(attributes).reduce(
    (sum, [name, attribute]) => sum + attributeBytes(name, attribute),
    Buffer.byteLength(body),
  );
}

function parsedStructure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SNS names the parameter and not the position.
    throw invalidParameter('Message Structure - JSON message body failed to parse');
  }
}

/** The texts of a `MessageStructure: json` message. Members that are no strings are ignored, as SNS does. */
function textsByProtocol(text: string): { readonly body: string; readonly bodies: Readonly<Record<string, string>> } {
  const structure = parsedStructure(text);
  const members = isMembers(structure) ? Object.entries(structure) : [];
  const bodies = Object.fromEntries(
    members.filter((member): member is [string, string] => typeof member[1] === 'string'),
  );
  const { default: body } = bodies;
  if (body === undefined) throw invalidParameter('Message Structure - No default entry in JSON message body');
  return { body, bodies };
}

function checkSubject(subject: string | undefined): void {
  if (subject === undefined) return;
  if (subject === '' || subject.length > MAX_SUBJECT_LENGTH || CONTROL_CHARACTER.test(subject)) {
    throw invalidParameter('Subject');
  }
}

/**
 * Judges what somebody wants published to a standard topic.
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function draftOf(input: DraftInput): Draft {
  const { Message: text = '', Subject: subject, MessageAttributes: attributes = {}, MessageGroupId: groupId } = input;
  checkSubject(subject);
  if (text === '') throw invalidParameter('Empty message');
  checkMessageAttributes(attributes);
  const sizeBytes = sizeOf(text, attributes);
  if (sizeBytes > MAX_MESSAGE_BYTES) throw invalidParameter('Message too long');
  if (input.MessageDeduplicationId !== undefined) {
    throw invalidParameter(
      'MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
    );
  }
  if (input.MessageStructure !== undefined && input.MessageStructure !== 'json')
    throw invalidParameter('MessageStructure');
  const texts = input.MessageStructure === 'json' ? textsByProtocol(text) : { body: text };
  return {
    ...texts,
    attributes,
    sizeBytes,
    ...(subject !== undefined && { subject }),
    ...(groupId !== undefined && { groupId }),
  };
}
