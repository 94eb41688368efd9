import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './source-files';

function check(...args: readonly string[]): { readonly status: number | null; readonly problems: readonly string[] } {
  const script = path.join(ROOT, '.scripts/assumptions.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check', ...args], { encoding: 'utf8' });
  return { status, problems: stderr.split('\n').slice(0, -1) };
}

test('each assumption about AWS in the code has a row in docs/assumptions.md, and each row a mark and its tests', () => {
  expect(check()).toEqual({ status: 0, problems: [] });
});

describe('the check of assumptions names', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dlo-assumptions-'));
    for (const name of ['docs', 'local', 'test']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, 'test/fine.test.ts'), "test('works (assumption SQS-1)', () => {});\n");
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const mark = (id = '') => `/** **Assumption${id}:** It is so. */\n`;
  const row = (id: string, tests = '`fine.test.ts`') => `| ${id} | It is so | AWS says little | a probe | ${tests} |`;

  test.each<[what: string, code: string, rows: readonly string[], problem: string | undefined]>([
    ['nothing', mark(' SQS-1'), [row('SQS-1')], undefined],
    [
      'a mark without a row',
      mark(' SQS-2'),
      [row('SQS-1')],
      'local/code.ts:1: SQS-2 has no row in docs/assumptions.md',
    ],
    [
      'a mark without an id',
      `\n${mark()}`,
      [row('SQS-1')],
      'local/code.ts:2: an assumption without an id has no row in docs/assumptions.md',
    ],
    [
      'a mark that is broken between two lines',
      '/**\n * It is so. **Assumption\n * SQS-3:** Or not.\n */\n',
      [row('SQS-1')],
      'local/code.ts:2: SQS-3 has no row in docs/assumptions.md',
    ],
    [
      'a remark in other words',
      '// AWS does not\n// publish this.\n',
      [row('SQS-1')],
      'local/code.ts:1: "AWS does not publish" must be marked **Assumption <id>:** and have a row in docs/assumptions.md',
    ],
    [
      'a row without a mark',
      '',
      [row('SQS-1'), row('SQS-2', 'none')],
      'docs/assumptions.md:2: no comment is marked **Assumption SQS-2:**. Mark the code, or delete the row',
    ],
    ['an id with two rows', '', [row('SQS-1'), row('SQS-1')], 'docs/assumptions.md:2: SQS-1 has two rows'],
    [
      'a test that does not exist',
      '',
      [row('SQS-1', '`gone.test.ts`')],
      'docs/assumptions.md:1: the test of SQS-1 must exist, got gone.test.ts',
    ],
    [
      'a row without tests',
      '',
      [row('SQS-1', 'some')],
      'docs/assumptions.md:1: the tests of SQS-1 must be files or none, got some',
    ],
  ])('%s', (_, code, rows, problem) => {
    writeFileSync(path.join(folder, 'local/code.ts'), code);
    writeFileSync(path.join(folder, 'docs/assumptions.md'), `${rows.join('\n')}\n`);
    expect(check('--root', folder)).toEqual({ status: problem ? 1 : 0, problems: problem ? [problem] : [] });
  });
});
