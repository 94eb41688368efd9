import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { attributeKind, attributeValue, isNumberText } from '../../kernel/message-attributes';
import { invalidAttributeValue } from '../errors';
import { mustNotBeNull } from '../not-null';

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
