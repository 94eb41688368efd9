import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { type MessageAttributes, NO_ATTRIBUTES } from '../message';

/** A message attribute as envelopes show it. */
interface EnvelopedAttribute {
  readonly Type: string;
  readonly Value: string;
}

function enveloped({ DataType = '', StringValue, BinaryValue }: MessageAttributeValue): EnvelopedAttribute {
  const Value = BinaryValue === undefined ? (StringValue ?? '') : Buffer.from(BinaryValue).toString('base64');
  return { Type: DataType, Value };
}

export function envelopedAttributes(attributes: MessageAttributes): Readonly<Record<string, EnvelopedAttribute>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, enveloped(attribute)]));
}

/** ASCII that JSON leaves as it is. */
const AS_IT_IS = /^[ !#-[\]-~]*$/;

/** How long a text is in JSON and UTF-8, without its quotes. */
export function jsonBytes(text: string): number {
  return AS_IT_IS.test(text) ? text.length : Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** One member as SNS lays its envelopes out: each on a line of its own. */
export function memberLine(name: string, value: string): string {
  return `  "${name}" : ${JSON.stringify(value)}`;
}

/** The member `MessageAttributes`, laid out; undefined for a message without any. */
export function attributesLine(attributes: MessageAttributes): string | undefined {
  if (attributes === NO_ATTRIBUTES) return undefined;
  const members = Object.entries(envelopedAttributes(attributes));
  if (members.length === 0) return undefined;
  const lines = members.map(([name, value]) => `    ${JSON.stringify(name)} : ${JSON.stringify(value)}`);
  return `  "MessageAttributes" : {\n${lines.join(',\n')}\n  }`;
}

/** A whole envelope, of members that are all texts; those without a value are left out. */
export function laidOut(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [memberLine(name, value)],
  );
  return `{\n${lines.join(',\n')}\n}`;
}
