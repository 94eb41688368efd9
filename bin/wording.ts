import { isoInstant } from '../local';
import { STEERING } from './steering';

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
