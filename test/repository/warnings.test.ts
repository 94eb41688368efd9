import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WARNING_IDS } from '../../lib/shared/checks';
import { ROOT, sourceFiles } from './source-files';

const DOCS = readFileSync(path.join(ROOT, 'docs', 'warnings.md'), 'utf8');

/** The rows of the one table, as cells. */
const rows = DOCS.split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => line.split('|').map(cell => cell.trim()))
  .map(([, id = '', ...cells]) => ({ id: id.replaceAll('`', ''), cells: cells.slice(0, -1) }));

/** All docstrings of the constructs: a user looks there for what they warn of. */
const docstrings = sourceFiles('lib')
  .flatMap(({ text }) => text.match(/\/\*\*[\s\S]*?\*\//g) ?? [])
  .join('\n');

const tests = ['test/lib', 'test/deployed']
  .flatMap(sourceFiles)
  .map(({ text }) => text)
  .join('\n');

test('the table of warnings has a row for each warning, in alphabetical order', () => {
  expect(rows.map(({ id }) => id)).toEqual([...WARNING_IDS]);
  expect([...WARNING_IDS].sort()).toEqual([...WARNING_IDS]);
});

describe.each(WARNING_IDS)('The warning %s', id => {
  test('is explained, with what to do about it', () => {
    const { cells } = rows.find(row => row.id === id) ?? { cells: [] };
    expect(cells).toEqual([expect.stringMatching(/^[A-Z`].*\.$/), expect.stringMatching(/^[A-Z`].*\.$/)]);
  });

  test('is named in the docstring of the construct that raises it', () => {
    expect(docstrings).toMatch(new RegExp(`dead-letter-office:${id}\\b(?!-)`));
  });

  test('is raised in a test', () => {
    expect(tests).toContain(`'${id}'`);
  });
});
