import { FILTER_LIMITS } from '../aws-limits';
import { eventFields, isSatisfied, type Wanted } from '../event-pattern/field-search';
import { isObject, type JsonObject } from '../json-members';
import { jsonOrUndefined } from '../json-text';
import { anyRuleHolds, type FilterValue } from './filter-conditions';
import { compileFilterPolicy, FilterPolicyError, type FilterPolicyScope } from './filter-tree';

/** The rule by which a filter policy rejected a message, named as in the metric that counts it. */
export type FilterReason =
  | 'MessageAttributes'
  | 'NoMessageAttributes'
  | 'InvalidAttributes'
  | 'MessageBody'
  | 'InvalidMessageBody';

interface FilteredMessage {
  readonly filterable: AttributeReading;
  /** Undefined when the body is not a JSON object. */
  readonly document: JsonObject | undefined;
}

/**
 * Decides which messages a subscription receives.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export class FilterPolicy {
  /** The ways to match: one for each combination of branches of every `$or`. */
  private readonly alternatives: readonly Wanted[];

  /** @param text the policy's JSON */
  constructor(
    readonly text: string,
    readonly scope: FilterPolicyScope,
  ) {
    if (Buffer.byteLength(text) > FILTER_LIMITS.bytes)
      throw new FilterPolicyError(`Filter policy is larger than ${FILTER_LIMITS.bytes} bytes`);
    this.alternatives = compileFilterPolicy(text, scope);
  }

  /** Returns why the policy rejects a message, or undefined when the message passes. */
  rejects(message: FilteredMessage): FilterReason | undefined {
    return this.scope === 'MessageBody' ? this.rejectsBody(message) : this.rejectsAttributes(message);
  }

  private rejectsBody(message: FilteredMessage): FilterReason | undefined {
    const { document } = message;
    if (!document) return 'InvalidMessageBody';
    const fields = eventFields(document);
    return this.alternatives.some(wanted => isSatisfied(wanted, fields)) ? undefined : 'MessageBody';
  }

  /**
   * "`exists: false` only matches if at least one attribute is present. An empty set of attributes results in the
   * filter not matching." **Assumption SNS-47:** AWS does not publish whether a binary attribute, which filters ignore,
   * is one. Here it is: a message with a binary attribute only and a policy with `exists: false` would show it.
   * @see https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html
   */
  private rejectsAttributes(message: FilteredMessage): FilterReason | undefined {
    const { values, hasAttributes, hasInvalid } = message.filterable;
    if (!hasAttributes) return 'NoMessageAttributes';
    const matches = this.alternatives.some(wanted =>
      wanted.every(([name, rules]) => anyRuleHolds(rules, values.get(name))),
    );
    if (matches) return undefined;
    return hasInvalid ? 'InvalidAttributes' : 'MessageAttributes';
  }
}

/** Message attributes as filter policies read them. A condition matches if one of an attribute's values matches. */
export interface AttributeReading {
  readonly values: ReadonlyMap<string, readonly FilterValue[]>;
  readonly hasAttributes: boolean;
  /** Whether the value of a `String.Array` attribute is not a valid array. */
  readonly hasInvalid: boolean;
}

/** A message attribute, as far as filter policies read it. */
interface FilteredAttribute {
  readonly DataType?: string | undefined;
  readonly StringValue?: string | undefined;
}

function isFilterValue(value: unknown): value is FilterValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function arrayValues(text: string): readonly FilterValue[] | undefined {
  const parsed = jsonOrUndefined(text);
  // An invalid array makes the message count as one with invalid attributes, which has a metric of its own.
  return Array.isArray(parsed) && parsed.every(isFilterValue) ? parsed : undefined;
}

function valuesOf({ DataType = '', StringValue = '' }: FilteredAttribute): readonly FilterValue[] | undefined {
  if (DataType === 'String.Array') return arrayValues(StringValue);
  if (/^Number(\.|$)/.test(DataType)) return [Number(StringValue)];
  return [StringValue];
}

/**
 * Reads message attributes as filter policies do. Filter policies ignore binary attributes.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 */
export function readAttributes(attributes: Readonly<Record<string, FilteredAttribute>>): AttributeReading {
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

/** Returns the JSON object in a text, or undefined when it is not a JSON object. */
export function parsedObject(text: string): JsonObject | undefined {
  const document = jsonOrUndefined(text);
  return isObject(document) ? document : undefined;
}
