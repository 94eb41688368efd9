import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { attributeKind, attributeValue, isNumberText } from '../kernel/message-attributes';
import { invalidParameterValue } from './errors';
import { MAX_MESSAGE_ATTRIBUTES } from './limits';
import { isSendable } from './sendable';

export type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

/** AWS documents A to Z; on record is that it takes letters of other scripts too. */
const NAME_CHARACTERS = /^[\p{L}\p{N}_.-]{1,256}$/u;

/** The first rule an attribute's name breaks, in AWS's words as far as they are known. */
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

/**
 * @throws AwsError for the first attribute AWS would refuse
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
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

/** The attributes a receiver asked for, by name, by `prefix.*`, or all of them; undefined when there are none. */
export function selectAttributes(
  attributes: MessageAttributes,
  wanted: readonly string[],
): Record<string, MessageAttributeValue> | undefined {
  if (wanted.length === 0) return undefined;
  const selected = Object.entries(attributes).filter(([name]) => wanted.some(wish => isMeant(name, wish)));
  // An attribute may have any name, `__proto__` too, which an assignment would lose.
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
