import { createHash, type Hash, hash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { MAX_MESSAGE_ATTRIBUTES } from '../../../policy/aws-limits';
import { attributeKind, attributeValue, isNumberText } from '../../kernel/messaging';
import { invalidParameterValue } from '../errors';

export type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

/** AWS documents A to Z. Recorded: it also accepts characters of other scripts. */
const NAME_CHARACTERS = /^[\p{L}\p{N}_.-]{1,256}$/u;

/** The rules for an attribute's name, with the texts of AWS as far as they are known. */
const NAME_RULES: readonly { readonly holds: (name: string) => boolean; readonly text: (name: string) => string }[] = [
  {
    holds: name => NAME_CHARACTERS.test(name),
    text: name =>
      `The message attribute name '${name}' is invalid. Attribute name can contain A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters.`,
  },
  {
    holds: name => !/^(aws|amazon)\./i.test(name),
    text: () => 'You cannot use message attribute name starting with AWS. or Amazon.',
  },
  {
    holds: name => !name.startsWith('.') && !name.endsWith('.') && !name.includes('..'),
    text: () => `Invalid message attribute name: it cannot begin or end with a period, or have two in a row.`,
  },
];

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html */
export function checkMessageAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > MAX_MESSAGE_ATTRIBUTES) {
    throw invalidParameterValue(
      `Number of message attributes [${entries.length}] exceeds the maximum allowed [${MAX_MESSAGE_ATTRIBUTES}].`,
    );
  }
  for (const [name, value] of entries) {
    const broken = NAME_RULES.find(({ holds }) => !holds(name));
    if (broken) throw invalidParameterValue(broken.text(name));
    checkValue(name, value);
  }
}

/** Returns the attributes that a receiver asked for, by name, by `prefix.*`, or all. Undefined when there are none. */
export function selectAttributes(
  attributes: MessageAttributes,
  wanted: readonly string[],
): Record<string, MessageAttributeValue> | undefined {
  if (wanted.length === 0) return undefined;
  const selected = Object.entries(attributes).filter(([name]) => wanted.some(wish => isMeant(name, wish)));
  // `fromEntries` also keeps an attribute named `__proto__`, which an assignment would lose.
  return selected.length > 0 ? Object.fromEntries(selected) : undefined;
}

function isMeant(name: string, wish: string): boolean {
  return wish === 'All' || (wish.endsWith('.*') ? name.startsWith(wish.slice(0, -2)) : wish === name);
}

function checkValue(name: string, attribute: MessageAttributeValue): void {
  const { DataType, StringValue } = attribute;
  if (!DataType) {
    throw invalidParameterValue(
      `The message (user) attribute '${name}' must contain a non-empty message attribute type.`,
    );
  }
  const kind = attributeKind(DataType);
  if (kind === undefined) {
    throw invalidParameterValue(
      `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
    );
  }
  const value = attributeValue(kind, attribute);
  if (value === undefined || value.length === 0) {
    throw invalidParameterValue(`Message (user) attribute '${name}' must contain a non-empty value of type '${kind}'.`);
  }
  if (StringValue !== undefined && !isSendable(StringValue)) {
    throw invalidParameterValue(`Message (user) attribute '${name}' contains characters that are not allowed.`);
  }
  if (kind === 'Number' && !isNumberText(StringValue ?? '')) {
    throw invalidParameterValue(`Can't cast the value of message (user) attribute '${name}' to a number.`);
  }
}

const STRING_VALUE = Buffer.of(1);
const BINARY_VALUE = Buffer.of(2);

/** Returns the MD5 digest in hexadecimal, as SDKs verify it. */
export function md5OfText(text: string): string {
  return hash('md5', text, 'hex');
}

/** Returns the SHA-256 digest in hexadecimal. */
export function sha256OfText(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * Returns the MD5 digest of message attributes, as SQS answers it. Input, sorted by name: the name, the data type, one
 * byte for the kind of value, and the value. Each text follows its length in four bytes.
 * @returns undefined when there are no attributes
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function md5OfAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const md5 = createHash('md5');
  for (const name of names) {
    const value = attributes[name];
    addMeasured(md5, Buffer.from(name));
    addMeasured(md5, Buffer.from(value?.DataType ?? ''));
    md5.update(value?.BinaryValue ? BINARY_VALUE : STRING_VALUE);
    addMeasured(md5, value?.BinaryValue ?? Buffer.from(value?.StringValue ?? ''));
  }
  return md5.digest('hex');
}

function addMeasured(md5: Hash, bytes: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  md5.update(length).update(bytes);
}

/** Characters that XML 1.0 cannot carry: control characters, lone surrogates and the two non-characters. */
const UNSENDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Whether a body or a text attribute may contain the text.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export function isSendable(text: string): boolean {
  return !UNSENDABLE.test(text);
}
