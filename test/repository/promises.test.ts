import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './source-files';

/** A sentence on which users rely. `npm run check:promises` plays its test with and without its mutant. */
interface PromiseRow {
  readonly id: string;
  readonly says: string;
  /** When it holds, and its limits. */
  readonly when: string;
  /** What it rests on. `local`: AWS has no part in it. */
  readonly evidence: keyof typeof EVIDENCE;
  /** What does not hold yet, beyond the sentence. @default - nothing is known */
  readonly notYet?: string;
  /** The test that tries to break it; `only` is one row of a `test.each`. */
  readonly test: { readonly file: string; readonly title: string; readonly only?: string };
  /** A change of one line under which the test fails. */
  readonly mutant: { readonly file: string; readonly from: string; readonly to: string };
}

interface Part {
  readonly title: string;
  readonly promises: readonly PromiseRow[];
}

const EVIDENCE = {
  recorded: 'recorded on AWS',
  documented: 'documented by AWS',
  simulated: 'simulated only',
  local: 'without AWS',
} as const;

const GUIDE = path.join(ROOT, 'docs/promises.md');
const MOST = 40;

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const { parts }: { parts: readonly Part[] } = JSON.parse(read('test/repository/promises.json'));
const rows = parts.flatMap(({ promises }) => promises);

const cell = (text: string) => text.replaceAll('|', '\\|');
const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...lines].map(it => `| ${it.map(cell).join(' | ')} |\n`).join('');

function partText({ title, promises }: Part): string {
  const lines = promises.map(({ id, says, when, evidence, notYet, test }) => [
    `<a id="${id}"></a>${says}`,
    `${when}${notYet === undefined ? '' : ` **Not yet:** ${notYet}`}`,
    `[${EVIDENCE[evidence]}](../${test.file})`,
  ]);
  return `## ${title}\n\n${table(['Promise', 'When, and its limits', 'Evidence'], lines)}\n`;
}

test('docs/promises.md has the promises, each with a link to its test', () => {
  const page = readFileSync(GUIDE, 'utf8');
  const text = parts.map(partText).join('').trimEnd();
  const wanted = page.replace(
    /(<!-- promises -->\n)[\s\S]*?(<!-- \/promises -->)/,
    (_, start: string, end: string) => `${start}${text}\n${end}`,
  );
  const isRewritten = process.env['DLO_REWRITE_DOCS'] !== undefined;
  if (isRewritten) writeFileSync(GUIDE, wanted);
  expect(isRewritten ? wanted : page).toBe(wanted);
});

test(`there are at most ${MOST}, each with an id, a sentence, its limits and its evidence`, () => {
  expect(rows.length).toBeLessThanOrEqual(MOST);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const { id, says, when, evidence } of rows) {
    expect([id, says, when]).toEqual([
      expect.stringMatching(/^[a-z-]+$/),
      expect.stringMatching(/\.$/),
      expect.stringMatching(/\.$/),
    ]);
    expect(Object.keys(EVIDENCE)).toContain(evidence);
  }
});

test.each(rows)('$id names a test that exists, and one line of the source', ({ test: tried, mutant }) => {
  expect(read(tried.file)).toContain(tried.title);
  expect(read(mutant.file).split(mutant.from)).toHaveLength(2);
  expect(mutant.to).not.toBe(mutant.from);
  expect(`${mutant.from}${mutant.to}`).not.toContain('\n');
});
