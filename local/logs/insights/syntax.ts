import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../policy/time-units';
import type { LinearRegex } from '../../kernel/linear-regex';
import { malformed, type Path } from './lexer';

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'field'; readonly path: Path }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `a + b - c` or `a and b and c`, evaluated from left to right. */
  | { readonly kind: 'chain'; readonly first: Expression; readonly rest: readonly Link[] }
  | { readonly kind: 'comparison'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'negative'; readonly operand: Expression }
  | { readonly kind: 'matches'; readonly value: Expression; readonly regex: LinearRegex }
  | { readonly kind: 'contains'; readonly value: Expression; readonly text: Expression }
  | { readonly kind: 'in'; readonly value: Expression; readonly list: readonly Expression[] };

/** An operator and its right operand. */
export interface Link {
  readonly operator: string;
  readonly operand: Expression;
}

/** An expression, and its name in results: its alias, or its own text. */
export interface Column {
  readonly name: string;
  readonly expression: Expression;
}

export interface SortKey {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** How `parse` extracts fields. */
export interface Extraction {
  readonly source: Expression;
  readonly regex: LinearRegex;
  /** The names for the capture groups, in order. Empty for a regular expression with named groups. */
  readonly names: readonly string[];
}

export type Command =
  | { readonly kind: 'fields' | 'display'; readonly columns: readonly Column[] }
  | { readonly kind: 'filter'; readonly condition: Expression }
  | { readonly kind: 'parse'; readonly extraction: Extraction }
  | { readonly kind: 'stats'; readonly columns: readonly Column[]; readonly by: readonly Column[] }
  | { readonly kind: 'sort'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'limit'; readonly count: number }
  | { readonly kind: 'dedup'; readonly columns: readonly Column[] };

/** A parsed query: its commands in the order they run. */
export type Query = readonly Command[];

/** Formats the name of a field as results show it: `items[0].id`. */
export function nameOf(path: Path): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${step}`)).join('');
}

/** A period such as `5m`, for time buckets. */
export interface Period {
  /** Milliseconds, or calendar months. */
  readonly unit: 'ms' | 'months';
  readonly length: number;
}

const WEEK = 7 * DAY_MS;

/** The week that contains the epoch began on a Monday, three days before the epoch. */
const FIRST_MONDAY_MS = -3 * DAY_MS;

interface Unit {
  readonly names: readonly string[];
  readonly unit: Period['unit'];
  readonly length: number;
  /** AWS limits the count: `bin(300s)` becomes `bin(60s)`. */
  readonly most: number;
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-operations-functions.html */
const UNITS: readonly Unit[] = [
  { names: ['millisecond', 'ms', 'msec'], unit: 'ms', length: 1, most: 1000 },
  { names: ['second', 's', 'sec'], unit: 'ms', length: SECOND_MS, most: 60 },
  { names: ['minute', 'm', 'min'], unit: 'ms', length: MINUTE_MS, most: 60 },
  { names: ['hour', 'h', 'hr'], unit: 'ms', length: HOUR_MS, most: 24 },
  { names: ['day', 'd'], unit: 'ms', length: DAY_MS, most: UNBOUNDED },
  { names: ['week', 'w'], unit: 'ms', length: WEEK, most: UNBOUNDED },
  { names: ['month', 'mo', 'mon'], unit: 'months', length: 1, most: UNBOUNDED },
  { names: ['quarter', 'q', 'qtr'], unit: 'months', length: 3, most: UNBOUNDED },
  { names: ['year', 'y', 'yr'], unit: 'months', length: 12, most: UNBOUNDED },
];

export function periodOf(count: number, name: string): Period {
  const found = UNITS.find(({ names }) => names.some(it => it === name || (it.length > 1 && `${it}s` === name)));
  if (!found || count < 1) throw malformed(`Invalid period: ${count}${name}`);
  return { unit: found.unit, length: Math.min(count, found.most) * found.length };
}

/** Returns the start of the period that contains the instant. */
export function floorTo(atMs: number, { unit, length }: Period): number {
  if (unit === 'ms') {
    const origin = length % WEEK === 0 ? FIRST_MONDAY_MS : 0;
    return Math.floor((atMs - origin) / length) * length + origin;
  }
  return Date.UTC(1970, Math.floor(monthsSinceEpoch(atMs) / length) * length);
}

/** Returns the start of the next period, or the instant itself if a period starts there. */
export function ceilingTo(atMs: number, period: Period): number {
  const floor = floorTo(atMs, period);
  if (floor === atMs) return atMs;
  return period.unit === 'ms' ? floor + period.length : Date.UTC(1970, monthsSinceEpoch(floor) + period.length);
}

function monthsSinceEpoch(atMs: number): number {
  const date = new Date(atMs);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
