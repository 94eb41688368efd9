import type { LinearRegex } from '../../kernel/linear-regex';
import type { Path } from './lexer';
import type { Period } from './period';

/** An expression of the query language, as it is written. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'field'; readonly path: Path }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `a + b - c`, or `a and b and c`, from left to right. */
  | { readonly kind: 'chain'; readonly first: Expression; readonly rest: readonly Link[] }
  | { readonly kind: 'comparison'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'negative'; readonly operand: Expression }
  | { readonly kind: 'matches'; readonly value: Expression; readonly regex: LinearRegex }
  | { readonly kind: 'contains'; readonly value: Expression; readonly text: Expression }
  | { readonly kind: 'in'; readonly value: Expression; readonly list: readonly Expression[] };

/** An operator and what stands behind it. */
export interface Link {
  readonly operator: string;
  readonly operand: Expression;
}

/** An expression and the name its value goes by: its alias, or its own text. */
export interface Column {
  readonly name: string;
  readonly expression: Expression;
}

export interface SortKey {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** How `parse` finds its fields. */
export interface Extraction {
  readonly source: Expression;
  readonly regex: LinearRegex;
  /** The names of the groups, in their order; of a regular expression with named groups, none. */
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

/** A whole query: commands in the order in which they work. */
export type Query = readonly Command[];

/** The name of a field as results give it: `items[0].id`. */
export function nameOf(path: Path): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${step}`)).join('');
}
