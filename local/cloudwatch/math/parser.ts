export type BinaryOperator = 'OR' | 'AND' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '^';

export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  /** A word in capitals such as `REPEAT`, or quoted text. */
  | { readonly kind: 'word'; readonly text: string }
  /** The result of another query, by the query's id. */
  | { readonly kind: 'reference'; readonly id: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | { readonly kind: 'negation'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** The binary operators, in order of increasing precedence. */
const LEVELS: readonly Readonly<Record<string, BinaryOperator>>[] = [
  { OR: 'OR', '||': 'OR' },
  { AND: 'AND', '&&': 'AND' },
  { '==': '==', '!=': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/' },
];

/** No practical expression nests deeper. The limit prevents a stack overflow. */
const DEEPEST = 100;

/**
 * Parses an expression of metric math.
 *
 * @throws MathError
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html#metric-math-syntax
 */
export function parseExpression(text: string): Expression {
  return new Parser(tokensOf(text)).whole();
}

class Parser {
  private next = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Expression {
    const expression = this.level(0);
    if (this.token.kind !== 'end') throw this.unexpected('the end of the expression');
    return expression;
  }

  private get token(): Token {
    const token = this.tokens[this.next] ?? this.tokens.at(-1);
    if (!token) throw new MathError('The expression is empty');
    return token;
  }

  private level(index: number): Expression {
    const operators = LEVELS[index];
    if (!operators) return this.sign();
    let left = this.level(index + 1);
    for (let operator = this.operatorOf(operators); operator; operator = this.operatorOf(operators)) {
      this.next += 1;
      left = { kind: 'binary', operator, left, right: this.level(index + 1) };
    }
    return left;
  }

  private operatorOf(operators: Readonly<Record<string, BinaryOperator>>): BinaryOperator | undefined {
    const { kind, text } = this.token;
    return kind !== 'string' && Object.hasOwn(operators, text) ? operators[text] : undefined;
  }

  private sign(): Expression {
    if (!this.isSymbol('-')) return this.power();
    this.next += 1;
    return this.deeper(() => ({ kind: 'negation', operand: this.sign() }));
  }

  private power(): Expression {
    const left = this.operand();
    if (!this.isSymbol('^')) return left;
    this.next += 1;
    return this.deeper(() => ({ kind: 'binary', operator: '^', left, right: this.sign() }));
  }

  private operand(): Expression {
    const { kind, text } = this.token;
    if (kind === 'end' || (kind === 'symbol' && text !== '(' && text !== '[')) throw this.unexpected('a value');
    this.next += 1;
    if (kind === 'number') return { kind: 'number', value: Number(text) };
    if (kind === 'string') return { kind: 'word', text };
    if (kind === 'name') return this.named(text);
    return this.deeper(() => {
      if (text === '[') return { kind: 'list', items: this.listUpTo(']') };
      const inner = this.level(0);
      this.expect(')');
      return inner;
    });
  }

  /** Ids begin in lower case. Functions and words are in capitals. */
  private named(name: string): Expression {
    if (!this.isSymbol('('))
      return /^[a-z]/.test(name) ? { kind: 'reference', id: name } : { kind: 'word', text: name };
    this.next += 1;
    return this.deeper(() => ({ kind: 'call', name, arguments: this.listUpTo(')') }));
  }

  private listUpTo(closing: ')' | ']'): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.isSymbol(closing)) {
      if (items.length > 0) this.expect(',');
      items.push(this.level(0));
    }
    this.next += 1;
    return items;
  }

  private expect(symbol: string): void {
    if (!this.isSymbol(symbol)) throw this.unexpected(`'${symbol}'`);
    this.next += 1;
  }

  private isSymbol(symbol: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === symbol;
  }

  private deeper(read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new MathError(`The expression is nested more than ${DEEPEST} deep`);
    const expression = read();
    this.depth -= 1;
    return expression;
  }

  private unexpected(wanted: string): MathError {
    const { kind, text, at } = this.token;
    return new MathError(
      kind === 'end'
        ? `Unexpected end of the expression, must be: ${wanted}`
        : `Unsupported token '${text}' at char ${at}, must be: ${wanted}`,
    );
  }
}

interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'symbol' | 'end';
  /** For a string, the text between its quotes. */
  readonly text: string;
  /** The index of its first character, from 0. */
  readonly at: number;
}

const PATTERNS = [
  { kind: 'number', pattern: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y },
  { kind: 'name', pattern: /[A-Za-z_]\w*/y },
  { kind: 'string', pattern: /"[^"]*"|'[^']*'/y },
  { kind: 'symbol', pattern: /&&|\|\||[=!<>]=|[-+*/^<>()[\],]/y },
] as const;

const SPACE = /\s*/y;

/** @throws MathError at the first character that cannot begin a token */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(SPACE, text, at + (token.kind === 'string' ? token.text.length + 2 : token.text.length));
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function tokenAt(text: string, at: number): Token {
  for (const { kind, pattern } of PATTERNS) {
    const end = skip(pattern, text, at);
    if (end > at) return { kind, text: kind === 'string' ? text.slice(at + 1, end - 1) : text.slice(at, end), at };
  }
  throw new MathError(`Unexpected character '${text[at]}' at char ${at}`);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The problem of an expression, in words. A caller that knows which expression it is converts it to AWS's error. */
export class MathError extends Error {
  override readonly name = 'MathError';
}
