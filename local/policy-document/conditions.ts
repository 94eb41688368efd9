import { BlockList, isIP } from 'node:net';
import {
  arnMatcher,
  literalPattern,
  type Matcher,
  type Pattern,
  parsePattern,
  wildcardMatcher,
} from '../../template/access/wildcard';
import { utcInstantMs } from '../kernel/clock';
import { isObject } from '../kernel/json';
import {
  type ContextLookup,
  isKnownKey,
  keyName,
  type PolicyPattern,
  policyPattern,
  variablesIn,
} from './request-context';

/** One comparison of a `Condition` block. Returns why it is false, or undefined when it is true. */
export type Condition = (context: ContextLookup) => string | undefined;

interface ConditionReading {
  /** Whether the policy can have variables: version 2012-10-17 does, 2008-10-17 does not. */
  readonly variables: boolean;
  /** Of the statement. */
  readonly effect: 'Allow' | 'Deny';
  readonly note: (problem: string) => void;
  readonly noteNotSimulated: (problem: string) => void;
}

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(.+?)(IfExists)?$/;

/**
 * Compiles a `Condition` block. All its comparisons must be true.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition.html
 */
export function compileConditions(block: unknown, reading: ConditionReading): readonly Condition[] {
  if (block === undefined) return [];
  if (!isObject(block)) {
    reading.note('Condition must be an object');
    return [];
  }
  return Object.entries(block).flatMap(([operator, comparisons]) => {
    if (isObject(comparisons)) {
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
    reading.noteNotSimulated(`${at}: the condition key ${asked} is not implemented by the embedded AWS`);
  }
  const compiled = compileKnown(name, key, values, reading);
  return unknown.reduce((conditions, asked) => conditions.map(it => uncertain(it, asked, reading.effect)), compiled);
}

/** Keys about the resource or the request, which requests of AWS services can have too. */
const ALSO_OF_SERVICES = /^aws:(?:resourcetag|requesttag|tagkeys)/i;

/**
 * A condition on a key that is not simulated. Requests of AWS services do not have the keys that tell about a principal or its
 * network. For other requests the value is unknown: the condition is not met in an Allow statement, and met in a Deny
 * statement, so that the simulation allows nothing that AWS may refuse.
 */
function uncertain(condition: Condition, asked: string, effect: 'Allow' | 'Deny'): Condition {
  return context => {
    if (context('aws:principalisawsservice') === 'true' && !ALSO_OF_SERVICES.test(asked)) return condition(context);
    return effect === 'Deny' ? undefined : `the condition key ${asked} is not simulated`;
  };
}

function compileKnown(
  name: string,
  key: string,
  values: readonly string[],
  reading: ConditionReading,
): readonly Condition[] {
  const at = `Condition.${name}.${key}`;
  const [, quantifier, base = '', ifExists] = OPERATOR.exec(name) ?? [];
  if (base === 'Null' && quantifier === undefined && ifExists === undefined)
    return nullCondition(at, key, values, reading);
  const operator = CONDITION_OPERATORS.get(base);
  if (!operator) {
    reading.note(`${at}: there is no condition operator ${name}`);
    return [];
  }
  for (const value of values) {
    const problem = operator.valueProblem?.(value);
    if (problem !== undefined && variablesIn(value).length === 0) reading.note(`${at} ${problem}, got "${value}"`);
  }
  const absent = holdsWhenAbsent(operator, quantifier, ifExists !== undefined);
  const isForAll = quantifier === 'ForAllValues';
  return [comparison({ name, key, values, operator, absent, isForAll, variables: reading.variables })];
}

/**
 * The result when the request lacks the key. Nothing matches, so negated operators are true. `…IfExists` and
 * `ForAllValues` are true. `ForAnyValue` is false with any operator, because it needs at least one value.
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
  /** Whether all values of the request must match, and not only one. */
  readonly isForAll: boolean;
  readonly variables: boolean;
}

/**
 * A key with one value compares the same with every quantifier. For a key with several, `ForAllValues` requires that the
 * operator holds for each of them, `ForAnyValue` for at least one.
 * **Assumption IAM-10:** Without a quantifier, a key with several values compares as with `ForAnyValue`.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
function comparison({ name, key, values, operator, absent, isForAll, variables }: Comparing): Condition {
  const { parse, compile, negated } = operator;
  const patterns = values.map((value): PolicyPattern => policyPattern(value, { variables, parse, compile }));
  const wanted = `${name} ${key} wants ${values.join(' or ')}`;
  const lookedUp = keyName(key);
  return context => {
    const actual = context(lookedUp);
    if (actual === undefined) return absent ? undefined : `${wanted}, the request has no ${key}`;
    const isMet = (value: string) => patterns.some(pattern => pattern(value, context)) !== negated;
    const given = typeof actual === 'string' ? [actual] : actual;
    const holds = isForAll ? given.every(isMet) : given.some(isMet);
    return holds ? undefined : `${wanted}, got ${given.join(' and ')}`;
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

/** How an operator compares the policy's value with the request's. */
interface ConditionOperator {
  /** A negated operator is true when no value matches, and also when the request lacks the key. */
  readonly negated: boolean;
  /** Compiles a value of the policy. */
  readonly parse: (text: string) => Pattern;
  readonly compile: (pattern: Pattern) => Matcher;
  /** Why a value of the policy is invalid; undefined when it is valid. */
  readonly valueProblem?: (wanted: string) => string | undefined;
}

type Comparison = Omit<ConditionOperator, 'negated'>;

const exactly: Comparison = { parse: literalPattern, compile: wildcardMatcher };
const like: Comparison = { parse: parsePattern, compile: wildcardMatcher };
const arnLike: Comparison = { parse: parsePattern, compile: arnMatcher };

const ignoringCase: Comparison = {
  parse: text => literalPattern(text.toLowerCase()),
  compile: pattern => {
    const matcher = wildcardMatcher(pattern);
    return text => matcher(text.toLowerCase());
  },
};

const bool: Comparison = {
  ...ignoringCase,
  valueProblem: wanted => (/^(true|false)$/i.test(wanted) ? undefined : 'must be true or false'),
};

/** Creates operators that compare quantities. `amount` returns NaN for an invalid value. */
function ordered(
  amount: (text: string) => number,
  what: string,
  holds: (actual: number, wanted: number) => boolean,
): Comparison {
  return {
    parse: literalPattern,
    compile: pattern => {
      const wanted = amount(pattern.join(''));
      return text => holds(amount(text), wanted);
    },
    valueProblem: wanted => (Number.isNaN(amount(wanted)) ? `must be ${what}` : undefined),
  };
}

const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
/**
 * Parses a date: ISO 8601, or seconds since the epoch. **Assumption IAM-1:** AWS does not publish how it reads a date
 * without a zone. Here it is UTC.
 */
const instantIn = (text: string): number =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : (utcInstantMs(text) ?? Number.NaN);

const ORDERS: Readonly<Record<string, (actual: number, wanted: number) => boolean>> = {
  Equals: (actual, wanted) => actual === wanted,
  LessThan: (actual, wanted) => actual < wanted,
  LessThanEquals: (actual, wanted) => actual <= wanted,
  GreaterThan: (actual, wanted) => actual > wanted,
  GreaterThanEquals: (actual, wanted) => actual >= wanted,
};

/** Parses an address, or a range such as `203.0.113.0/24`. */
const ipAddress: Comparison = {
  parse: literalPattern,
  compile: pattern => {
    const range = rangeOf(pattern.join(''));
    return text => isIP(text) !== 0 && (range?.check(text, familyOf(text)) ?? false);
  },
  valueProblem: wanted => (rangeOf(wanted) ? undefined : 'must be an IP address or a CIDR range'),
};

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function rangeOf(text: string): BlockList | undefined {
  const [address = '', prefix] = text.split('/');
  const longest = isIP(address) === 6 ? 128 : 32;
  const length = prefix === undefined ? longest : numberIn(prefix);
  if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > longest) return undefined;
  const range = new BlockList();
  range.addSubnet(address, length, familyOf(address));
  return range;
}

function both(name: string, negation: string, comparison: Comparison): readonly [string, ConditionOperator][] {
  return [
    [name, { ...comparison, negated: false }],
    [negation, { ...comparison, negated: true }],
  ];
}

function quantities(prefix: string, what: string, amount: (text: string) => number) {
  const operators = Object.entries(ORDERS).map(([order, holds]): [string, ConditionOperator] => [
    `${prefix}${order}`,
    { ...ordered(amount, what, holds), negated: false },
  ]);
  const equals = ordered(amount, what, (actual, wanted) => actual === wanted);
  return [...operators, [`${prefix}NotEquals`, { ...equals, negated: true }] as const];
}

/**
 * All condition operators except `Null`, which tests the key itself, and `BinaryEquals`, whose values no request here
 * has.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
const CONDITION_OPERATORS: ReadonlyMap<string, ConditionOperator> = new Map([
  ...both('StringEquals', 'StringNotEquals', exactly),
  ...both('StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase', ignoringCase),
  ...both('StringLike', 'StringNotLike', like),
  ...both('ArnEquals', 'ArnNotEquals', arnLike),
  ...both('ArnLike', 'ArnNotLike', arnLike),
  ...both('IpAddress', 'NotIpAddress', ipAddress),
  ...quantities('Numeric', 'a number', numberIn),
  ...quantities('Date', 'a date', instantIn),
  ['Bool', { ...bool, negated: false }],
  ['BinaryEquals', { ...exactly, negated: false }],
]);
