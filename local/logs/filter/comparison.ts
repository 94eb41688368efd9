import { LinearRegex } from '../../kernel/linear-regex';
import { compileRegex } from './regular-expression';
import type { Token } from './tokens';

const ORDERINGS: Readonly<Record<string, (value: number, operand: number) => boolean>> = {
  '=': (value, operand) => value === operand,
  '!=': (value, operand) => value !== operand,
  '<': (value, operand) => value < operand,
  '<=': (value, operand) => value <= operand,
  '>': (value, operand) => value > operand,
  '>=': (value, operand) => value >= operand,
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Decides about one value of a log event. */
export type Comparison = (value: unknown) => boolean;

export const isOrdering = ({ kind, text }: Token): boolean => kind === 'operator' && Object.hasOwn(ORDERINGS, text);

/**
 * Compares scalars by number, by text with `*` for anything, or by regular expression; anything else compares to nothing.
 * An operand that looks like a number compares to numbers as one and to text, our choice, as text.
 *
 * @returns undefined when the operator does not go with the operand
 * @throws AwsError for a regular expression that filter patterns do not know
 */
export function comparisonWith(operator: string, operand: Token): Comparison | undefined {
  const number = operand.kind === 'word' && NUMBER.test(operand.text) ? Number(operand.text) : undefined;
  const ordering = ORDERINGS[operator];
  if (!ordering) return undefined;
  const isText = operator === '=' || operator === '!=';
  if (number === undefined && !isText) return undefined;
  const matches = matcherOf(operand);
  return value => {
    if (number !== undefined && isNumeric(value, isText)) return ordering(Number(value), number);
    return isText && isScalar(value) && matches(String(value)) === (operator === '=');
  };
}

/** Text counts as a number only where order is asked for: `007` is not `7`. */
function isNumeric(value: unknown, isText: boolean): boolean {
  return typeof value === 'number' || (!isText && typeof value === 'string' && NUMBER.test(value));
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function matcherOf({ kind, text }: Token): (value: string) => boolean {
  if (kind !== 'regex' && !text.includes('*')) return value => value === text;
  const pattern = kind === 'regex' ? compileRegex(text) : LinearRegex.wildcards(text);
  return value => pattern.test(value);
}
