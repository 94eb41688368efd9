import { AwsError } from '../../kernel/aws-error';

/** The path of a field: `delivery.statusCode`, `items[0].id`. */
export type Path = readonly (string | number)[];

type Token =
  | { readonly kind: 'name'; readonly path: Path }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  /** A period such as `5m`. */
  | { readonly kind: 'period'; readonly count: number; readonly unit: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'end' };

/** A token and its position in the query. */
export type Placed = Token & { readonly text: string; readonly from: number; readonly to: number };

const SPACE = /(?:\s|#[^\n]*)*/y;
const PERIOD = /(\d+)([A-Za-z]+)(?!\w)/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /@?(?:`[^`]+`|[A-Za-z_]\w*)(?:\.(?:`[^`]+`|[\w@]+)|\[\d+\])*/y;
const STEP = /`([^`]+)`|\[(\d+)\]|([\w@]+)/g;
const STRING = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/y;
const OPERATOR = /<=|>=|!=|=~|[=<>+\-*/%^()[\],|]/y;
const REGEX = /\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\//y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * Splits a query into tokens, one at a time, because only the parser can decide whether a slash begins a regular
 * expression.
 */
export class Lexer {
  private index = 0;
  private ahead: Placed | undefined;

  constructor(readonly source: string) {}

  /** Returns the next token without consuming it. */
  get peek(): Placed {
    this.ahead ??= this.read();
    return this.ahead;
  }

  /** Consumes the next token. */
  take(): Placed {
    const token = this.peek;
    this.index = token.to;
    this.ahead = undefined;
    return token;
  }

  /** Consumes a regular expression, if one is next, and returns the text between its slashes. */
  takeRegex(): string | undefined {
    REGEX.lastIndex = this.peek.from;
    const [whole, regex] = REGEX.exec(this.source) ?? [];
    if (whole === undefined) return undefined;
    this.index = this.peek.from + whole.length;
    this.ahead = undefined;
    return regex;
  }

  unexpected({ text, from }: Placed): Error {
    const before = this.source.slice(0, from).split('\n');
    const position = (before.at(-1)?.length ?? 0) + 1;
    const symbol = text === '' ? 'end of query' : text;
    return malformed(`unexpected symbol found ${symbol} at line ${before.length} and position ${position}`);
  }

  private read(): Placed {
    const from = this.match(SPACE, this.index)?.[0].length ?? 0;
    const at = this.index + from;
    const place = (token: Token, text: string): Placed => ({ ...token, text, from: at, to: at + text.length });
    if (at >= this.source.length) return place({ kind: 'end' }, '');
    const period = this.match(PERIOD, at);
    if (period) return place({ kind: 'period', count: Number(period[1]), unit: period[2] ?? '' }, period[0]);
    const number = this.match(NUMBER, at);
    if (number) return place({ kind: 'number', value: Number(number[0]) }, number[0]);
    const name = this.match(NAME, at);
    if (name) return place({ kind: 'name', path: pathOf(name[0]) }, name[0]);
    const string = this.match(STRING, at);
    if (string) return place({ kind: 'string', value: unescaped(string[1] ?? string[2] ?? '') }, string[0]);
    const operator = this.match(OPERATOR, at);
    if (operator) return place({ kind: 'operator' }, operator[0]);
    throw this.unexpected(place({ kind: 'operator' }, this.source.charAt(at)));
  }

  private match(expression: RegExp, at: number): RegExpExecArray | null {
    expression.lastIndex = at;
    return expression.exec(this.source);
  }
}

/** Splits a name into its steps. An `@` before a quoted name is part of the name. */
function pathOf(text: string): Path {
  const at = text.startsWith('@') ? '@' : '';
  const steps = [...text.slice(at.length).matchAll(STEP)].map(([, quoted, index, word]) =>
    index === undefined ? (quoted ?? word ?? '') : Number(index),
  );
  const [first = '', ...rest] = steps;
  return [`${at}${first}`, ...rest];
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character);
}

/** Returns the error for an invalid query. **Assumption LOGS-7:** AWS publishes few of the texts. */
export function malformed(text: string): AwsError {
  return new AwsError('MalformedQueryException', text);
}
