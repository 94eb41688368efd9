import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './source-files';

/** Runs npm; on Windows it is a script, which only a shell can run. */
function npm(args: readonly string[], cwd: string): string {
  const windows = process.platform === 'win32';
  return execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd, encoding: 'utf8', shell: windows, stdio: 'pipe' });
}

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
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)) as [
    Packed,
  ];

  afterAll(() => rmSync(folder, { recursive: true }));

  test('holds only what a user needs', () => {
    const unexpected = packed.files
      .map(file => file.path)
      .filter(file => !/^(package\.json|README\.md|LICENSE|NOTICE|CHANGELOG\.md|\.jsii)$/.test(file))
      .filter(file => !/^dist\/lib\/[\w/.-]+\.(js|d\.ts)$/.test(file))
      .filter(file => !/^dist\/(lambda\/[\w-]+\/index|local\/function\.worker|bin\/dlo)\.js(\.map)?$/.test(file))
      .filter(file => file !== 'dist/THIRD-PARTY-NOTICES');
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

  describe('installed in another folder, without esbuild', () => {
    const modules = path.join(folder, 'node_modules');

    /** Runs node there. */
    const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

    beforeAll(() => {
      mkdirSync(modules);
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }));
      const offline = ['--offline', '--no-save', '--ignore-scripts', '--legacy-peer-deps'];
      npm(['install', ...offline, path.join(folder, packed.filename)], folder);
      for (const peer of ['aws-cdk-lib', 'constructs']) {
        symlinkSync(path.join(ROOT, 'node_modules', peer), path.join(modules, peer), 'junction');
      }
    });

    test('synthesizes a stack', () => {
      writeFileSync(path.join(folder, 'app.js'), APP);
      expect(node('app.js')).toMatchObject({ status: 0 });
      expect(existsSync(path.join(modules, 'esbuild'))).toBe(false);
      const template = JSON.parse(readFileSync(path.join(folder, 'cdk.out', 'Elsewhere.template.json'), 'utf8'));
      const types = Object.values<{ Type: string }>(template.Resources).map(({ Type }) => Type);
      expect(types).toEqual(expect.arrayContaining(['AWS::SNS::Topic', 'AWS::SQS::Queue', 'AWS::Lambda::Function']));
    });

    test('runs dlo: it explains a policy, and plays the story', () => {
      const dlo = path.join(modules, '.bin', 'dlo');
      const explained = node(dlo, 'policy', 'explain', '--preset', 'http-default', '--json');
      expect(JSON.parse(explained.stdout)).toMatchObject({ totalSeconds: 60, problems: [] });
      const played = node(dlo, 'story', 'rental', '--json');
      expect(played).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(played.stdout)).toMatchObject({ lost: 0, unaccounted: 0 });
    }, 60_000);
  });

  test('passes on the licences of what it has bundled', () => {
    const notices = readFileSync(path.join(ROOT, 'dist/THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of ['commander', '@aws-sdk/client-sqs', 'velocityjs', 'pure-rand']) {
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    }
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(packed.files.map(file => file.path)).toContain('dist/THIRD-PARTY-NOTICES');
  });
});
