import { EventPatternError, type LocatedJson, type Refusals } from '../event-pattern/located-json';
import type { NumberRules } from '../event-pattern/numeric';
import {
  anythingBut,
  numericOperator,
  type Operators,
  onText,
  operatorRule,
  type Rule,
} from '../event-pattern/operators';
import {
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  inAddressBlock,
  startsWith,
  wildcardAt,
  wildcardCount,
} from '../event-pattern/string-conditions';
import { parseAddress } from '../ip-address';

export type { FieldValue as FilterValue, Rule };

const DIGITS = 100_000;

/**
 * SNS compares numbers from minus to plus one billion, with five digits after the decimal point. **Assumption SNS-46:**
 * AWS does not publish whether further digits are rounded or cut off (a policy on 0.00001 and a message with 0.000014
 * and 0.000016 would show it), nor the text for a number out of range, which here has the form of EventBridge's.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
const NUMBERS: NumberRules = {
  largest: 1e9,
  range: '-1.0E9 and 1.0E9',
  rounded: value => (Math.abs(value) <= 1e9 ? Math.round(value * DIGITS) / DIGITS : value),
};

/**
 * The operators inside `{"anything-but": {…}}`. AWS documents `prefix` and `wildcard`, each with one string. It refused
 * `suffix` and `exists` when that was recorded on AWS in May 2024, and its announcement of July 2025 adds neither.
 * @see https://aws.amazon.com/about-aws/whats-new/2025/07/amazon-sns-message-filtering-operators/
 */
const UNWANTED: Operators = new Map([
  ['prefix', onText('prefix', startsWith)],
  ['wildcard', wildcardAt],
]);

const OPERATORS: Operators = new Map([
  ['anything-but', anythingBut(UNWANTED, NUMBERS)],
  // SNS's error for a cidr that is not a string says "prefix", not "cidr".
  ['cidr', onText('prefix', cidrCondition)],
  ['equals-ignore-case', onText('equals-ignore-case', equalsIgnoringCase)],
  ['numeric', numericOperator(NUMBERS)],
  ['prefix', onText('prefix', startsWith)],
  ['suffix', onText('suffix', endsWith)],
  ['wildcard', wildcardAt],
]);

/** Operator names. A member named like this makes `$or` an ordinary key. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys(), 'exists'];

/**
 * Compiles one element of a key's list: a value to equal, or an operator.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
 */
export function compileRule(item: LocatedJson, refusals: Refusals): Rule {
  switch (item.kind) {
    case 'object':
      return operatorRule(item, refusals, OPERATORS);
    case 'array':
      throw refusals.at(item.metAt, 'Match value must be String, number, true, false, or null');
    case 'number': {
      const wanted = NUMBERS.rounded(item.value);
      return { kind: 'value', holds: value => typeof value === 'number' && NUMBERS.rounded(value) === wanted };
    }
    default: {
      const { value: wanted } = item;
      return { kind: 'value', holds: value => value === wanted };
    }
  }
}

/** Whether any rule of a key's list matches the values that a message has for the key. */
export function anyRuleHolds(rules: readonly Rule[], values: readonly FieldValue[] | undefined): boolean {
  return rules.some(rule =>
    rule.kind === 'exists' ? rule.wanted === (values !== undefined) : (values?.some(rule.holds) ?? false),
  );
}

export function wildcardsOf(rules: readonly Rule[]): readonly number[] {
  return rules.flatMap(rule => (rule.kind === 'value' ? (rule.wildcards ?? []).map(wildcardCount) : []));
}

/**
 * Compiles `{"cidr": "10.0.0.0/24"}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 */
function cidrCondition(block: string): Condition {
  const [address = '', mask, ...rest] = block.split('/');
  if (mask === undefined || rest.length > 0) throw new EventPatternError("Malformed CIDR, one '/' required");
  const network = parseAddress(address);
  if (!network) throw new EventPatternError('Malformed CIDR, invalid IP address');
  if (!/^\d+$/.test(mask)) throw new EventPatternError('Malformed CIDR, mask bits must be an integer');
  if (Number(mask) > network.bits) {
    throw new EventPatternError(`Malformed CIDR, mask bits must be < ${network.bits + 1}`);
  }
  return inAddressBlock(network, Number(mask));
}
