import type { LinearRegex } from '../../kernel/linear-regex';
import type { Lexer, Placed } from './lexer';
import { malformed } from './malformed-query';
import { periodOf } from './period';
import { compileRegex } from './regular-expression';
import { type Expression, type Link, nameOf } from './syntax';

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];

/** Deeper is no query anybody writes, and would run out of stack. */
const MAX_DEPTH = 100;

type Level = (parser: ExpressionParser) => Expression;

/** Reads expressions, the loosest operators first. */
export class ExpressionParser {
  private depth = 0;

  constructor(private readonly lexer: Lexer) {}

  expression(): Expression {
    return this.deeper(() => this.chain(['or'], parser => parser.conjunction()));
  }

  private conjunction(): Expression {
    return this.chain(['and'], parser => parser.negation());
  }

  private negation(): Expression {
    return this.takes('not') ? { kind: 'not', operand: this.deeper(() => this.negation()) } : this.comparison();
  }

  private comparison(): Expression {
    const value = this.sum();
    const operator = COMPARISONS.find(it => this.takes(it));
    if (operator !== undefined) return { kind: 'comparison', operator, left: value, right: this.sum() };
    if (this.takes('=~')) return { kind: 'matches', value, regex: this.regex() };
    const isNegated = this.takes('not');
    const test = this.test(value);
    if (!test && isNegated) throw this.lexer.unexpected(this.lexer.peek);
    return test && isNegated ? { kind: 'not', operand: test } : (test ?? value);
  }

  /** `like` and `in`, if one of them follows. */
  private test(value: Expression): Expression | undefined {
    if (this.takes('like')) {
      const regex = this.lexer.takeRegex();
      if (regex !== undefined) return { kind: 'matches', value, regex: compileRegex(regex) };
      return { kind: 'contains', value, text: this.sum() };
    }
    if (!this.takes('in')) return undefined;
    this.expect('[');
    const list = [this.expression()];
    while (this.takes(',')) list.push(this.expression());
    this.expect(']');
    return { kind: 'in', value, list };
  }

  private regex(): LinearRegex {
    const regex = this.lexer.takeRegex();
    if (regex === undefined) throw this.lexer.unexpected(this.lexer.peek);
    return compileRegex(regex);
  }

  private sum(): Expression {
    return this.chain(['+', '-'], parser => parser.product());
  }

  private product(): Expression {
    return this.chain(['*', '/', '%'], parser => parser.power());
  }

  private power(): Expression {
    const first = this.signed();
    if (!this.takes('^')) return first;
    return { kind: 'chain', first, rest: [{ operator: '^', operand: this.deeper(() => this.power()) }] };
  }

  private signed(): Expression {
    return this.takes('-') ? { kind: 'negative', operand: this.deeper(() => this.signed()) } : this.primary();
  }

  private primary(): Expression {
    if (this.takes('(')) {
      const expression = this.expression();
      this.expect(')');
      return expression;
    }
    const token = this.lexer.take();
    switch (token.kind) {
      case 'number':
      case 'string':
        return { kind: 'literal', value: token.value };
      case 'period':
        return { kind: 'period', period: periodOf(token.count, token.unit) };
      case 'name':
        return this.named(token);
      default:
        throw this.lexer.unexpected(token);
    }
  }

  /** A function, a constant, or a field. */
  private named(token: Placed & { readonly kind: 'name' }): Expression {
    const { path, text } = token;
    if (this.takes('(')) return { kind: 'call', name: text, args: this.args() };
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
    if (RESERVED.includes(text.toLowerCase())) throw this.lexer.unexpected(token);
    return { kind: 'field', path };
  }

  private args(): readonly Expression[] {
    if (this.takes(')')) return [];
    // `count(*)` counts whatever there is, like `count()`.
    if (this.takes('*')) {
      this.expect(')');
      return [];
    }
    const args = [this.expression()];
    while (this.takes(',')) args.push(this.expression());
    this.expect(')');
    return args;
  }

  private chain(operators: readonly string[], operand: Level): Expression {
    const first = operand(this);
    const rest: Link[] = [];
    for (;;) {
      const operator = operators.find(it => this.takes(it));
      if (operator === undefined) return rest.length > 0 ? { kind: 'chain', first, rest } : first;
      rest.push({ operator, operand: operand(this) });
    }
  }

  /** Reads what stands inside something else; there is an end to how deep. */
  private deeper(read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw malformed(`The query nests expressions more than ${MAX_DEPTH} deep`);
    const expression = read();
    this.depth -= 1;
    return expression;
  }

  /** Takes the next token if it is this operator or word. */
  takes(text: string): boolean {
    const { peek } = this.lexer;
    if ((peek.kind !== 'operator' && peek.kind !== 'name') || peek.text.toLowerCase() !== text) return false;
    this.lexer.take();
    return true;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.lexer.unexpected(this.lexer.peek);
  }

  /** A name that is no expression: an alias. */
  name(): string {
    const token = this.lexer.take();
    if (token.kind !== 'name') throw this.lexer.unexpected(token);
    return nameOf(token.path);
  }

  /** A whole number. */
  count(): number {
    const token = this.lexer.take();
    if (token.kind !== 'number') throw this.lexer.unexpected(token);
    if (!Number.isInteger(token.value) || token.value < 1) throw malformed(`Invalid limit: ${token.text}`);
    return token.value;
  }
}

/** Words that cannot be fields unless they are quoted by backticks. */
const RESERVED = ['and', 'or', 'not', 'like', 'in', 'as', 'by', 'asc', 'desc'];
