import { compile, type Reader, type Scope } from './evaluator';
import { malformed } from './malformed-query';
import type { Row } from './row';
import type { Expression } from './syntax';
import { asNumber, asText, compareValues, type Value } from './values';

/** Makes one value of the values that a group of rows has for a field. */
interface Aggregate {
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
  readonly of: (values: readonly Value[], rows: readonly Row[], argument: number) => Value;
}

/** AWS shows averages with four decimals. */
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

/** The smallest value that at least so many percent do not exceed; AWS approximates. */
function percentile(all: readonly number[], percent: number): Value {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

const first = (values: readonly Value[], isBefore: (a: Value, b: Value) => boolean): Value =>
  present(values).reduce<Value>(
    (best, value) => (best === undefined || isBefore(value, best) ? value : best),
    undefined,
  );

/** The value of the earliest, or latest, event that has one. */
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

/** Compiles an expression of `stats`, in which calls such as `count(*)` are about all rows of a group. */
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
