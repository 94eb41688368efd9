import { anythingButCondition } from './anything-but';
import { cidrCondition, equalsString } from './cidr';
import {
  type Condition,
  endsWith,
  endsWithIgnoringCase,
  equalsIgnoringCase,
  type StringOperator,
  startsWith,
  startsWithIgnoringCase,
} from './condition';
import type { Refusals } from './event-pattern-error';
import type { LocatedJson, LocatedObject } from './located-json';
import { numericCondition } from './numeric';
import { wildcardAt } from './wildcard-at';

/** One element of a field's list: a condition on its values, or on whether it has any. */
export type Rule =
  | { readonly kind: 'value'; readonly holds: Condition }
  | { readonly kind: 'exists'; readonly wanted: boolean };

/** Makes the condition of an operator from what it is given. */
type Operator = (operand: LocatedJson, refusals: Refusals) => Condition;

function onText(name: string, make: StringOperator): Operator {
  return (operand, refusals) => {
    if (operand.kind !== 'string') throw refusals.at(operand.metAt, `${name} match pattern must be a string`);
    return make(operand.value);
  };
}

/** A prefix or a suffix: a string, or a string whatever its case. */
function end(name: 'prefix' | 'suffix', make: StringOperator, makeIgnoringCase: StringOperator): Operator {
  const plain = onText(name, make);
  const ignoringCase = onText('equals-ignore-case', makeIgnoringCase);
  return (operand, refusals) => {
    if (operand.kind !== 'object') return plain(operand, refusals);
    const { name: inner, value } = onlyMember(operand, refusals, `${capitalized(name)} expression name not found`);
    if (inner !== 'equals-ignore-case') throw refusals.at(value.metAt, `Unsupported ${name} pattern: ${inner}`);
    return ignoringCase(value, refusals);
  };
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['exactly', onText('exact', wanted => value => value === wanted)],
  ['equals-ignore-case', onText('equals-ignore-case', equalsIgnoringCase)],
  ['prefix', end('prefix', startsWith, startsWithIgnoringCase)],
  ['suffix', end('suffix', endsWith, endsWithIgnoringCase)],
  ['anything-but', anythingButCondition],
  ['wildcard', wildcardAt],
  [
    'numeric',
    (operand, refusals) => {
      if (operand.kind !== 'array') throw refusals.at(operand.metAt, 'Value of numeric must be an array.');
      return numericCondition(operand, refusals);
    },
  ],
  // AWS's own text names the prefix.
  ['cidr', onText('prefix', cidrCondition)],
]);

/** The one member of an object such as `{"prefix": "auto-"}`. */
function onlyMember(
  object: LocatedObject,
  refusals: Refusals,
  whenEmpty: string,
): { readonly name: string; readonly value: LocatedJson } {
  const [member, second] = object.members;
  if (!member) throw refusals.at(object.endAt, whenEmpty);
  if (second) throw refusals.at(second.value.metAt, 'Only one key allowed in match expression');
  return member;
}

function operatorRule(object: LocatedObject, refusals: Refusals): Rule {
  const { name, value } = onlyMember(object, refusals, 'Match expression name not found');
  if (name === 'exists') {
    if (value.kind === 'literal' && value.value !== null) return { kind: 'exists', wanted: value.value };
    throw refusals.at(value.metAt, 'exists match pattern must be either true or false.');
  }
  const operator = OPERATORS.get(name);
  if (!operator) throw refusals.at(value.metAt, `Unrecognized match type ${name}`);
  return { kind: 'value', holds: operator(value, refusals) };
}

/**
 * Compiles one element of a field's list: a value to equal, or an operator.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 * @throws EventPatternError
 */
export function compileRule(item: LocatedJson, refusals: Refusals): Rule {
  switch (item.kind) {
    case 'object':
      return operatorRule(item, refusals);
    case 'array':
      throw refusals.at(item.metAt, 'Match value must be String, number, true, false, or null');
    case 'string':
      return { kind: 'value', holds: equalsString(item.value) };
    default: {
      const { value: wanted } = item;
      return { kind: 'value', holds: value => value === wanted };
    }
  }
}
