import { createHash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { isMembers, jsonOrUndefined } from '../kernel/json';
import { attributeBytes, attributeKind, attributeValue, isNumberText, isToken } from '../kernel/messaging';
import { invalidAttributeValue, invalidParameter, mustNotBeNull } from './errors';
import type { FifoMemory } from './fifo';
import { type MessageAttributes, NO_ATTRIBUTES } from './message';
import type { Topic } from './topic';

/** What Publish, and each entry of PublishBatch, says of a message. */
export interface DraftInput {
  readonly Message?: string | undefined;
  readonly Subject?: string | undefined;
  readonly MessageStructure?: string | undefined;
  readonly MessageAttributes?: Record<string, MessageAttributeValue> | undefined;
}

/** How a draft is judged. */
export interface DraftRules {
  /** Where the attributes are, as an error names it. @default 'messageAttributes' */
  readonly attributesPath?: string;
  /** The member of a `MessageStructure: json` message that may stand for the default. @default - none may */
  readonly textKey?: string;
}

/** A message that has been found fit to be published. */
export interface Draft {
  readonly body: string;
  readonly bodies: ReadonlyMap<string, string> | undefined;
  readonly subject: string | undefined;
  readonly attributes: MessageAttributes;
  /** Of the message and its attributes. */
  readonly sizeBytes: number;
}

export const MAX_MESSAGE_BYTES = 262_144;

const MAX_SUBJECT_LENGTH = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a subject may not have
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * The texts of a `MessageStructure: json` message. Members that are no strings are ignored, as SNS does. AWS does not say
 * what it makes of an empty one. Our choice: it is an empty message, whoever it is for.
 */
function textsByKey(
  text: string,
  textKey = 'default',
): { readonly body: string; readonly bodies: ReadonlyMap<string, string> } {
  const structure = jsonOrUndefined(text);
  // SNS names the parameter and not the position.
  if (structure === undefined) throw invalidParameter('Message Structure - JSON message body failed to parse');
  const members = isMembers(structure) ? Object.entries(structure) : [];
  const bodies = new Map(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
  const body = bodies.get(textKey) ?? bodies.get('default');
  if (body === undefined) throw invalidParameter('Message Structure - No default entry in JSON message body');
  if ([...bodies.values()].includes('')) throw invalidParameter('Empty message');
  return { body, bodies };
}

function checkSubject(subject: string): void {
  if (subject === '' || subject.length > MAX_SUBJECT_LENGTH || CONTROL_CHARACTER.test(subject)) {
    throw invalidParameter('Subject');
  }
}

/**
 * Judges what somebody wants published, wherever to. How long it may be depends on how it is published.
 *
 * SNS asks for UTF-8 text, and AWS does not say that it refuses control characters, as SQS does. Our choice: it takes them.
 * In an envelope they are escaped, and arrive; a queue with raw delivery refuses them, which is a client error.
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function draftOf(input: DraftInput, { attributesPath, textKey }: DraftRules = {}): Draft {
  const {
    Message: text = '',
    Subject: subject,
    MessageAttributes: attributes = NO_ATTRIBUTES,
    MessageStructure,
  } = input;
  if (subject !== undefined) checkSubject(subject);
  if (text === '') throw invalidParameter('Empty message');
  checkMessageAttributes(attributes, attributesPath);
  if (MessageStructure !== undefined && MessageStructure !== 'json') throw invalidParameter('MessageStructure');
  const sizeBytes = Buffer.byteLength(text) + attributeBytes(attributes);
  if (MessageStructure === undefined) return { body: text, bodies: undefined, subject, attributes, sizeBytes };
  const { body, bodies } = textsByKey(text, textKey);
  return { body, bodies, subject, attributes, sizeBytes };
}

/** @throws AwsError when a message published by itself is too long */
export function checkLength({ sizeBytes }: Draft): void {
  if (sizeBytes > MAX_MESSAGE_BYTES) throw invalidParameter('Message too long');
}

const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
const MAX_NAME_LENGTH = 256;

/** What is wrong with the name of a message attribute, in SNS's words. */
function nameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return 'Length of message attribute name must be less than 256 bytes.';
  if (name.startsWith('.')) return "Invalid message attribute name starting with character '.' was found.";
  if (name.endsWith('.')) return "Invalid message attribute name ending with character '.' was found.";
  if (name.includes('..')) return "Message attribute name can not have successive '.' character.";
  const stranger = [...name].find(character => !NAME_CHARACTER.test(character));
  if (stranger === undefined) return undefined;
  const code = stranger.codePointAt(0)?.toString(16).toUpperCase();
  return `Invalid non-alphanumeric character '#x${code}' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots.`;
}

/** What is wrong with a message attribute's type or value, in SNS's words. */
function valueProblem(name: string, attribute: MessageAttributeValue): string | undefined {
  const { DataType = '', StringValue = '' } = attribute;
  const kind = attributeKind(DataType);
  if (!kind) {
    return `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`;
  }
  const value = attributeValue(kind, attribute);
  const other = attributeValue(kind === 'Binary' ? 'String' : 'Binary', attribute);
  if (value === undefined && other !== undefined) {
    const field = kind === 'Binary' ? 'Binary' : 'String';
    return `The message attribute '${name}' with type '${DataType}' must use field '${field}'.`;
  }
  if (!value?.length) {
    return `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${DataType}'.`;
  }
  if (kind === 'Number' && !isNumberText(StringValue)) {
    return `Could not cast message attribute '${name}' value to number.`;
  }
  return undefined;
}

/**
 * Refuses the first message attribute SNS does not take.
 * @param path of the attributes in the request, as an error names it
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
export function checkMessageAttributes(
  attributes: Readonly<Record<string, MessageAttributeValue>>,
  path = 'messageAttributes',
): void {
  for (const name in attributes) {
    const attribute = attributes[name];
    if (attribute?.DataType === undefined) throw mustNotBeNull(`${path}.${name}.member.dataType`);
    const problem = nameProblem(name) ?? valueProblem(name, attribute);
    if (problem !== undefined) throw invalidAttributeValue(problem);
  }
}

/** What Publish, and each entry of PublishBatch, says of a message's group. */
export interface GroupInput {
  readonly Message?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly MessageGroupId?: string | undefined;
}

/** What a message of a standard topic says of its group. */
export interface StandardGroup {
  readonly kind: 'standard';
  /** What queues are fair by. */
  readonly groupId?: string;
}

/** What a message of a FIFO topic says of its group and of itself. */
export interface FifoGroup {
  readonly kind: 'fifo';
  /** The topic's. */
  readonly memory: FifoMemory;
  readonly groupId: string;
  readonly deduplicationId: string;
}

export type MessageGroup = StandardGroup | FifoGroup;

const NO_GROUP: StandardGroup = { kind: 'standard' };

/** AWS publishes the rule and not what it says of an id that breaks it: the words are ours. */
function checkId(parameter: string, id: string): void {
  if (!isToken(id)) {
    throw invalidParameter(`${parameter} Reason: must have 1 to 128 letters, digits and punctuation marks`);
  }
}

function fifoGroup(
  memory: FifoMemory,
  { Message = '', MessageGroupId, MessageDeduplicationId }: GroupInput,
): FifoGroup {
  if (!MessageGroupId) throw invalidParameter('The MessageGroupId parameter is required for FIFO topics');
  checkId('MessageGroupId', MessageGroupId);
  if (MessageDeduplicationId !== undefined) {
    checkId('MessageDeduplicationId', MessageDeduplicationId);
    return { kind: 'fifo', memory, groupId: MessageGroupId, deduplicationId: MessageDeduplicationId };
  }
  if (!memory.contentBasedDeduplication) {
    throw invalidParameter(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  const deduplicationId = createHash('sha256').update(Message).digest('hex');
  return { kind: 'fifo', memory, groupId: MessageGroupId, deduplicationId };
}

/**
 * The group of a message. On a standard topic it is what queues are fair by, and may be missing.
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
export function messageGroupOf({ fifo }: Topic, input: GroupInput): MessageGroup {
  if (fifo) return fifoGroup(fifo, input);
  if (input.MessageDeduplicationId !== undefined) {
    throw invalidParameter(
      'MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
    );
  }
  const { MessageGroupId: groupId } = input;
  if (groupId === undefined) return NO_GROUP;
  checkId('MessageGroupId', groupId);
  return { kind: 'standard', groupId };
}
