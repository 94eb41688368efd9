/**
 * Installs packages of AWS Solutions Constructs in a temporary folder, synthesizes each with the aws-cdk-lib of this
 * repository, and deploys it in the embedded AWS. Prints a table. Ends with 1 where a deployment fails. A package that does
 * not synthesize with this aws-cdk-lib is only reported. Needs npm's registry, and takes half a minute.
 * test/local/patterns deploys the same patterns, and others, without the packages.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LocalAws } from '../dist/local/index.js';
import { PATTERN_PACKAGES, patternProps } from './pattern-packages.mjs';

const { devDependencies } = createRequire(import.meta.url)('../package.json');
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'dlo-patterns-')));
const SCOPE = '@aws-solutions-constructs/';

function install() {
  const names = Object.keys(PATTERN_PACKAGES);
  const versions = ['aws-cdk-lib', 'constructs'].map(name => [name, devDependencies[name]]);
  const packages = names.map(name => [SCOPE + name, '^2.0.0']);
  const dependencies = Object.fromEntries([...versions, ...packages]);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const windows = process.platform === 'win32';
  // The packages are of several versions, each for another version of their core.
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const { status, stderr } = spawnSync(windows ? 'npm.cmd' : 'npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: windows,
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}\n${stderr}`);
  return names;
}

function synthesize(require, name) {
  const { App, Stack } = require('aws-cdk-lib');
  const outdir = path.join(folder, 'out', name);
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'App');
  const Pattern = require(SCOPE + name)[PATTERN_PACKAGES[name]];
  new Pattern(stack, 'Pattern', patternProps(require, name, stack));
  app.synth();
  return outdir;
}

const firstLine = error => String(error.message).split('\n')[0];

/** The row of a pattern: whether it deployed, and what is not simulated in it. */
async function check(require, name) {
  let assembly;
  try {
    assembly = synthesize(require, name);
  } catch (error) {
    return { name, result: 'not synthesized', about: firstLine(error) };
  }
  try {
    const aws = await LocalAws.deploy(assembly, { standIns: 'warn' });
    const types = new Set(
      aws.standIns.map(({ type, what, member }) => (what === 'resource' ? type : `${type} ${member}`)),
    );
    await aws.close();
    return { name, result: 'deployed', about: [...types].join(', ') };
  } catch (error) {
    return { name, result: 'failed', about: firstLine(error) };
  }
}

try {
  const names = install();
  const require = createRequire(path.join(folder, 'package.json'));
  // The packages print which of their defaults are overridden.
  const { log, warn } = console;
  console.log = console.warn = () => {};
  const rows = [];
  for (const name of names) rows.push(await check(require, name));
  Object.assign(console, { log, warn });
  for (const { name, result, about } of rows) console.log(`${name.padEnd(40)} ${result.padEnd(16)} ${about}`);
  const count = result => rows.filter(row => row.result === result).length;
  console.log(`${count('deployed')} deployed, ${count('failed')} failed, ${count('not synthesized')} not synthesized`);
  if (count('failed') > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
