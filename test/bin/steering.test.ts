import { writeJson } from '../../bin/print';
import { foreignLines, foreignText } from '../../bin/wording';
import { MemoryIo } from './policy/memory-io';

/** Of C0, of C1, and of what turns text around or hides in it. */
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

test('what joins letters stays, and every script', () => {
  const text = 'می\u200cخواهم 👩\u200d🚀 Zoë';
  expect([foreignText(text, 80), foreignLines(text)]).toEqual([text, [text]]);
});
