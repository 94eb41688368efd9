import type { LocatedArray, LocatedJson, LocatedObject, LocatedScalar, Refusals } from './located-json';
import { EVENT_NUMBERS, type NumberRules, numericCondition } from './numeric';
import {
  anyOf,
  type Condition,
  cidrCondition,
  endsWith,
  endsWithIgnoringCase,
  equalsIgnoringCase,
  equalsString,
  type FieldValue,
  not,
  type StringOperator,
  startsWith,
  startsWithIgnoringCase,
  wildcardAt,
} from './string-conditions';

/** One element of a field's list: a condition on its values, or on whether the field exists. */
export type Rule =
  | {
      readonly kind: 'value';
      readonly holds: Condition;
      /** The valid wildcards in its operand. @default - none */
      readonly wildcards?: readonly string[];
    }
  | { readonly kind: 'exists'; readonly wanted: boolean };

export type Operator = (operand: LocatedJson, refusals: Refusals) => Condition;

export type Operators = ReadonlyMap<string, Operator>;

/** An operator whose operand must be a string. @param name as in the error text of AWS */
export function onText(name: string, make: StringOperator): Operator {
  return (operand, refusals) => {
    if (operand.kind !== 'string') throw refusals.at(operand.metAt, `${name} match pattern must be a string`);
    return make(operand.value);
  };
}

/** The operator `prefix` or `suffix`: its operand is a string, or an `equals-ignore-case` object. */
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

/** The operator `numeric`. */
export function numericOperator(rules: NumberRules): Operator {
  return (operand, refusals) => {
    if (operand.kind !== 'array') throw refusals.at(operand.metAt, 'Value of numeric must be an array.');
    return numericCondition(operand, refusals, rules);
  };
}

/** The operators inside `{"anything-but": {…}}`. */
const UNWANTED: Operators = new Map([
  ['prefix', unwantedBy(unwantedEnd(startsWith))],
  ['suffix', unwantedBy(unwantedEnd(endsWith))],
  [
    'equals-ignore-case',
    unwantedBy({
      otherwise: 'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.',
      condition: ({ value }) => equalsIgnoringCase(value),
    }),
  ],
  ['wildcard', unwantedBy({ otherwise: 'wildcard match pattern must be a string', condition: wildcardAt })],
]);

const EVENT_OPERATORS: Operators = new Map([
  ['exactly', onText('exact', wanted => value => value === wanted)],
  ['equals-ignore-case', onText('equals-ignore-case', equalsIgnoringCase)],
  ['prefix', end('prefix', startsWith, startsWithIgnoringCase)],
  ['suffix', end('suffix', endsWith, endsWithIgnoringCase)],
  ['anything-but', anythingBut(UNWANTED, EVENT_NUMBERS)],
  ['wildcard', wildcardAt],
  ['numeric', numericOperator(EVENT_NUMBERS)],
  // EventBridge's error for a cidr that is not a string says "prefix", not "cidr".
  ['cidr', onText('prefix', cidrCondition)],
]);

/** Returns the single member of an object such as `{"prefix": "auto-"}`. */
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

/** Compiles an element that is an object: an operator and its operand. */
export function operatorRule(object: LocatedObject, refusals: Refusals, operators: Operators): Rule {
  const { name, value } = onlyMember(object, refusals, 'Match expression name not found');
  if (name === 'exists') {
    if (value.kind === 'literal' && value.value !== null) return { kind: 'exists', wanted: value.value };
    throw refusals.at(value.metAt, 'exists match pattern must be either true or false.');
  }
  const operator = operators.get(name);
  if (!operator) throw refusals.at(value.metAt, `Unrecognized match type ${name}`);
  return { kind: 'value', holds: operator(value, refusals), wildcards: wildcardsIn(name, value) };
}

function wildcardsIn(operator: string, operand: LocatedJson): readonly string[] {
  if (operand.kind === 'object') return operand.members.flatMap(({ name, value }) => wildcardsIn(name, value));
  if (operand.kind === 'array') return operand.items.flatMap(item => wildcardsIn(operator, item));
  return operator === 'wildcard' && operand.kind === 'string' ? [operand.value] : [];
}

/**
 * Compiles one element of a field's list: a value to equal, or an operator.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export function compileRule(item: LocatedJson, refusals: Refusals): Rule {
  switch (item.kind) {
    case 'object':
      return operatorRule(item, refusals, EVENT_OPERATORS);
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

type LocatedString = LocatedScalar & { readonly kind: 'string' };

/** An operand of `{"anything-but": {…}}`: how to compile a string, and the error text of AWS for other values. */
interface Unwanted {
  readonly otherwise: string;
  condition(text: LocatedString, refusals: Refusals): Condition;
}

/** An empty prefix or suffix would exclude every string. */
function unwantedEnd(make: StringOperator): Unwanted {
  return {
    otherwise: 'prefix/suffix match pattern must be a string',
    condition(text, refusals) {
      if (text.value === '') throw refusals.at(text.endAt, 'Null prefix/suffix not allowed');
      return make(text.value);
    },
  };
}

function scalarOrList(operand: LocatedJson, refusals: Refusals): LocatedArray | LocatedScalar {
  if (operand.kind === 'object' || operand.kind === 'literal') {
    const reason = 'Value of anything-but must be an array or single string/number value.';
    throw refusals.at(operand.metAt, reason);
  }
  return operand;
}

/** An operator whose operand is a string or a list of strings. */
function unwantedBy({ otherwise, condition }: Unwanted): Operator {
  return (operand, refusals) => {
    const given = scalarOrList(operand, refusals);
    if (given.kind === 'string') return condition(given, refusals);
    if (given.kind !== 'array') throw refusals.at(given.metAt, otherwise);
    return anyOf(
      given.items.map(item => {
        if (item.kind !== 'string') throw refusals.insideList(item.metAt, otherwise);
        return condition(item, refusals);
      }),
    );
  };
}

function unwantedValues(operand: LocatedJson, refusals: Refusals, { rounded }: NumberRules): Condition {
  const compared = (value: FieldValue): FieldValue => (typeof value === 'number' ? rounded(value) : value);
  const given = scalarOrList(operand, refusals);
  if (given.kind !== 'array') {
    const unwanted = compared(given.value);
    return value => compared(value) === unwanted;
  }
  const values = given.items.map(item => {
    if (item.kind === 'string' || item.kind === 'number') return compared(item.value);
    const reason = 'Inside anything but list, start|null|boolean is not supported.';
    throw refusals.insideList(item.metAt, reason);
  });
  if (new Set(values.map(value => typeof value)).size !== 1) {
    const reason = 'Inside anything but list, either all values are number or string, mixed type is not supported';
    throw refusals.at(given.endAt, reason);
  }
  const set = new Set<unknown>(values);
  return value => set.has(compared(value));
}

function unwantedByOperator(object: LocatedObject, refusals: Refusals, operators: Operators): Condition {
  const [member, second] = object.members;
  if (!member) throw refusals.at(object.endAt, 'Anything-But expression name not found');
  const unwanted = operators.get(member.name);
  if (!unwanted) throw refusals.at(member.value.metAt, `Unsupported anything-but pattern: ${member.name}`);
  const condition = unwanted(member.value, refusals);
  if (second) throw refusals.at(second.value.metAt, 'Too many elements in numeric expression');
  return condition;
}

/**
 * Returns the operator `{"anything-but": …}`. The operand is a string, a number, a list of either, or an object with one
 * of `operators`. Any other value of the field matches, but the field must exist.
 * @see
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-anything-but
 */
export function anythingBut(operators: Operators, numbers: NumberRules): Operator {
  return (operand, refusals) =>
    not(
      operand.kind === 'object'
        ? unwantedByOperator(operand, refusals, operators)
        : unwantedValues(operand, refusals, numbers),
    );
}
