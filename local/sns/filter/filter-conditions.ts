import {
  addressFamily,
  COMPARISONS,
  type Comparison,
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  inAddressBlock,
  type StringOperator,
  startsWith,
} from '../../event-pattern';
import { isObject } from '../../kernel/json';

export type { FieldValue as FilterValue };

/** One element of a key's list: a condition on its values, or on whether the key exists. */
export type Rule =
  | { readonly kind: 'value'; readonly matches: Condition }
  | { readonly kind: 'exists'; readonly wanted: boolean };

const STRING_OPERATORS: ReadonlyMap<string, StringOperator> = new Map([
  ['prefix', startsWith],
  ['suffix', endsWith],
  ['equals-ignore-case', equalsIgnoringCase],
]);

function stringCondition(operator: string, pattern: unknown): Condition | undefined {
  const make = STRING_OPERATORS.get(operator);
  if (!make) return undefined;
  if (typeof pattern !== 'string') throw new FilterPolicyError(`${operator} match pattern must be a string`);
  return make(pattern);
}

/** Returns the single operator of an object such as `{"prefix": "auto-"}`, and its operand. */
function onlyEntry(pattern: Readonly<Record<string, unknown>>): readonly [string, unknown] {
  const [entry, ...others] = Object.entries(pattern);
  if (!entry || others.length > 0) throw new FilterPolicyError('Only one key allowed in match expression');
  return entry;
}

const ANYTHING_BUT_OPERATORS: readonly string[] = ['prefix', 'suffix'];

function anythingBut(pattern: unknown): Condition {
  if (isObject(pattern)) {
    const [operator, operand] = onlyEntry(pattern);
    const unwanted = ANYTHING_BUT_OPERATORS.includes(operator) ? stringCondition(operator, operand) : undefined;
    if (!unwanted) throw new FilterPolicyError(`Unsupported anything-but pattern: ${operator}`);
    return value => !unwanted(value);
  }
  const unwanted: unknown[] = Array.isArray(pattern) ? pattern : [pattern];
  if (unwanted.length === 0) throw new FilterPolicyError('Empty arrays are not allowed');
  if (!unwanted.every(item => typeof item === 'string' || typeof item === 'number')) {
    throw new FilterPolicyError('Inside anything but list, start|null|boolean is not supported.');
  }
  return value => !unwanted.some(item => item === value);
}

const OPERATORS: ReadonlyMap<string, (pattern: unknown) => Condition> = new Map([
  ['anything-but', anythingBut],
  ['cidr', cidrCondition],
  ['numeric', numericCondition],
]);

/** Operator names. A member named like this makes `$or` an ordinary key. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys(), ...STRING_OPERATORS.keys(), 'exists'];

function operatorRule(pattern: Readonly<Record<string, unknown>>): Rule {
  const [operator, operand] = onlyEntry(pattern);
  if (operator === 'exists') {
    if (typeof operand === 'boolean') return { kind: 'exists', wanted: operand };
    throw new FilterPolicyError('exists match pattern must be either true or false.');
  }
  const matches = stringCondition(operator, operand) ?? OPERATORS.get(operator)?.(operand);
  if (!matches) throw new FilterPolicyError(`Unrecognized match type ${operator}`);
  return { kind: 'value', matches };
}

/**
 * Compiles one element of a key's list: a value to equal, or an operator.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
 * @throws FilterPolicyError
 */
export function compileRule(pattern: unknown): Rule {
  if (isObject(pattern)) return operatorRule(pattern);
  if (pattern === null || ['string', 'number', 'boolean'].includes(typeof pattern)) {
    return { kind: 'value', matches: value => value === pattern };
  }
  throw new FilterPolicyError('Match value must be String, number, true, false, or null');
}

/** Whether any rule of a key's list matches the values that a message has for the key. */
export function anyRuleHolds(rules: readonly Rule[], values: readonly FieldValue[] | undefined): boolean {
  return rules.some(rule =>
    rule.kind === 'exists' ? rule.wanted === (values !== undefined) : (values?.some(rule.matches) ?? false),
  );
}

const LOWER_BOUNDS: readonly unknown[] = ['>', '>='];
const UPPER_BOUNDS: readonly unknown[] = ['<', '<='];

/** The token that the JSON parser of AWS names in its error for a value. */
function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return '[';
  return isObject(value) ? '{' : String(value);
}

function boundAfter(operator: unknown, bound: unknown): number {
  if (typeof bound === 'number') return bound;
  throw new FilterPolicyError(`Value of ${operator === '=' ? 'equals' : operator} must be numeric`);
}

function comparisonOf(operator: unknown): Comparison {
  if (typeof operator !== 'string')
    throw new FilterPolicyError(`Invalid member in numeric match: ${tokenOf(operator)}`);
  const compare = COMPARISONS.get(operator);
  if (!compare) throw new FilterPolicyError(`Unrecognized numeric range operator: ${operator}`);
  return compare;
}

/** Compiles the second half of a range: an upper bound above the lower bound. */
function upperEnd(operator: unknown, bound: unknown, lower: number): Condition {
  if (typeof operator !== 'string') throw new FilterPolicyError(`Bad value in numeric range: ${tokenOf(operator)}`);
  const compare = UPPER_BOUNDS.includes(operator) ? COMPARISONS.get(operator) : undefined;
  if (!compare) throw new FilterPolicyError(`Bad numeric range operator: ${operator}`);
  const upper = boundAfter(operator, bound);
  if (upper <= lower) throw new FilterPolicyError('Bottom must be less than top');
  return value => typeof value === 'number' && compare(value, upper);
}

/**
 * Compiles `{"numeric": ["=", 5]}`, `{"numeric": [">", 0]}` or a range such as `{"numeric": [">", 0, "<=", 150]}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/numeric-value-matching.html
 * @throws FilterPolicyError
 */
function numericCondition(pattern: unknown): Condition {
  if (!Array.isArray(pattern)) throw new FilterPolicyError('Value of numeric must be an array.');
  if (pattern.length === 0) throw new FilterPolicyError('Invalid member in numeric match: ]');
  const [operator, bound, ...rest]: unknown[] = pattern;
  const compare = comparisonOf(operator);
  const first = boundAfter(operator, bound);
  const holds: Condition = value => typeof value === 'number' && compare(value, first);
  if (rest.length === 0) return holds;
  if (!LOWER_BOUNDS.includes(operator)) throw new FilterPolicyError('Too many elements in numeric expression');
  const upper = upperEnd(rest[0], rest[1], first);
  if (rest.length > 2) throw new FilterPolicyError('Too many terms in numeric range expression');
  return value => holds(value) && upper(value);
}

/**
 * Compiles `{"cidr": "10.0.0.0/24"}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 * @throws FilterPolicyError
 */
function cidrCondition(pattern: unknown): Condition {
  if (typeof pattern !== 'string') throw new FilterPolicyError('prefix match pattern must be a string');
  const [address = '', mask, ...rest] = pattern.split('/');
  if (mask === undefined || rest.length > 0) throw new FilterPolicyError("Malformed CIDR, one '/' required");
  const family = addressFamily(address);
  if (!family) throw new FilterPolicyError('Malformed CIDR, invalid IP address');
  if (!/^\d+$/.test(mask)) throw new FilterPolicyError('Malformed CIDR, mask bits must be an integer');
  if (Number(mask) > family.bits) throw new FilterPolicyError(`Malformed CIDR, mask bits must be < ${family.bits + 1}`);
  return inAddressBlock(address, family, Number(mask));
}

/** An invalid filter policy. `message` is the text of SNS, without the prefix that names the API parameter. */
export class FilterPolicyError extends Error {
  override readonly name = 'FilterPolicyError';
}
