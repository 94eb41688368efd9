import { jsonOrUndefined } from '../../kernel/json';
import { comparisonWith, isOrdering } from './comparison';
import { type Condition, ConditionReader } from './condition-reader';
import type { FilterPattern } from './filter-pattern';
import { parseSelector, type Selector, select, selectAll } from './selector';
import { type Token, tokenize } from './tokens';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html */
const MAX_WILDCARDS = 3;

const CONSTANTS: Readonly<Record<string, boolean | null>> = { NULL: null, TRUE: true, FALSE: false };

/**
 * Reads a condition on JSON: comparisons of values, `IS NULL|TRUE|FALSE`, `NOT EXISTS`, `&&`, `||` and parentheses. A
 * selector with a wildcard holds when it does for one of the values. As on AWS there is no `IS NOT` and no `EXISTS`.
 *
 * @param pattern with its braces
 * @throws AwsError when the pattern is malformed
 */
export function jsonFilter(pattern: string): FilterPattern {
  const tokens = tokenize(pattern.slice(1, -1));
  const reader = new JsonConditionReader(pattern, tokens);
  const holds = reader.whole();
  return {
    regexes: tokens.filter(({ kind }) => kind === 'regex').length,
    matches: message => {
      const document = jsonOrUndefined(message);
      return document !== undefined && holds(document);
    },
    extract: message => {
      const document = jsonOrUndefined(message);
      const found = reader.selectors.map(([text, selector]) => [text, select(document, selector)] as const);
      return Object.fromEntries(
        found.filter(([, value]) => value !== undefined).map(([text, value]) => [text, asText(value)]),
      );
    },
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

class JsonConditionReader extends ConditionReader<unknown> {
  /** Every selector of the condition, by how it is written. */
  readonly selectors: (readonly [string, Selector])[] = [];

  override whole(): Condition<unknown> {
    const condition = super.whole();
    const wildcards = this.selectors.reduce((sum, [, selector]) => sum + selector.wildcards, 0);
    if (wildcards > MAX_WILDCARDS) throw this.malformed();
    return condition;
  }

  protected override single(): Condition<unknown> {
    const { text } = this.take(isWord);
    const selector = parseSelector(text);
    if (!selector) throw this.malformed();
    this.selectors.push([text, selector]);
    return this.about(selector);
  }

  private about(selector: Selector): Condition<unknown> {
    if (this.takes('NOT')) {
      if (!this.takes('EXISTS')) throw this.malformed();
      return document => selectAll(document, selector).length === 0;
    }
    if (this.takes('IS')) {
      const { text } = this.take(token => isWord(token) && Object.hasOwn(CONSTANTS, token.text));
      return document => selectAll(document, selector).some(value => value === CONSTANTS[text]);
    }
    const { text: operator } = this.take(isOrdering);
    const compare = comparisonWith(
      operator,
      this.take(({ kind }) => kind !== 'operator'),
    );
    if (!compare) throw this.malformed();
    return document => selectAll(document, selector).some(compare);
  }
}

const isWord = ({ kind }: Token): boolean => kind === 'word';
