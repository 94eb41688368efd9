import { createColors } from 'picocolors';
import type { Output } from './io';

/** Makes text from outside safe for one line of a terminal: without control characters, and not too long. */
export function foreignText(text: string, mostCharacters: number): string {
  const line = text.replace(STEERING, ' ').replace(/\s+/g, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line;
}

/** Makes text from outside safe for a terminal, line by line. */
export function foreignLines(text: string): [string, ...string[]] {
  const [first = '', ...others] = text
    .split(/\r\n|\n|\r/)
    .map(line => line.replace(/\t/g, '  ').replace(STEERING, ' '));
  return [first, ...others];
}

/** Formats labels with texts in a column. A label without text is left out. A label with several texts has a line for each. */
export function aboutLines(rows: readonly (readonly [about: string, ...texts: string[]])[]): string[] {
  const width = Math.max(...rows.map(([about]) => about.length));
  return rows.flatMap(([about, ...texts]) => texts.map(text => `${about.padEnd(width)}  ${text}`));
}

/** The line length of help texts. */
const LINE = 110;

export function listedNames(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + name.length + 2 > LINE) lines.push(name);
    else lines[lines.length - 1] = line === '' ? name : `${line}, ${name}`;
  }
  return lines.join(',\n');
}

/** A paragraph as lines of at most `width`, every line but the first indented by two. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines;
}

/**
 * Characters that control a terminal, or that hide or reorder text, such as a right-to-left override: C0 and C1 controls and format
 * characters. Joiners are allowed, because some scripts and emoji need them.
 */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A UTF-16 code unit as a JSON escape. */
const spelled = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Formats JSON on one line, with control characters escaped, so that it parses to the same value. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, character => character.split('').map(spelled).join(''));
}

/** A column of a table: its heading, and its cell for each row. */
export interface Column<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  cell(row: Row): string;
}

/** Formats a table. Each column is as wide as its widest cell. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const cells = [columns.map(({ heading }) => heading), ...rows.map(row => columns.map(column => column.cell(row)))];
  const widths = columns.map((_, i) => Math.max(...cells.map(line => line[i]?.length ?? 0)));
  return cells.map(line =>
    columns
      .map(({ align }, i) => {
        const cell = line[i] ?? '';
        const width = widths[i] ?? 0;
        return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Where a list is shown. */
export interface Screen {
  readonly paint: Paint;
  /** Of the terminal. @default - unlimited, for files and pipes */
  readonly width?: number | undefined;
}

export function screenOf(output: Output): Screen {
  return { paint: paintFor(output), width: output.columns };
}

/** A row in a few lines: the cell of the first column, and the others below it with their headings. */
function block<Row>([first, ...others]: readonly Column<Row>[], row: Row): readonly string[] {
  const facts = others.map(({ heading, cell }) => [heading.toLowerCase(), cell(row)] as const);
  return [first?.cell(row) ?? '', ...aboutLines(facts).map(line => `  ${line}`.trimEnd())];
}

/**
 * A table whose rows that need attention are highlighted. In a terminal that is too narrow for it, each row has a few lines.
 * @param needsAttention whether an operator should look at a row first
 */
export function listLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { paint, width = Number.POSITIVE_INFINITY }: Screen,
  needsAttention: (row: Row) => boolean,
): string[] {
  const [heading = '', ...lines] = table(columns, rows);
  const isTable = [heading, ...lines].every(line => line.length <= width);
  const shown = rows.flatMap((row, at) => {
    const [first = '', ...others] = isTable ? [lines[at] ?? ''] : block(columns, row);
    return [needsAttention(row) ? paint.yellow(first) : first, ...others];
  });
  return isTable ? [paint.bold(heading), ...shown] : shown;
}

const ADVICE_WIDTH = 100;

/** Formats advice as a list. Each command is on a line of its own, so that it can be copied. */
export function adviceLines(advice: readonly string[]): string[] {
  return advice.flatMap(text => {
    const [first = '', ...commands] = text.split('\n');
    return [...wrap(`* ${first}`, ADVICE_WIDTH), ...commands.map(command => `    ${command}`)];
  });
}

/** Wider text is hard to read. */
const WIDTH = 100;

/** The width of prose: that of the terminal, but at most 100 characters. */
export function proseWidth({ columns = WIDTH }: Pick<Output, 'columns'>): number {
  return Math.min(columns, WIDTH);
}

/** Commands and JSON, which users copy. */
const COPIED = /^(aws|dlo|#) |^\{/;

/** The beginning of a line: an indent, and a label in a column. */
const HEAD = /^\s*(?:\S+(?: \S+)* {2,})?/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes take no room on the screen.
const PAINT = /\u001b\[[\d;]*m/g;

const widthOf = (text: string) => text.replace(PAINT, '').length;

/** Breaks a line between words. The following lines are indented below the text. */
function foldLine(line: string, width: number): string[] {
  const [head = ''] = HEAD.exec(line) ?? [];
  const text = line.slice(head.length);
  // Rows of a table are not broken.
  if (widthOf(line) <= width || COPIED.test(text) || text.includes('  ')) return [line];
  const indent = ' '.repeat(head.trim() === '' ? widthOf(head) + 2 : widthOf(head));
  const lines: string[] = [];
  let current = head;
  for (const word of text.split(' ')) {
    const isFirst = current === head || current === indent;
    if (isFirst) current += word;
    else if (widthOf(current) + 1 + widthOf(word) <= width) current += ` ${word}`;
    else {
      lines.push(current);
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
}

/**
 * Breaks prose to the width of a terminal. Commands stay on one line, so that they can be copied. Output to a file or pipe is
 * unchanged, unless COLUMNS is set.
 */
export function folded(text: string, { columns }: Pick<Output, 'columns'>): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap(line => foldLine(line, columns))
    .join('\n');
}

export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

/** No highlighting: for files, pipes and tests. */
export const plainPaint: Paint = createColors(false);

export function paintFor({ isTTY, hasColor = isTTY }: Pick<Output, 'isTTY' | 'hasColor'>): Paint {
  return createColors(hasColor);
}
