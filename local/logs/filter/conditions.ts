import { LinearRegex } from '../../kernel/linear-regex';
import { invalidParameter } from '../errors';

/** Decides whether a parsed log event fulfills a condition. */
export type Condition<Subject> = (subject: Subject) => boolean;

/** Reads conditions joined by `&&`, `||` and parentheses. Subclasses read a single condition. */
export abstract class ConditionReader<Subject> {
  private next = 0;

  constructor(
    /** The whole pattern, for error messages. */
    private readonly pattern: string,
    private readonly tokens: readonly Token[],
  ) {}

  whole(): Condition<Subject> {
    const condition = this.alternatives();
    if (this.next < this.tokens.length) throw this.malformed();
    return condition;
  }

  protected abstract single(): Condition<Subject>;

  protected takes(text: string): boolean {
    const token = this.tokens[this.next];
    if (token?.text !== text || token.kind === 'string' || token.kind === 'regex') return false;
    this.next += 1;
    return true;
  }

  protected take(isWanted: (token: Token) => boolean): Token {
    const token = this.tokens[this.next];
    if (!token || !isWanted(token)) throw this.malformed();
    this.next += 1;
    return token;
  }

  protected malformed(): Error {
    return invalidParameter(`Invalid metric filter pattern: ${this.pattern}`);
  }

  private alternatives(): Condition<Subject> {
    const conditions = [this.conjunction()];
    while (this.takes('||')) conditions.push(this.conjunction());
    return subject => conditions.some(holds => holds(subject));
  }

  private conjunction(): Condition<Subject> {
    const conditions = [this.bracketed()];
    while (this.takes('&&')) conditions.push(this.bracketed());
    return subject => conditions.every(holds => holds(subject));
  }

  private bracketed(): Condition<Subject> {
    if (!this.takes('(')) return this.single();
    const condition = this.alternatives();
    if (!this.takes(')')) throw this.malformed();
    return condition;
  }
}

const ORDERINGS: Readonly<Record<string, (value: number, operand: number) => boolean>> = {
  '=': (value, operand) => value === operand,
  '!=': (value, operand) => value !== operand,
  '<': (value, operand) => value < operand,
  '<=': (value, operand) => value <= operand,
  '>': (value, operand) => value > operand,
  '>=': (value, operand) => value >= operand,
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Decides whether one value of a log event fulfills a comparison. */
type Comparison = (value: unknown) => boolean;

export const isOrdering = ({ kind, text }: Token): boolean => kind === 'operator' && Object.hasOwn(ORDERINGS, text);

/**
 * Compiles a comparison by number, by text (with `*` as a wildcard) or by regular expression. Only scalar values can
 * fulfill it.
 *
 * **Assumption LOGS-1:** AWS does not publish how `= 7` compares to text. Here an operand that looks like a number
 * compares to numbers as a number, and to text as text.
 *
 * @returns undefined when the operator cannot be used with the operand
 * @throws AwsError for a regular expression that filter patterns do not support
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

/**
 * `=` and `!=` compare text as text (`007` is not `7`). The other operators compare text that looks like a number as a
 * number.
 */
function isNumeric(value: unknown, isText: boolean): boolean {
  return typeof value === 'number' || (!isText && typeof value === 'string' && NUMBER.test(value));
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function matcherOf({ kind, text }: Token): (value: string) => boolean {
  if (kind !== 'regex' && !text.includes('*')) return value => value === text;
  const pattern = kind === 'regex' ? compileRegex(text) : LinearRegex.wildcards(text);
  return value => pattern.test(value);
}

export interface Token {
  /** A `regex` is written between percent signs. */
  readonly kind: 'word' | 'string' | 'regex' | 'operator';
  /** Without quotes or percent signs. */
  readonly text: string;
}

const TOKEN =
  /\s*(?:"((?:[^"\\]|\\.)*)"|%((?:[^%\\]|\\.)*)%|(&&|\|\||[!<>]=|[=<>(),])|((?:\['[^']*'\]|\["[^"]*"\]|[^\s"%=<>!&|(),])+))/y;

/**
 * Splits a condition into words, quoted strings, regular expressions and operators. If a part
 * is none of these, it and the rest of the text become one operator token, which the parser refuses.
 */
export function tokenize(condition: string): readonly Token[] {
  const text = condition.trimEnd();
  const tokens: Token[] = [];
  let index = 0;
  while (index < text.length) {
    TOKEN.lastIndex = index;
    const match = TOKEN.exec(text);
    if (!match) return [...tokens, { kind: 'operator', text: text.slice(index) }];
    const [, string, regex, operator, word] = match;
    if (string !== undefined) tokens.push({ kind: 'string', text: string.replace(/\\(.)/g, '$1') });
    else if (regex !== undefined) tokens.push({ kind: 'regex', text: regex });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else tokens.push({ kind: 'word', text: word ?? '' });
    index = TOKEN.lastIndex;
  }
  return tokens;
}

/** One field of a space-separated event, and its index in the message. */
interface FieldText {
  /** Without the enclosing quotes or brackets. */
  readonly text: string;
  readonly from: number;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '[': ']' };
const BLANK = /\s/;

/** Splits an event at its spaces, in a single pass. Text in quotes or brackets is one field. */
export function splitFields(message: string): readonly FieldText[] {
  const fields: FieldText[] = [];
  const neverClosed = new Set<string>();
  let index = 0;
  while (index < message.length) {
    const character = message.charAt(index);
    if (BLANK.test(character)) {
      index += 1;
      continue;
    }
    const closing = neverClosed.has(character) ? undefined : CLOSING[character];
    const end = closing === undefined ? -1 : message.indexOf(closing, index + 1);
    if (closing !== undefined && end === -1) neverClosed.add(character);
    const to = end === -1 ? endOfWord(message, index) : end;
    fields.push({ text: message.slice(end === -1 ? index : index + 1, to), from: index });
    index = end === -1 ? to : to + 1;
  }
  return fields;
}

function endOfWord(message: string, from: number): number {
  let to = from;
  while (to < message.length && !BLANK.test(message.charAt(to))) to += 1;
  return to;
}

const CHARACTERS = /^[A-Za-z0-9 :_#=@/;,\-^$?[\]{}|\\*+.]*$/;
const ESCAPES = /\\(?:[dDsSwW]|x[0-9A-Fa-f]{2}|[^A-Za-z0-9])/g;

/**
 * Compiles a regular expression that a filter pattern contains between percent signs.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/regex-expressions.html
 */
export function compileRegex(source: string): LinearRegex {
  const isKnown = source !== '' && CHARACTERS.test(source) && !source.replace(ESCAPES, '').includes('\\');
  const regex = isKnown ? LinearRegex.compile(source) : undefined;
  if (regex) return regex;
  throw invalidParameter(`Invalid metric filter pattern: the regular expression %${source}% is not supported`);
}
