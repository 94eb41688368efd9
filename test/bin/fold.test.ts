import { folded, proseWidth } from '../../bin/fold';

const TERMINAL = { isTTY: true, columns: 30 };

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
    expect(folded(text, { isTTY: false })).toBe(text);
    expect(folded(text, { isTTY: true })).toBe(text);
  });

  test('is as wide as the terminal, and never wider than is easily read', () => {
    expect([{ columns: 80 }, { columns: 240 }, {}].map(proseWidth)).toEqual([80, 100, 100]);
  });
});
