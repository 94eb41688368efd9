import { invalidParameter } from '../errors';
import { columnFilter } from './column-filter';
import { jsonFilter } from './json-filter';
import { termFilter } from './term-filter';

/** Decides about log events, one by one. */
export interface FilterPattern {
  /** How many regular expressions it holds. */
  readonly regexes: number;
  matches(message: string): boolean;
  /** The values of the selectors, or columns, that the pattern names, as `TestMetricFilter` tells them. */
  extract(message: string): Readonly<Record<string, string>>;
}

/** 1,024 characters, and in a pattern of columns or on JSON two regular expressions. */
const MAX_CHARACTERS = 1024;
const MAX_REGEXES = 2;

const EVERYTHING: FilterPattern = { regexes: 0, matches: () => true, extract: () => ({}) };

/**
 * Reads a filter pattern: nothing (every event), terms, a condition on JSON, or columns.
 *
 * @throws AwsError `InvalidParameterException` when the pattern is malformed
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function parseFilterPattern(pattern: string): FilterPattern {
  if (pattern.length > MAX_CHARACTERS) {
    throw invalidParameter(`A filter pattern has at most ${MAX_CHARACTERS} characters, got ${pattern.length}`);
  }
  const text = pattern.trim();
  if (text === '') return EVERYTHING;
  const brackets = BRACKETED.find(({ open }) => text.startsWith(open));
  if (!brackets) return termFilter(text);
  if (!text.endsWith(brackets.close)) throw invalidParameter(`Invalid metric filter pattern: ${pattern}`);
  const filter = brackets.read(text);
  if (filter.regexes > MAX_REGEXES) {
    throw invalidParameter(`A filter pattern has at most ${MAX_REGEXES} regular expressions, got ${filter.regexes}`);
  }
  return filter;
}

const BRACKETED = [
  { open: '{', close: '}', read: jsonFilter },
  { open: '[', close: ']', read: columnFilter },
] as const;
