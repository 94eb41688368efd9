import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, SOURCE_FOLDERS, sourceFiles } from './source-files';

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

/** The paths of the files that `npm pack` would pack. On Windows npm is a script, which only a shell can run. */
function packedFiles(): string[] {
  const windows = process.platform === 'win32';
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const options = { cwd: ROOT, encoding: 'utf8', shell: windows, stdio: 'pipe' } as const;
  const [packed] = JSON.parse(execFileSync(windows ? 'npm.cmd' : 'npm', args, options)) as [Packed];
  return packed.files.map(file => file.path);
}

/** The files a user needs: the constructs and what they import, the bundles, and their types. */
const EXPECTED = [
  /^(package\.json|README\.md|CONTRIBUTING\.md|LICENSE|NOTICE|CHANGELOG\.md|\.jsii)$/,
  /^dist\/(lib|diagnosis|policy|template)\/[\w/.-]+\.(js|d\.ts)$/,
  /^dist\/template\/access\/managed-policies\.json$/,
  /^dist\/lambda\/[\w-]+\/index\.js(\.map)?$/,
  /^dist\/((consumer|fleet|matchers)\/index|local\/(index|function\.worker)|bin\/dlo)\.js$/,
  /^dist\/(consumer|fleet|local|matchers)\/index(\.d\.mts|\.mjs)$/,
  /^dist\/bin\/libraries\.js$/,
  /^dist\/(consumer|fleet|local|matchers)\/index\.d\.ts$/,
  /^dist\/process\/[\w-]+\/index\.js$/,
  /^dist\/console\/(console\.(js|css)|(index|signed-out)\.html|icon\.svg)$/,
  /^dist\/THIRD-PARTY-NOTICES$/,
  /^docs\/[\w/.-]+\.(md|svg|png|ts|py|json)$/,
];

describe('the npm package', () => {
  test('contains only what a user needs', () => {
    const files = packedFiles();
    expect(files.filter(file => !EXPECTED.some(pattern => pattern.test(file)))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        '.jsii',
        'LICENSE',
        'README.md',
        'dist/lib/index.js',
        'dist/lib/index.d.ts',
        'dist/bin/dlo.js',
        'dist/bin/libraries.js',
        'dist/consumer/index.js',
        'dist/consumer/index.d.ts',
        'dist/fleet/index.js',
        'dist/fleet/index.d.ts',
        'dist/local/index.js',
        'dist/matchers/index.js',
        'dist/local/index.d.ts',
        'dist/THIRD-PARTY-NOTICES',
      ]),
    );
  });

  test('contains the guides to which README, the guides and docstrings refer', () => {
    const files = packedFiles();
    const isPacked = (it: string) => files.some(file => file === it || file.startsWith(`${it}/`));
    const linked = ['README.md', ...files.filter(file => /^docs\/[\w-]+\.md$/.test(file))].flatMap(page =>
      [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
        path.posix.join(path.posix.dirname(page), target),
      ),
    );
    // Guides link sources and tests for who works on this package. README does not.
    const sources = new RegExp(`^(${[...SOURCE_FOLDERS, 'test'].join('|')})/`);
    const ofReaders = linked.filter(it => !sources.test(it));
    const said = SOURCE_FOLDERS.flatMap(sourceFiles).flatMap(({ text }) => text.match(/\bdocs\/[\w/-]+\.md/g) ?? []);
    expect([ofReaders.length, said.length].every(it => it > 5)).toBe(true);
    expect([...ofReaders, ...said].filter(it => !isPacked(it))).toEqual([]);
  });

  test('brings no package, and runs no code when it is installed', () => {
    const { scripts, ...manifest } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(manifest).filter(name => /^(optionalD|bundleD|bundledD|d)ependencies$/.test(name))).toEqual([]);
    expect(Object.keys(scripts).filter(name => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  test('contains the licences of the packages it bundles', () => {
    const notices = readFileSync(path.join(ROOT, 'dist/THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of ['commander', '@aws-sdk/client-sqs', 'velocityjs', 'pure-rand']) {
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    }
    expect(notices).toContain('Permission is hereby granted, free of charge');
  });
});
