import { isMembers } from '../kernel/json';
import { CONDITION_OPERATORS, type ConditionOperator } from './condition-operators';
import { type PolicyPattern, policyPattern, variablesIn } from './policy-variables';
import { type ContextLookup, isKnownKey, keyName } from './request-context';

/** One comparison of a `Condition` block. Answers why it does not hold, or undefined when it does. */
export type Condition = (context: ContextLookup) => string | undefined;

export interface ConditionReading {
  /** Version 2012-10-17 has policy variables, 2008-10-17 has none. */
  readonly variables: boolean;
  readonly note: (problem: string) => void;
}

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(.+?)(IfExists)?$/;

/**
 * Compiles a `Condition` block: every comparison in it must hold.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition.html
 */
export function compileConditions(block: unknown, reading: ConditionReading): readonly Condition[] {
  if (block === undefined) return [];
  if (!isMembers(block)) {
    reading.note('Condition must be an object');
    return [];
  }
  return Object.entries(block).flatMap(([operator, comparisons]) => {
    if (isMembers(comparisons)) {
      return Object.entries(comparisons).flatMap(([key, wanted]) => compileCondition(operator, key, wanted, reading));
    }
    reading.note(`Condition.${operator} must be an object`);
    return [];
  });
}

function compileCondition(name: string, key: string, wanted: unknown, reading: ConditionReading): readonly Condition[] {
  const at = `Condition.${name}.${key}`;
  const values = textsOf(wanted, at, reading.note);
  const unknown = [key, ...values.flatMap(value => (reading.variables ? variablesIn(value) : []))].filter(
    asked => !isKnownKey(asked),
  );
  for (const asked of unknown) {
    reading.note(`${at}: the condition key ${asked} is not implemented by the embedded AWS`);
  }
  const [, quantifier, base = '', ifExists] = OPERATOR.exec(name) ?? [];
  if (base === 'Null' && quantifier === undefined && ifExists === undefined)
    return nullCondition(at, key, values, reading);
  const operator = CONDITION_OPERATORS.get(base);
  if (!operator) {
    reading.note(`${at}: the condition operator ${name} is not implemented by the embedded AWS`);
    return [];
  }
  for (const value of values) {
    const problem = operator.valueProblem?.(value);
    if (problem !== undefined && variablesIn(value).length === 0) reading.note(`${at} ${problem}, got "${value}"`);
  }
  const absent = holdsWhenAbsent(operator, quantifier, ifExists !== undefined);
  return [comparison({ name, key, values, operator, absent, variables: reading.variables })];
}

/**
 * What a missing key means: nothing matches it, so negated operators hold; `…IfExists` and `ForAllValues` ask nothing of
 * it; `ForAnyValue` wants at least one value, whatever the operator.
 */
function holdsWhenAbsent({ negated }: ConditionOperator, quantifier: string | undefined, ifExists: boolean): boolean {
  if (ifExists || quantifier === 'ForAllValues') return true;
  return negated && quantifier !== 'ForAnyValue';
}

interface Comparing {
  readonly name: string;
  readonly key: string;
  readonly values: readonly string[];
  readonly operator: ConditionOperator;
  readonly absent: boolean;
  readonly variables: boolean;
}

/** Every key here has at most one value, so both quantifiers come to the same once it is there. */
function comparison({ name, key, values, operator, absent, variables }: Comparing): Condition {
  const { parse, compile, negated } = operator;
  const patterns = values.map((value): PolicyPattern => policyPattern(value, { variables, parse, compile }));
  const wanted = `${name} ${key} wants ${values.join(' or ')}`;
  const lookedUp = keyName(key);
  return context => {
    const actual = context(lookedUp);
    if (actual === undefined) return absent ? undefined : `${wanted}, the request has no ${key}`;
    const matched = patterns.some(pattern => pattern(actual, context));
    return matched === negated ? `${wanted}, got ${actual}` : undefined;
  };
}

function nullCondition(
  at: string,
  key: string,
  values: readonly string[],
  { note }: ConditionReading,
): readonly Condition[] {
  const [value] = values;
  if (values.length !== 1 || (value !== 'true' && value !== 'false')) {
    note(`${at} must be true or false`);
    return [];
  }
  const mustBeAbsent = value === 'true';
  return [
    context => {
      const absent = context(keyName(key)) === undefined;
      if (absent === mustBeAbsent) return undefined;
      return `Null ${key} wants it ${mustBeAbsent ? 'absent' : 'present'}, it is ${absent ? 'absent' : 'present'}`;
    },
  ];
}

function textsOf(wanted: unknown, at: string, note: (problem: string) => void): readonly string[] {
  const list: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  const texts = list.filter(
    value => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  if (texts.length < list.length || texts.length === 0) note(`${at} must be a string, or a list of strings`);
  return texts.map(String);
}
