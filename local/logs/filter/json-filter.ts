import { invalidParameter } from '../errors';
import { type Token, tokenize } from './tokens';

/** Decides about one log event that is a JSON document. */
type JsonFilter = (document: unknown) => boolean;

type Selector = readonly (string | number)[];

/**
 * Reads the condition of a JSON filter pattern, the part between its braces: comparisons, `IS`, `NOT EXISTS`, `&&`, `||` and
 * parentheses.
 *
 * @throws AwsError when the condition is none
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntaxForMetricFilters.html
 */
export function parseJsonFilter(condition: string): JsonFilter {
  const reader = new ConditionReader(condition, tokenize(condition));
  return reader.whole();
}

/** Reads `$.delivery.attempts[0]`, or answers undefined when the text is no selector. */
export function parseSelector(text: string): Selector | undefined {
  if (!/^\$(\.[\w$-]+|\[\d+\]|\['[^']+'\])+$/.test(text)) return undefined;
  return [...text.matchAll(/\.([\w$-]+)|\[(\d+)\]|\['([^']+)'\]/g)].map(([, member, index, quoted]) =>
    index === undefined ? (member ?? quoted ?? '') : Number(index),
  );
}

/** What the selector finds, undefined when there is nothing. */
export function select(document: unknown, selector: Selector): unknown {
  return selector.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Readonly<Record<string | number, unknown>>)[key];
  }, document);
}

class ConditionReader {
  private next = 0;

  constructor(
    private readonly source: string,
    private readonly tokens: readonly Token[],
  ) {}

  whole(): JsonFilter {
    const filter = this.alternatives();
    if (this.next < this.tokens.length) throw this.malformed();
    return filter;
  }

  private alternatives(): JsonFilter {
    const filters = [this.conjunction()];
    while (this.takes('||')) filters.push(this.conjunction());
    return document => filters.some(matches => matches(document));
  }

  private conjunction(): JsonFilter {
    const filters = [this.condition()];
    while (this.takes('&&')) filters.push(this.condition());
    return document => filters.every(matches => matches(document));
  }

  private condition(): JsonFilter {
    if (this.takes('(')) {
      const filter = this.alternatives();
      if (!this.takes(')')) throw this.malformed();
      return filter;
    }
    const selector = parseSelector(this.take('word').text);
    if (!selector) throw this.malformed();
    return this.comparison(selector);
  }

  private comparison(selector: Selector): JsonFilter {
    if (this.takes('NOT')) {
      if (!this.takes('EXISTS')) throw this.malformed();
      return document => select(document, selector) === undefined;
    }
    if (this.takes('IS')) return this.is(selector);
    const operator = this.take('operator').text;
    const operand = this.tokens[this.next++];
    if (!operand || operand.kind === 'operator') throw this.malformed();
    const compare = comparisonWith(operator, operand);
    if (!compare) throw this.malformed();
    return document => compare(select(document, selector));
  }

  private is(selector: Selector): JsonFilter {
    const values: Readonly<Record<string, boolean | null>> = { NULL: null, TRUE: true, FALSE: false };
    const { text } = this.take('word');
    if (!Object.hasOwn(values, text)) throw this.malformed();
    return document => select(document, selector) === values[text];
  }

  private takes(text: string): boolean {
    const token = this.tokens[this.next];
    if (token?.text !== text || token.kind === 'string') return false;
    this.next += 1;
    return true;
  }

  private take(kind: Token['kind']): Token {
    const token = this.tokens[this.next];
    if (token?.kind !== kind) throw this.malformed();
    this.next += 1;
    return token;
  }

  private malformed(): Error {
    return invalidParameter(`Invalid metric filter pattern: { ${this.source.trim()} }`);
  }
}

const NUMBER_COMPARISONS: Readonly<Record<string, (value: number, operand: number) => boolean>> = {
  '=': (value, operand) => value === operand,
  '!=': (value, operand) => value !== operand,
  '<': (value, operand) => value < operand,
  '<=': (value, operand) => value <= operand,
  '>': (value, operand) => value > operand,
  '>=': (value, operand) => value >= operand,
};

/** Compares with a number or, with `*` for anything, with a string; what is not there matches nothing. */
function comparisonWith(operator: string, operand: Token): ((value: unknown) => boolean) | undefined {
  const number = operand.kind === 'word' && operand.text.trim() !== '' ? Number(operand.text) : Number.NaN;
  const compareNumbers = NUMBER_COMPARISONS[operator];
  if (!Number.isNaN(number) && compareNumbers) {
    return value => typeof value === 'number' && compareNumbers(value, number);
  }
  if (operator !== '=' && operator !== '!=') return undefined;
  const pattern = new RegExp(`^${operand.text.split('*').map(escaped).join('.*')}$`, 's');
  const isEqual = (value: unknown): boolean => typeof value === 'string' && pattern.test(value);
  return operator === '=' ? isEqual : value => value !== undefined && !isEqual(value);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
