import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './source-files';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** A stack as somebody else would write it, in plain JavaScript, in a folder without esbuild or TypeScript. */
const APP = `
const { App } = require('aws-cdk-lib');
const { RentalOrdersStack } = require('dead-letter-office');
const app = new App({ outdir: 'cdk.out' });
new RentalOrdersStack(app, 'Elsewhere');
app.synth();
`;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the npm package', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-package-'));
  const [packed] = JSON.parse(
    execFileSync(NPM, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    }),
  ) as [Packed];

  afterAll(() => rmSync(folder, { recursive: true }));

  test('holds only what a user needs', () => {
    const unexpected = packed.files
      .map(file => file.path)
      .filter(file => !/^(package\.json|README\.md|LICENSE|NOTICE|CHANGELOG\.md|\.jsii)$/.test(file))
      .filter(file => !/^dist\/lib\/[\w/.-]+\.(js|d\.ts)$/.test(file))
      .filter(file => !/^dist\/(lambda\/[\w-]+|local|bin)\/[\w.-]+\.js(\.map|\.LEGAL\.txt)?$/.test(file));
    expect(unexpected).toEqual([]);
    expect(packed.files.map(file => file.path)).toEqual(
      expect.arrayContaining([
        '.jsii',
        'LICENSE',
        'README.md',
        'dist/lib/index.js',
        'dist/lib/index.d.ts',
        'dist/bin/dlo.js',
      ]),
    );
  });

  test('has nothing publint would complain about', () => {
    const publint = path.join(ROOT, 'node_modules', 'publint', 'src', 'cli.js');
    const { status, stdout } = spawnSync(
      process.execPath,
      [publint, 'run', path.join(folder, packed.filename), '--strict'],
      { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    );
    const said = stdout.trim().split('\n').slice(1);
    expect({ status, said: said.filter(line => !/^(Unp|P)acking|^Linting/.test(line)) }).toEqual({
      status: 0,
      said: ['All good!'],
    });
  });

  test('synthesizes a stack in another folder, without esbuild', () => {
    const modules = path.join(folder, 'node_modules');
    mkdirSync(modules);
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }));
    execFileSync(
      NPM,
      [
        'install',
        '--offline',
        '--no-save',
        '--ignore-scripts',
        '--legacy-peer-deps',
        path.join(folder, packed.filename),
      ],
      { cwd: folder, stdio: 'pipe' },
    );
    for (const peer of ['aws-cdk-lib', 'constructs']) {
      symlinkSync(path.join(ROOT, 'node_modules', peer), path.join(modules, peer), 'junction');
    }
    writeFileSync(path.join(folder, 'app.js'), APP);
    execFileSync(process.execPath, ['app.js'], { cwd: folder, stdio: 'pipe' });

    expect(existsSync(path.join(modules, 'esbuild'))).toBe(false);
    const template = JSON.parse(readFileSync(path.join(folder, 'cdk.out', 'Elsewhere.template.json'), 'utf8'));
    const types = Object.values<{ Type: string }>(template.Resources).map(({ Type }) => Type);
    expect(types).toEqual(expect.arrayContaining(['AWS::SNS::Topic', 'AWS::SQS::Queue', 'AWS::Lambda::Function']));
  });
});
