import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { jsonOrUndefined } from '../../kernel/json';
import { attributeKind } from '../../kernel/message-attributes';
import type { FilterValue } from './conditions';

/** The message attributes a filter policy can look at, each with the values any of which may match. */
export interface AttributeReading {
  readonly values: ReadonlyMap<string, readonly FilterValue[]>;
  /** Whether the message carries any attribute at all. */
  readonly hasAttributes: boolean;
  /** Whether an attribute says it is an array and is none. */
  readonly hasInvalid: boolean;
}

function isFilterValue(value: unknown): value is FilterValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function arrayValues(text: string): readonly FilterValue[] | undefined {
  const parsed = jsonOrUndefined(text);
  // When it is no list, the message counts as having an invalid attribute, which a metric of its own tells.
  return Array.isArray(parsed) && parsed.every(isFilterValue) ? parsed : undefined;
}

function valuesOf({ DataType = '', StringValue = '' }: MessageAttributeValue): readonly FilterValue[] | undefined {
  if (DataType === 'String.Array') return arrayValues(StringValue);
  if (attributeKind(DataType) === 'Number') return [Number(StringValue)];
  return [StringValue];
}

/**
 * Reads message attributes as filter policies see them. Binary ones are invisible to them.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
export function readAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): AttributeReading {
  const values = new Map<string, readonly FilterValue[]>();
  let hasAttributes = false;
  let hasInvalid = false;
  for (const [name, attribute] of Object.entries(attributes)) {
    hasAttributes = true;
    if (attribute.DataType?.startsWith('Binary')) continue;
    const read = valuesOf(attribute);
    if (read) values.set(name, read);
    else hasInvalid = true;
  }
  return { values, hasAttributes, hasInvalid };
}
