import { createColors } from 'picocolors';
import { isoInstant } from '../local';
import type { Output } from './io';

/** `2026-01-05 02:00 UTC`. */
export function formatInstant(atMs: number): string {
  return `${isoInstant(atMs).slice(0, 16).replace('T', ' ')} UTC`;
}

/** Somebody else's words, on one line: what would steer a terminal is taken out. */
export function foreignText(text: string, mostCharacters: number): string {
  const line = text.replace(STEERING, ' ').replace(/\s+/g, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line;
}

/** Somebody else's words, line by line: what would steer a terminal is taken out. */
export function foreignLines(text: string): [string, ...string[]] {
  const [first = '', ...others] = text
    .split(/\r\n|\n|\r/)
    .map(line => line.replace(/\t/g, '  ').replace(STEERING, ' '));
  return [first, ...others];
}

/** Each text behind what it is about, in a column; what has no text is left out, and what has several has a line for each. */
export function aboutLines(rows: readonly (readonly [about: string, ...texts: string[]])[]): string[] {
  const width = Math.max(...rows.map(([about]) => about.length));
  return rows.flatMap(([about, ...texts]) => texts.map(text => `${about.padEnd(width)}  ${text}`));
}

/** As long as the lines of a help text are. */
const LINE = 110;

/** Names in a sentence, broken into lines. */
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
 * What a terminal obeys, or what turns text around or hides in it, such as a right-to-left override: controls of C0 and C1, and
 * format characters. Not those that join letters, which scripts need, and emoji.
 */
export const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A unit of UTF-16, as JSON may spell it. */
const spelled = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as JSON on one line, in which nothing steers a terminal: it means the same to whoever reads it. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, character => character.split('').map(spelled).join(''));
}

/** A column of a table: its heading, and what stands in it for each row. */
export interface Column<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  cell(row: Row): string;
}

/** Lines of text in which each column is as wide as its widest cell. */
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

const ADVICE_WIDTH = 100;

/** What to do, point by point; a command has a line of its own, as it is, so that it can be copied. */
export function adviceLines(advice: readonly string[]): string[] {
  return advice.flatMap(text => {
    const [first = '', ...commands] = text.split('\n');
    return [...wrap(`* ${first}`, ADVICE_WIDTH), ...commands.map(command => `    ${command}`)];
  });
}

/** Our choice: wider than that, prose is hard to read. */
const WIDTH = 100;

/** How wide prose is: as the terminal is, and never wider than is easily read. */
export function proseWidth({ columns = WIDTH }: Pick<Output, 'columns'>): number {
  return Math.min(columns, WIDTH);
}

/** What somebody may want to copy. */
const COPIED = /^(aws|dlo) |^\{/;

/** What a line begins with: an indent, and what the text is about that stands behind it in a column. */
const HEAD = /^\s*(?:\S+(?: \S+)* {2,})?/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints text, and takes no room on the screen.
const PAINT = /\u001b\[[\d;]*m/g;

const widthOf = (text: string) => text.replace(PAINT, '').length;

/** Lines that are no wider, where there are words to break between: all but the first begin below the text. */
function foldLine(line: string, width: number): string[] {
  const [head = ''] = HEAD.exec(line) ?? [];
  const text = line.slice(head.length);
  // The rows of a table stay what they are.
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
 * Text as it stands on a terminal: prose is broken between words where it is wider than that, commands stay whole, so that
 * they can be copied. Elsewhere it is as it was.
 */
export function folded(text: string, { isTTY, columns }: Pick<Output, 'isTTY' | 'columns'>): string {
  if (!isTTY || columns === undefined) return text;
  return text
    .split('\n')
    .flatMap(line => foldLine(line, columns))
    .join('\n');
}

/** How text is made to stand out, where a terminal can. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

/** For files, pipes and tests. */
export const plainPaint: Paint = createColors(false);

/** @param coloured whether a person is looking at it in a terminal */
export function paintFor(coloured: boolean): Paint {
  return createColors(coloured);
}
