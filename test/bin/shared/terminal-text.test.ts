import { writeJson } from '../../../bin/shared/print';
import {
  type Column,
  folded,
  foreignLines,
  foreignText,
  proseWidth,
  table,
  wrap,
} from '../../../bin/shared/terminal-text';
import { MemoryIo } from './memory-io';

const TERMINAL = { columns: 30 };

const at30 = (text: string) => folded(text, TERMINAL).split('\n');

describe('text on a terminal', () => {
  test.each([
    ['prose', 'one two three four five six seven eight', ['one two three four five six', '  seven eight']],
    ['indented prose', '  one two three four five six seven', ['  one two three four five six', '    seven']],
    [
      'text behind what it is about',
      '   Example  one two three four five six',
      ['   Example  one two three four', '            five six'],
    ],
    ['a short line', 'one two', ['one two']],
    [
      'a word that is too long',
      'at https://example.com/a/very/long/path',
      ['at', '  https://example.com/a/very/long/path'],
    ],
  ])('breaks %s between words', (_, text, lines) => {
    expect(at30(text)).toEqual(lines);
  });

  test.each([
    '   Mend  aws sqs set-queue-attributes --cli-input-json \'{"QueueUrl":"x"}\'',
    '    {"Effect":"Allow", "Action":"sqs:SendMessage"}',
    '  dlo dlq redrive orders-dlq --execute 12-k3f9xac0m7pq',
    'orders-dlq   12   0   0   2 h 3 min   in 3 d   subscription orders',
  ])('leaves whole what is copied, and the rows of a table: %s', line => {
    expect(at30(line)).toEqual([line]);
  });

  test('counts no paint', () => {
    const painted = `\u{1b}[33m${'one two three four five six 12'}\u{1b}[39m`;
    expect(at30(painted)).toEqual([painted]);
  });

  test('elsewhere stays what it was', () => {
    const text = 'one two three four five six seven eight';
    expect(folded(text, {})).toBe(text);
  });

  test('is as wide as the terminal, and never wider than is easily read', () => {
    expect([{ columns: 80 }, { columns: 240 }, {}].map(proseWidth)).toEqual([80, 100, 100]);
  });
});

describe('steering', () => {
  /** Control characters: C0, C1, and those that reverse or hide text. */
  const STEERING: readonly (readonly [what: string, sign: string])[] = [
    ['an escape', '\u001b'],
    ['a control sequence of 8 bits', '\u009b'],
    ['a right-to-left override', '\u202e'],
    ['an isolate', '\u2066'],
    ['a mark', '\u061c'],
    ['a line separator', '\u2028'],
    ['a space of no width', '\u200b'],
    ['a tag beyond the first plane', '\u{e0041}'],
  ];

  describe.each(STEERING)('Of somebody else’s text, %s', (_, sign) => {
    test('is taken out', () => {
      expect(foreignText(`invoice${sign}${sign}fdp.exe`, 80)).toBe('invoice fdp.exe');
      expect(foreignLines(`one\ninvoice${sign}fdp.exe`)).toEqual(['one', 'invoice fdp.exe']);
    });

    test('is spelled in JSON, which means the same', () => {
      const io = new MemoryIo();
      const document = { body: `invoice${sign}fdp.exe` };
      writeJson(io, document);
      expect(io.out).toMatch(/^\{"body":"invoice(\\u[0-9a-f]{4})+fdp\.exe"\}\n$/);
      expect(JSON.parse(io.out)).toEqual(document);
    });
  });

  test('what joins messages stays, and every script', () => {
    const text = 'می\u200cخواهم 👩\u200d🚀 Zoë';
    expect([foreignText(text, 80), foreignLines(text)]).toEqual([text, [text]]);
  });
});

describe('table', () => {
  const COLUMNS: readonly Column<{ name: string; count: number }>[] = [
    { heading: 'name', align: 'left', cell: ({ name }) => name },
    { heading: 'n', align: 'right', cell: ({ count }) => String(count) },
    { heading: 'note', align: 'left', cell: ({ count }) => (count > 1 ? 'many' : '') },
  ];

  test('a table makes each column as wide as its widest cell, and leaves no space at the end of a line', () => {
    const rows = [
      { name: 'a', count: 1 },
      { name: 'longest', count: 100 },
    ];
    expect(table(COLUMNS, rows)).toEqual(['name       n  note', 'a          1', 'longest  100  many']);
  });

  test('a table without rows is its headings', () => {
    expect(table(COLUMNS, [])).toEqual(['name  n  note']);
  });
});

test('wording: a paragraph is wrapped at spaces only', () => {
  expect(wrap('one two three', 9)).toEqual(['one two', '  three']);
  expect(wrap('unbreakable', 3)).toEqual(['unbreakable']);
});
