import { createHash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { isObject, jsonOrUndefined } from '../../kernel/json';
import { attributeBytes, attributeKind, attributeValue, isNumberText, isToken } from '../../kernel/messaging';
import { invalidAttributeValue, invalidParameter, mustNotBeNull } from '../errors';
import type { FifoMemory } from '../topic/fifo';
import type { Topic } from '../topic/topic-and-subscription';
import { type MessageAttributes, NO_ATTRIBUTES } from './message';

interface DraftInput {
  readonly Message?: string | undefined;
  readonly Subject?: string | undefined;
  readonly MessageStructure?: string | undefined;
  readonly MessageAttributes?: Record<string, MessageAttributeValue> | undefined;
}

/** How to check a message. */
interface DraftRules {
  /** The path of the attributes in the request, for error texts. @default 'messageAttributes' */
  readonly attributesPath?: string;
  /** The member of a `MessageStructure: json` message that may replace `default`. @default - none */
  readonly textKey?: string;
}

/** A checked message, ready to be published. */
export interface Draft {
  readonly body: string;
  readonly bodies: ReadonlyMap<string, string> | undefined;
  readonly subject: string | undefined;
  readonly attributes: MessageAttributes;
  readonly sizeBytes: number;
}

export const MAX_MESSAGE_BYTES = 262_144;

const MAX_SUBJECT_LENGTH = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a subject may not have
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * Reads the texts of a `MessageStructure: json` message. As in SNS, members that are not strings are ignored.
 * **Assumption SNS-37:** An empty member is an empty message.
 */
function textsByKey(
  text: string,
  textKey = 'default',
): { readonly body: string; readonly bodies: ReadonlyMap<string, string> } {
  const structure = jsonOrUndefined(text);
  // SNS names the parameter, but not the position of the error.
  if (structure === undefined) throw invalidParameter('Message Structure - JSON message body failed to parse');
  const members = isObject(structure) ? Object.entries(structure) : [];
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
 * Checks a message for any destination. The maximum length depends on the destination, so the caller checks it.
 * **Assumption SNS-38:** SNS asks for UTF-8 text and accepts control characters, which SQS refuses. An envelope escapes
 * them, so they arrive. A queue with raw message delivery refuses them, which is a client error.
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

/** Checks the size of a single message. `PublishBatch` checks the batch as a whole. */
export function checkLength({ sizeBytes }: Draft): void {
  if (sizeBytes > MAX_MESSAGE_BYTES) throw invalidParameter('Message too long');
}

const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
const MAX_NAME_LENGTH = 256;

/** Returns what is wrong with the name of a message attribute, in the words of SNS. */
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

/** Returns what is wrong with the type or value of a message attribute, in the words of SNS. */
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
 * Checks message attributes.
 * @param path of the attributes in the request, for error texts
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
function checkMessageAttributes(
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

interface GroupInput {
  readonly Message?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly MessageGroupId?: string | undefined;
}

interface StandardGroup {
  readonly kind: 'standard';
  /** Standard queues use it for fair queueing. */
  readonly groupId?: string;
}

/** The message group and deduplication id of a message to a FIFO topic. */
export interface FifoGroup {
  readonly kind: 'fifo';
  /** Of the topic. */
  readonly memory: FifoMemory;
  readonly groupId: string;
  readonly deduplicationId: string;
}

export type MessageGroup = StandardGroup | FifoGroup;

const NO_GROUP: StandardGroup = { kind: 'standard' };

/** **Assumption SNS-39:** AWS does not publish this text. AWS publishes only the rule. */
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
 * Returns the message group of a message. A standard topic passes an optional group id on to standard queues for fair
 * queueing.
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
