import { notImplemented } from '../../kernel/aws-error';
import { LinearRegex } from '../../kernel/linear-regex';
import { Lexer, malformed, type Placed } from './lexer';
import {
  type Column,
  type Command,
  type Expression,
  type Extraction,
  type Link,
  nameOf,
  periodOf,
  type Query,
  type SortKey,
} from './syntax';

/**
 * Parses a query of CloudWatch Logs Insights: `fields`, `filter`, `parse`, `stats`, `sort`, `limit`, `display`,
 * `dedup`.
 *
 * @throws AwsError `MalformedQueryException` that says what is wrong
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
 */
export function parseQuery(source: string): Query {
  return new QueryParser(new Lexer(source)).query();
}

const MESSAGE: Expression = { kind: 'field', path: ['@message'] };

/**
 * Commands that AWS has and the embedded AWS does not.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
 */
const OTHER_COMMANDS: ReadonlySet<string> = new Set([
  ...['addtotals', 'anomaly', 'diff', 'filterindex', 'join', 'lookup', 'pattern', 'source', 'unmask', 'unnest'],
]);

class QueryParser {
  private readonly expressions: ExpressionParser;

  /** The parser of each command, by the command's first word. */
  private readonly commands: ReadonlyMap<string, () => Command> = new Map(
    Object.entries({
      fields: () => ({ kind: 'fields', columns: this.columns() }),
      display: () => ({ kind: 'display', columns: this.columns() }),
      filter: () => ({ kind: 'filter', condition: this.expressions.expression() }),
      where: () => ({ kind: 'filter', condition: this.expressions.expression() }),
      parse: () => ({ kind: 'parse', extraction: this.extraction() }),
      stats: () => this.stats(),
      sort: () => ({ kind: 'sort', keys: this.sortKeys() }),
      order: () => ({ kind: 'sort', keys: this.sortKeys() }),
      limit: () => ({ kind: 'limit', count: this.expressions.count() }),
      head: () => ({ kind: 'limit', count: this.expressions.count() }),
      dedup: () => ({ kind: 'dedup', columns: this.columns() }),
    }),
  );

  constructor(private readonly lexer: Lexer) {
    this.expressions = new ExpressionParser(lexer);
  }

  query(): Query {
    const commands = [this.command()];
    while (this.expressions.takes('|')) commands.push(this.command());
    if (this.lexer.peek.kind !== 'end') throw this.lexer.unexpected(this.lexer.peek);
    return commands;
  }

  private command(): Command {
    const token = this.lexer.take();
    if (token.kind !== 'name') throw this.lexer.unexpected(token);
    const command = this.commands.get(token.text.toLowerCase());
    if (command) return command();
    if (OTHER_COMMANDS.has(token.text.toLowerCase())) throw notImplemented(`the command ${token.text} of queries`);
    throw malformed(`unknown command ${token.text}`);
  }

  private columns(): readonly Column[] {
    const columns = [this.column()];
    while (this.expressions.takes(',')) columns.push(this.column());
    return columns;
  }

  private column(): Column {
    const { from } = this.lexer.peek;
    const expression = this.expressions.expression();
    const text = this.lexer.source.slice(from, this.lexer.peek.from).replace(/(?:\s|#[^\n]*)+$/, '');
    if (this.expressions.takes('as')) return { name: this.expressions.name(), expression };
    return { name: expression.kind === 'field' ? nameOf(expression.path) : text, expression };
  }

  private stats(): Command {
    const columns = this.columns();
    return { kind: 'stats', columns, by: this.expressions.takes('by') ? this.columns() : [] };
  }

  private sortKeys(): readonly SortKey[] {
    this.expressions.takes('by');
    const keys = [this.sortKey()];
    while (this.expressions.takes(',')) keys.push(this.sortKey());
    return keys;
  }

  private sortKey(): SortKey {
    const expression = this.expressions.expression();
    const descending = this.expressions.takes('desc');
    if (!descending) this.expressions.takes('asc');
    return { expression, descending };
  }

  private extraction(): Extraction {
    const isPattern = this.lexer.peek.kind === 'string' || this.lexer.peek.text === '/';
    const source = isPattern ? MESSAGE : this.source();
    const regex = this.lexer.takeRegex();
    if (regex !== undefined) {
      return { source, regex: compileRegex(regex), names: this.expressions.takes('as') ? this.names() : [] };
    }
    const token = this.lexer.take();
    if (token.kind !== 'string') throw this.lexer.unexpected(token);
    this.expressions.expect('as');
    const names = this.names();
    const glob = compileGlob(token.value);
    if (glob.groups !== names.length) {
      throw malformed(`parse has ${glob.groups} wildcards in ${token.text} and ${names.length} names for them`);
    }
    return { source, regex: glob.regex, names };
  }

  /** The field from which `parse` extracts. */
  private source(): Expression {
    const token = this.lexer.take();
    if (token.kind !== 'name') throw this.lexer.unexpected(token);
    return { kind: 'field', path: token.path };
  }

  private names(): readonly string[] {
    const names = [this.expressions.name()];
    while (this.expressions.takes(',')) names.push(this.expressions.name());
    return names;
  }
}

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];

/** No practical query nests deeper. The limit prevents a stack overflow. */
const MAX_DEPTH = 100;

type Level = (parser: ExpressionParser) => Expression;

/** A recursive descent parser of expressions. The method order follows operator precedence, lowest first. */
class ExpressionParser {
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

  /** Reads `like` or `in`, if one of them follows. */
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

  /** Reads a function call, a constant or a field. */
  private named(token: Placed & { readonly kind: 'name' }): Expression {
    const { path, text } = token;
    if (this.takes('(')) return { kind: 'call', name: text, args: this.args() };
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
    if (RESERVED.includes(text.toLowerCase())) throw this.lexer.unexpected(token);
    return { kind: 'field', path };
  }

  private args(): readonly Expression[] {
    if (this.takes(')')) return [];
    // `count(*)` means the same as `count()`.
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

  /** Reads a nested expression, up to the maximum depth. */
  private deeper(read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw malformed(`The query nests expressions more than ${MAX_DEPTH} deep`);
    const expression = read();
    this.depth -= 1;
    return expression;
  }

  /** Consumes the next token if it is this operator or word. */
  takes(text: string): boolean {
    const { peek } = this.lexer;
    if ((peek.kind !== 'operator' && peek.kind !== 'name') || peek.text.toLowerCase() !== text) return false;
    this.lexer.take();
    return true;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.lexer.unexpected(this.lexer.peek);
  }

  /** Reads an alias. */
  name(): string {
    const token = this.lexer.take();
    if (token.kind !== 'name') throw this.lexer.unexpected(token);
    return nameOf(token.path);
  }

  count(): number {
    const token = this.lexer.take();
    if (token.kind !== 'number') throw this.lexer.unexpected(token);
    if (!Number.isInteger(token.value) || token.value < 1) throw malformed(`Invalid limit: ${token.text}`);
    return token.value;
  }
}

/** Words that can be field names only in backticks. */
const RESERVED = ['and', 'or', 'not', 'like', 'in', 'as', 'by', 'asc', 'desc'];

/** Compiles a regular expression of a query. **Assumption LOGS-7:** It does not support lookahead. */
function compileRegex(source: string): LinearRegex {
  const regex = LinearRegex.compile(source);
  if (regex) return regex;
  throw malformed(`Invalid regular expression: /${source}/`);
}

/**
 * Compiles a glob pattern of `parse`, whose `*` are the values to extract. A `*` at the end takes the rest of the text.
 */
function compileGlob(glob: string): { readonly regex: LinearRegex; readonly groups: number } {
  const literals = glob.split('*').map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = literals.join('(.*?)');
  const regex = LinearRegex.compile(glob.endsWith('*') ? `${pattern}$` : pattern, { dotAll: true });
  if (!regex) throw malformed(`Invalid pattern: ${glob}`);
  return { regex, groups: literals.length - 1 };
}
