import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { isMembers, jsonOrUndefined } from '../../kernel/json';
import { attributeBytes } from '../../kernel/message-attributes';
import { invalidParameter } from '../errors';
import { type MessageAttributes, NO_ATTRIBUTES } from '../message';
import { checkMessageAttributes } from './message-attribute-rules';

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
