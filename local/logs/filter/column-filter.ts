import { invalidParameter } from '../errors';
import { comparisonWith, isOrdering } from './comparison';
import { type Condition, ConditionReader } from './condition-reader';
import { splitFields } from './fields';
import type { FilterPattern } from './filter-pattern';
import { type Token, tokenize } from './tokens';

/** One column of a pattern: its name, undefined where it has none, and what its value must be. */
interface Column {
  readonly name: string | undefined;
  readonly holds: Condition<string>;
}

/** A field of an event, under the name of its column or, without one, its position. */
interface Field extends Column {
  readonly name: string;
  readonly value: string;
}

const UNNAMED: Column = { name: undefined, holds: () => true };

/**
 * Reads a pattern of columns for events that are words with spaces between them: names, conditions on them, and `...` for
 * any number of columns. The last column takes the rest of the event, as AWS's own `[w1=ERROR, w2]` does.
 *
 * @param pattern with its brackets
 * @throws AwsError when the pattern is malformed
 */
export function columnFilter(pattern: string): FilterPattern {
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

/** Reads `status_code = 4* && status_code != 403`: every comparison is about the same column. */
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

/** The fields of an event, each with its column; undefined when there are fewer than columns. */
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
