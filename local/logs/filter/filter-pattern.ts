import { jsonOrUndefined } from '../../kernel/json';
import { invalidParameter } from '../errors';
import {
  type Condition,
  ConditionReader,
  comparisonWith,
  compileRegex,
  isOrdering,
  splitFields,
  type Token,
  tokenize,
} from './conditions';
import { parseSelector, type Selector, select, selectAll } from './selector';

export interface FilterPattern {
  /** The number of regular expressions in the pattern. */
  readonly regexes: number;
  matches(message: string): boolean;
  /** Returns the values of the selectors or columns that the pattern names, as `TestMetricFilter` reports them. */
  extract(message: string): Readonly<Record<string, string>>;
}

/** AWS allows 1,024 characters, and two regular expressions in a pattern for JSON or columns. */
const MAX_CHARACTERS = 1024;
const MAX_REGEXES = 2;

const EVERYTHING: FilterPattern = { regexes: 0, matches: () => true, extract: () => ({}) };

/**
 * Parses a filter pattern: empty (matches every event), terms, a condition on JSON, or columns.
 *
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

interface Term {
  /** `-` excludes the term, `?` makes it one of several alternatives, an empty sign requires it. */
  readonly sign: string;
  readonly isRegex: boolean;
  readonly occursIn: (message: string) => boolean;
}

const TERM = /\s*([?-]?)(?:"((?:[^"\\]|\\.)*)"|%((?:[^%\\]|\\.)*)%|([^\s"%]+))/y;

/**
 * Parses terms. An event must contain every plain term, no term with a minus, and one of the terms with a question
 * mark. Terms with a question mark are ignored if the pattern also has other terms, as AWS documents it.
 *
 * @throws AwsError for an unquoted term with characters that are neither alphanumeric nor `_`
 */
function termFilter(pattern: string): FilterPattern {
  const terms = readTerms(pattern);
  const all = terms.filter(({ sign }) => sign === '');
  const none = terms.filter(({ sign }) => sign === '-');
  const any = all.length + none.length === 0 ? terms : [];
  return {
    regexes: terms.filter(({ isRegex }) => isRegex).length,
    matches: message =>
      all.every(({ occursIn }) => occursIn(message)) &&
      !none.some(({ occursIn }) => occursIn(message)) &&
      (any.length === 0 || any.some(({ occursIn }) => occursIn(message))),
    extract: () => ({}),
  };
}

function readTerms(pattern: string): readonly Term[] {
  const terms: Term[] = [];
  const text = pattern.trimEnd();
  for (let index = 0; index < text.length; index = TERM.lastIndex) {
    TERM.lastIndex = index;
    const match = TERM.exec(text);
    if (!match) throw invalidParameter(`Invalid metric filter pattern: ${pattern}`);
    const [, sign = '', phrase, regex, word] = match;
    terms.push({ sign, isRegex: regex !== undefined, occursIn: occurrence(phrase, regex, word) });
  }
  return terms;
}

function occurrence(phrase: string | undefined, regex: string | undefined, word = ''): (message: string) => boolean {
  if (regex !== undefined) {
    const expression = compileRegex(regex);
    return message => expression.test(message);
  }
  if (phrase === undefined && !/^\w+$/.test(word)) throw invalidParameter(`Invalid character(s) in term '${word}'`);
  const text = phrase?.replace(/\\(.)/g, '$1') ?? word;
  // AWS documents a phrase of only spaces as a way to match every event.
  return text.trim() === '' ? () => true : message => message.includes(text);
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html */
const MAX_WILDCARDS = 3;

const CONSTANTS: Readonly<Record<string, boolean | null>> = { NULL: null, TRUE: true, FALSE: false };

/**
 * Parses a condition on JSON: comparisons of values, `IS NULL|TRUE|FALSE`, `NOT EXISTS`, `&&`, `||` and parentheses. A
 * comparison whose selector has a wildcard holds if it holds for one of the values. Like AWS, it supports neither `IS
 * NOT` nor `EXISTS`.
 *
 * @param pattern with its braces
 * @throws AwsError when the pattern is malformed
 */
function jsonFilter(pattern: string): FilterPattern {
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
  /** The selectors of the condition, each with its source text. */
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

/** One column of a pattern: its name, if it has one, and the condition on its value. */
interface Column {
  readonly name: string | undefined;
  readonly holds: Condition<string>;
}

/** A field of an event, named after its column, or by its position if the column has no name. */
interface Field extends Column {
  readonly name: string;
  readonly value: string;
}

const UNNAMED: Column = { name: undefined, holds: () => true };

/**
 * Parses a pattern of columns for space-separated events: names, conditions on them, and `...` for any number of
 * columns. The last column receives the rest of the event, as in AWS's own example `[w1=ERROR, w2]`.
 *
 * @param pattern with its brackets
 */
function columnFilter(pattern: string): FilterPattern {
  const tokens = tokenize(pattern.slice(1, -1));
  const columns = splitAtCommas(tokens);
  const ellipsis = columns.findIndex(isEllipsis);
  const malformed = () => invalidParameter(`Invalid metric filter pattern: ${pattern}`);
  if (columns.slice(ellipsis + 1).some(isEllipsis) && ellipsis !== -1) throw malformed();
  const read = columns.filter(column => !isEllipsis(column)).map(column => readColumn(pattern, column));
  return {
    regexes: tokens.filter(({ kind }) => kind === 'regex').length,
    matches: message => fieldsOf(message, read, ellipsis)?.every(({ holds, value }) => holds(value)) ?? false,
    extract: message =>
      Object.fromEntries((fieldsOf(message, read, ellipsis) ?? []).map(({ name, value }) => [`$${name}`, value])),
  };
}

const isEllipsis = (column: readonly Token[]): boolean => column.length === 1 && column[0]?.text === '...';

function splitAtCommas(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const columns: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'operator' && token.text === ',') columns.push([]);
    else columns.at(-1)?.push(token);
  }
  return columns;
}

function readColumn(pattern: string, tokens: readonly Token[]): Column {
  const [first] = tokens;
  if (!first) return UNNAMED;
  const name = tokens.find(({ kind }) => kind === 'word')?.text;
  if (tokens.length === 1 && first.kind === 'word') return { name, holds: () => true };
  return { name, holds: new ColumnConditionReader(pattern, tokens, name).whole() };
}

/** Reads a condition such as `status_code = 4* && status_code != 403`, whose comparisons all name the same column. */
class ColumnConditionReader extends ConditionReader<string> {
  constructor(
    pattern: string,
    tokens: readonly Token[],
    private readonly name: string | undefined,
  ) {
    super(pattern, tokens);
  }

  protected override single(): Condition<string> {
    this.take(({ kind, text }) => kind === 'word' && text === this.name);
    const { text: operator } = this.take(isOrdering);
    const compare = comparisonWith(
      operator,
      this.take(({ kind }) => kind !== 'operator'),
    );
    if (!compare) throw this.malformed();
    return compare;
  }
}

/** Returns the fields of an event with their columns; undefined when the event has fewer fields than columns. */
function fieldsOf(message: string, columns: readonly Column[], ellipsis: number): readonly Field[] | undefined {
  const found = splitFields(message);
  const values = found.map(({ text }) => text);
  const beyond = values.length - columns.length;
  if (beyond < 0) return undefined;
  if (ellipsis === -1 && beyond > 0) {
    const last = columns.length - 1;
    values.splice(last, beyond + 1, message.slice(found[last]?.from).trimEnd());
  }
  const skipped = ellipsis === -1 ? [] : Array<Column>(beyond).fill(UNNAMED);
  const placed = [...columns.slice(0, Math.max(ellipsis, 0)), ...skipped, ...columns.slice(Math.max(ellipsis, 0))];
  return placed.map(({ name, holds }, i) => ({ name: name ?? String(i + 1), holds, value: values[i] ?? '' }));
}
