import type { Lexer, Placed } from './lexer';
import { malformed } from './malformed-query';
import { periodOf } from './period';
import { compileRegex } from './regular-expression';
import { type Expression, nameOf } from './syntax';

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];

type Level = (parser: ExpressionParser) => Expression;

/** Reads expressions, the loosest operators first. */
export class ExpressionParser {
  constructor(private readonly lexer: Lexer) {}

  expression(): Expression {
    return this.chain(['or'], parser => parser.conjunction());
  }

  private conjunction(): Expression {
    return this.chain(['and'], parser => parser.negation());
  }

  private negation(): Expression {
    return this.takes('not') ? { kind: 'not', operand: this.negation() } : this.comparison();
  }

  private comparison(): Expression {
    const value = this.sum();
    const operator = COMPARISONS.find(it => this.takes(it));
    if (operator !== undefined) return { kind: 'binary', operator, left: value, right: this.sum() };
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

  private regex(): RegExp {
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
    const left = this.signed();
    return this.takes('^') ? { kind: 'binary', operator: '^', left, right: this.power() } : left;
  }

  private signed(): Expression {
    return this.takes('-') ? { kind: 'negative', operand: this.signed() } : this.primary();
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
    let left = operand(this);
    for (;;) {
      const operator = operators.find(it => this.takes(it));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: operand(this) };
    }
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
