/**
 * Packs the package, and installs it in a temporary folder without the CDK, with Vite and webpack. There it bundles a
 * program that uses `/local`, `/matchers`, `/consumer` and `/fleet` with each of them, and runs what they write. The long tests
 * do the same with esbuild. Needs npm's registry and a build, and takes about two minutes.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeSmallAssembly } from './small-assembly.mjs';

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-bundlers-'));
const PROGRAM = 'package-program.mjs';
const PRINTED = 'hello Ada, invalid, done, false\n';

const VITE = `export default {
  ssr: { noExternal: true },
  build: { ssr: '${PROGRAM}', outDir: 'vite' },
};`;
const WEBPACK = `module.exports = {
  mode: 'development',
  devtool: false,
  target: 'node',
  entry: './${PROGRAM}',
  output: { path: __dirname + '/webpack', filename: 'program.cjs' },
};`;

function run(command, args, options = {}) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${path.basename(command)} ${args.join(' ')}\n${stdout}${stderr}`.trimEnd());
  return stdout;
}

/** On Windows npm is a script, which only a shell can run. */
function npm(...args) {
  const windows = process.platform === 'win32';
  return run(windows ? 'npm.cmd' : 'npm', args, { shell: windows });
}

function prints(file, what) {
  const printed = run(process.execPath, [file]);
  if (printed !== PRINTED) throw new Error(`${what} prints ${printed}`);
  console.log(`ok  ${what}`);
}

try {
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }));
  const [{ filename }] = JSON.parse(npm('pack', root, '--json', '--ignore-scripts'));
  npm(
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `./${filename}`,
    'vite@8',
    'webpack@5',
    'webpack-cli@7',
  );
  copyFileSync(path.join(import.meta.dirname, PROGRAM), path.join(folder, PROGRAM));
  mkdirSync(path.join(folder, 'small'));
  writeSmallAssembly(path.join(folder, 'small'));
  writeFileSync(path.join(folder, 'vite.config.mjs'), VITE);
  writeFileSync(path.join(folder, 'webpack.config.cjs'), WEBPACK);
  prints(PROGRAM, 'Node.js, as a module');
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build']);
  prints(path.join('vite', PROGRAM), 'Vite');
  run(process.execPath, ['node_modules/webpack-cli/bin/cli.js']);
  prints(path.join('webpack', 'program.cjs'), 'webpack');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
