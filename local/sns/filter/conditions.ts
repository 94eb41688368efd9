import {
  type Condition,
  endsWith,
  equalsIgnoringCase,
  type FieldValue,
  type StringOperator,
  startsWith,
} from '../../event-pattern';
import { isMembers } from '../../kernel/json';
import { cidrCondition } from './cidr';
import { FilterPolicyError } from './filter-policy-error';
import { numericCondition } from './numeric';

export type { FieldValue as FilterValue };

/** One element of a key's list: a condition on its values, or on whether it has any. */
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

/** The one operator of an object such as `{"prefix": "auto-"}`, and what it is given. */
function onlyEntry(pattern: Readonly<Record<string, unknown>>): readonly [string, unknown] {
  const [entry, ...others] = Object.entries(pattern);
  if (!entry || others.length > 0) throw new FilterPolicyError('Only one key allowed in match expression');
  return entry;
}

const ANYTHING_BUT_OPERATORS: readonly string[] = ['prefix', 'suffix'];

function anythingBut(pattern: unknown): Condition {
  if (isMembers(pattern)) {
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

/** The words that cannot be names of keys inside an `$or`. */
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
  if (isMembers(pattern)) return operatorRule(pattern);
  if (pattern === null || ['string', 'number', 'boolean'].includes(typeof pattern)) {
    return { kind: 'value', matches: value => value === pattern };
  }
  throw new FilterPolicyError('Match value must be String, number, true, false, or null');
}

/** Whether any rule of a key's list holds for the values a message shows for the key. */
export function anyRuleHolds(rules: readonly Rule[], values: readonly FieldValue[] | undefined): boolean {
  return rules.some(rule =>
    rule.kind === 'exists' ? rule.wanted === (values !== undefined) : (values?.some(rule.matches) ?? false),
  );
}
