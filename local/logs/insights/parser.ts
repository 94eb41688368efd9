import { ExpressionParser } from './expression-parser';
import { Lexer } from './lexer';
import { malformed } from './malformed-query';
import { compileGlob, compileRegex } from './regular-expression';
import {
  type Column,
  type Command,
  type Expression,
  type Extraction,
  nameOf,
  type Query,
  type SortKey,
} from './syntax';

/**
 * Reads a query of CloudWatch Logs Insights: `fields`, `filter`, `parse`, `stats`, `sort`, `limit`, `display`, `dedup`.
 *
 * @throws AwsError `MalformedQueryException` that names what is wrong
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
 */
export function parseQuery(source: string): Query {
  return new QueryParser(new Lexer(source)).query();
}

const MESSAGE: Expression = { kind: 'field', path: ['@message'] };

class QueryParser {
  private readonly expressions: ExpressionParser;

  /** Each command by the words that begin it. */
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
    const known = [...this.commands.keys()].join(', ');
    throw malformed(`unknown command ${token.text}: the embedded AWS knows ${known}`);
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

  /** The field that `parse` looks into. */
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
