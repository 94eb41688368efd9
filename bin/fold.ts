import type { Output } from './io';

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
