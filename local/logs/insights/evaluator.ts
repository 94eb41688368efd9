import { type QueryTimes, SCALAR_FUNCTIONS, type ScalarFunction } from './functions';
import { malformed } from './lexer';
import type { Row } from './row';
import { ceilingTo, type Expression, floorTo, type Period } from './syntax';
import { areEqual, asBoolean, asNumber, asText, compareValues, Timestamp, type Value } from './values';

export type Reader = (row: Row) => Value;

/** The context in which an expression is compiled. */
export interface Scope {
  readonly times: QueryTimes;
  /**
   * Compiles calls that need more than the values of one row, such as `count(*)` in `stats`. Returns undefined for
   * other functions.
   */
  readonly call?: (name: string, args: readonly Expression[]) => Reader | undefined;
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
};

const ORDERINGS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': order => order < 0,
  '<=': order => order <= 0,
  '>': order => order > 0,
  '>=': order => order >= 0,
};

/**
 * Compiles an expression.
 *
 * **Assumption LOGS-2:** AWS does not publish how a missing value compares. Here no comparison with a missing value
 * holds, not even `!=`.
 *
 * @throws AwsError for an unknown function, or for arguments that the function does not accept
 */
export function compile(expression: Expression, scope: Scope): Reader {
  switch (expression.kind) {
    case 'literal':
      return () => expression.value;
    case 'field':
      return row => row.get(expression.path);
    case 'period':
      throw malformed('a period such as 5m stands only in bin, datefloor and dateceil');
    case 'not': {
      const operand = compile(expression.operand, scope);
      return row => !asBoolean(operand(row));
    }
    case 'negative': {
      const operand = compile(expression.operand, scope);
      return row => calculated(ARITHMETIC['-'], 0, operand(row));
    }
    case 'matches': {
      const value = compile(expression.value, scope);
      return row => expression.regex.test(asText(value(row)) ?? '') && value(row) !== undefined;
    }
    case 'contains':
      return binary(expression.value, expression.text, scope, (value, text) => {
        const [whole, part] = [asText(value), asText(text)];
        return whole !== undefined && part !== undefined && whole.includes(part);
      });
    case 'in': {
      const value = compile(expression.value, scope);
      const list = expression.list.map(item => compile(item, scope));
      return row => list.some(item => areEqual(value(row), item(row)));
    }
    case 'chain':
      return compileChain(expression, scope);
    case 'comparison':
      return compileComparison(expression, scope);
    case 'call':
      return compileCall(expression.name, expression.args, scope);
  }
}

function compileChain({ first, rest }: Extract<Expression, { kind: 'chain' }>, scope: Scope): Reader {
  const begin = compile(first, scope);
  const links = rest.map(({ operator, operand }) => ({ operator, read: compile(operand, scope) }));
  const [link] = links;
  if (link?.operator === 'and') return row => [begin, ...links.map(({ read }) => read)].every(it => asBoolean(it(row)));
  if (link?.operator === 'or') return row => [begin, ...links.map(({ read }) => read)].some(it => asBoolean(it(row)));
  return row =>
    links.reduce((value, { operator, read }) => calculated(ARITHMETIC[operator], value, read(row)), begin(row));
}

function compileComparison(
  { operator, left, right }: Extract<Expression, { kind: 'comparison' }>,
  scope: Scope,
): Reader {
  const isInOrder = ORDERINGS[operator];
  if (isInOrder) return binary(left, right, scope, (a, b) => areScalars(a, b) && isInOrder(compareValues(a, b)));
  if (operator === '=') return binary(left, right, scope, areEqual);
  return binary(left, right, scope, (a, b) => areScalars(a, b) && !areEqual(a, b));
}

function binary(left: Expression, right: Expression, scope: Scope, join: (a: Value, b: Value) => Value): Reader {
  const [a, b] = [compile(left, scope), compile(right, scope)];
  return row => join(a(row), b(row));
}

const areScalars = (a: Value, b: Value): boolean => asText(a) !== undefined && asText(b) !== undefined;

function calculated(calculate: ((a: number, b: number) => number) | undefined, a: Value, b: Value): Value {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (!calculate || left === undefined || right === undefined) return undefined;
  const result = calculate(left, right);
  return Number.isFinite(result) ? result : undefined;
}

function compileCall(name: string, args: readonly Expression[], scope: Scope): Reader {
  const lowerCase = name.toLowerCase();
  const own = scope.call?.(lowerCase, args);
  if (own) return own;
  const date = DATE_FUNCTIONS.get(lowerCase);
  if (date) return compileDate(name, args, date, scope);
  const known = SCALAR_FUNCTIONS.get(lowerCase);
  if (!known) throw malformed(`unknown function ${name}`);
  checkCount(name, args, known);
  const readers = args.map(arg => compile(arg, scope));
  return row =>
    known.call(
      readers.map(read => read(row)),
      scope.times,
    );
}

function checkCount(name: string, { length }: readonly Expression[], { least, most = least }: ScalarFunction): void {
  if (length >= least && length <= most) return;
  const range = most === least ? `${least}` : `${least} to ${most}`;
  throw malformed(`${name} takes ${range} arguments, got ${length}`);
}

const DATE_FUNCTIONS: ReadonlyMap<string, (atMs: number, period: Period) => number> = new Map([
  ['bin', floorTo],
  ['datefloor', floorTo],
  ['dateceil', ceilingTo],
]);

/** `bin(5m)` rounds the event's own timestamp. `datefloor` and `dateceil` name the time to round. */
function compileDate(
  name: string,
  args: readonly Expression[],
  round: (atMs: number, period: Period) => number,
  scope: Scope,
): Reader {
  const isBin = name.toLowerCase() === 'bin';
  const timestamp: Expression = { kind: 'field', path: ['@timestamp'] };
  const [time, period, ...others] = isBin ? [timestamp, ...args] : args;
  if (!time || period?.kind !== 'period' || others.length > 0) {
    throw malformed(`${name} takes ${isBin ? 'a period' : 'a time and a period'}, such as 5m`);
  }
  const read = compile(time, scope);
  return row => {
    const atMs = asNumber(read(row));
    return atMs === undefined ? undefined : new Timestamp(round(atMs, period.period));
  };
}

/** Computes one value from the values that the rows of a group have for a field. */
interface Aggregate {
  /** The minimum and maximum number of arguments. */
  readonly least: number;
  readonly most: number;
  readonly of: (values: readonly Value[], rows: readonly Row[], argument: number) => Value;
}

/** AWS rounds averages to four decimals. */
const DECIMALS = 10_000;

const one = (of: Aggregate['of']): Aggregate => ({ least: 1, most: 1, of });

const numbers = (values: readonly Value[]): readonly number[] =>
  values.map(asNumber).filter(number => number !== undefined);

const present = (values: readonly Value[]): readonly Value[] => values.filter(value => value !== undefined);

const sum = (all: readonly number[]): number => all.reduce((total, number) => total + number, 0);

const mean = (all: readonly number[]): number => sum(all) / all.length;

const rounded = (number: number): Value =>
  Number.isFinite(number) ? Math.round(number * DECIMALS) / DECIMALS : undefined;

function deviation(all: readonly number[]): number {
  const average = mean(all);
  return Math.sqrt(mean(all.map(number => (number - average) ** 2)));
}

/**
 * Returns the smallest value that is not exceeded by at least `percent` of the values. AWS approximates percentiles.
 */
function percentile(all: readonly number[], percent: number): Value {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

const first = (values: readonly Value[], isBefore: (a: Value, b: Value) => boolean): Value =>
  present(values).reduce<Value>(
    (best, value) => (best === undefined || isBefore(value, best) ? value : best),
    undefined,
  );

/** Returns the value of the earliest (1) or latest (-1) event that has one. */
function byTime(values: readonly Value[], rows: readonly Row[], sign: 1 | -1): Value {
  let best: { readonly value: Value; readonly atMs: number } | undefined;
  for (const [i, value] of values.entries()) {
    const atMs = asNumber(rows[i]?.get(['@timestamp'])) ?? 0;
    if (value !== undefined && (!best || sign * (atMs - best.atMs) < 0)) best = { value, atMs };
  }
  return best?.value;
}

const smallest: Aggregate = one(values => first(values, (a, b) => compareValues(a, b) < 0));
const largest: Aggregate = one(values => first(values, (a, b) => compareValues(a, b) > 0));

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Stats.html */
const AGGREGATES: ReadonlyMap<string, Aggregate> = new Map(
  Object.entries<Aggregate>({
    count: { least: 0, most: 1, of: values => present(values).length },
    count_distinct: one(values => new Set(present(values).map(value => asText(value) ?? JSON.stringify(value))).size),
    sum: one(values => (numbers(values).length > 0 ? sum(numbers(values)) : undefined)),
    avg: one(values => rounded(mean(numbers(values)))),
    stddev: one(values => rounded(deviation(numbers(values)))),
    min: smallest,
    max: largest,
    sortsfirst: smallest,
    sortslast: largest,
    earliest: one((values, rows) => byTime(values, rows, 1)),
    latest: one((values, rows) => byTime(values, rows, -1)),
    median: one(values => percentile(numbers(values), 50)),
    pct: { least: 2, most: 2, of: (values, _, percent) => percentile(numbers(values), percent) },
  }),
);

/** Compiles an expression of `stats`, in which functions such as `count(*)` read all rows of a group. */
export function compileAggregate(expression: Expression, scope: Scope): (rows: readonly Row[]) => Value {
  let group: readonly Row[] = [];
  let aggregates = 0;
  const call = (name: string, args: readonly Expression[]): Reader | undefined => {
    const aggregate = AGGREGATES.get(name);
    if (!aggregate) return undefined;
    aggregates += 1;
    const over = compileOver(name, args, aggregate, scope);
    return () => over(group);
  };
  const read = compile(expression, { ...scope, call });
  if (aggregates === 0) throw malformed('every column of stats needs a function such as count(*) or avg(field)');
  return rows => {
    group = rows;
    const [any] = rows;
    return any && read(any);
  };
}

function compileOver(
  name: string,
  args: readonly Expression[],
  { least, most, of }: Aggregate,
  scope: Scope,
): (rows: readonly Row[]) => Value {
  if (args.length < least || args.length > most) {
    throw malformed(`${name} takes ${least === most ? least : `${least} to ${most}`} arguments, got ${args.length}`);
  }
  const [field, argument] = args;
  if (argument && argument.kind !== 'literal') throw malformed(`${name} takes a number as its second argument`);
  const read: Reader = field ? compile(field, scope) : () => 1;
  const number = argument?.kind === 'literal' ? (asNumber(argument.value) ?? Number.NaN) : 0;
  return rows => of(rows.map(read), rows, number);
}
