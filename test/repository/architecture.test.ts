import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, SOURCE_FOLDERS } from './source-files';

const PAGE = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');

/** The rows of the table below a heading, as cells. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = PAGE.split(`## ${heading}\n`);
  const [table = ''] = section.split(/^## /m);
  const rows = table.split('\n').filter(line => line.startsWith('| '));
  return rows.slice(1).map(row => row.split('|').slice(1, -1));
}

/** The folders and files that a text names in backticks; those with a placeholder are left out. */
function pathsIn(text = ''): string[] {
  const quoted = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
  return quoted.filter(name => name.endsWith('/') || /^[\w-]+\/.*\.ts$/.test(name));
}

describe('docs/architecture.md', () => {
  test.each(rowsBelow('Folders').map(([folder = '', contents]) => ({ folder: pathsIn(folder)[0] ?? '', contents })))(
    'names folders that exist: $folder',
    ({ folder, contents }) => {
      expect(existsSync(path.join(ROOT, folder))).toBe(true);
      const missing = pathsIn(contents).filter(
        name => ![folder, ''].some(parent => existsSync(path.join(ROOT, parent, name))),
      );
      expect(missing).toEqual([]);
    },
  );

  test('names every folder of the tests that does not mirror a folder of the source', () => {
    const [, contents] = rowsBelow('Folders').find(([folder = '']) => folder.includes('`test/`')) ?? [];
    const folders = readdirSync(path.join(ROOT, 'test'), { withFileTypes: true }).filter(it => it.isDirectory());
    const own = folders.map(({ name }) => name).filter(name => name === 'examples' || !SOURCE_FOLDERS.includes(name));
    expect(own.map(name => `${name}/`).filter(name => !pathsIn(contents).includes(name))).toEqual([]);
  });

  test.each(['Where to find a rule', 'Inside the embedded AWS'])('names files and folders that exist: %s', heading => {
    const paths = rowsBelow(heading).flatMap(cells => cells.flatMap(pathsIn));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter(name => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });
});
