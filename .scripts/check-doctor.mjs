/**
 * Runs `dlo doctor` on apps of public npm packages of constructs, and compares its findings with those in
 * test/bin/doctor/public-apps.md, each of which a person has compared with its template. Ends with 1 if they differ.
 * With `--write` it writes the file: read the difference, and compare each new finding with its template. The templates
 * stay in the folder of `--keep`. Needs npm's registry, and takes about two minutes.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { APPS, PACKAGES, stackOf } from './doctor-apps.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { devDependencies } = createRequire(import.meta.url)('../package.json');
const FILE = path.join(root, 'test/bin/doctor/public-apps.md');
const [isWritten, kept] = [process.argv.includes('--write'), process.argv[process.argv.indexOf('--keep') + 1]];
const isKept = process.argv.includes('--keep');
if (isKept) mkdirSync(kept, { recursive: true });
const folder = realpathSync(isKept ? kept : mkdtempSync(path.join(tmpdir(), 'dlo-doctor-apps-')));

function install() {
  const own = Object.fromEntries(['aws-cdk-lib', 'constructs'].map(name => [name, devDependencies[name]]));
  const dependencies = { ...own, ...PACKAGES };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const windows = process.platform === 'win32';
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const options = { cwd: folder, encoding: 'utf8', shell: windows };
  const { status, stderr } = spawnSync(windows ? 'npm.cmd' : 'npm', args, options);
  if (status !== 0) throw new Error(`npm ${args.join(' ')}\n${stderr}`);
}

function synthesize(require, name, index) {
  const { App } = require('aws-cdk-lib');
  const outdir = path.join(folder, 'out', String(index));
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });
  APPS[name](require, stackOf(require, name, app));
  app.synth();
  return outdir;
}

/** What the doctor prints about an assembly. */
function examined(assembly) {
  const dlo = path.join(root, 'dist/bin/dlo.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [dlo, 'doctor', assembly, '--json'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const firstLine = error => String(error.message).split('\n')[0];

/** A finding in a line, and its resources in a line each if there are several. */
function linesOf({ id, severity, says, resources }) {
  const [first, ...more] = resources;
  if (more.length === 0) return [`- **${id}** (${severity}), \`${first.resource}\`: ${says}`];
  const listed = resources.map(
    ({ resource, others }) => `  - ${[resource, ...others].map(it => `\`${it}\``).join(', ')}`,
  );
  return [`- **${id}** (${severity}), ${resources.length} findings: ${says}`, ...listed];
}

function sectionOf(name, outcome) {
  const lines = outcome.findings.flatMap(linesOf);
  const said = lines.length > 0 ? lines : ['No findings.'];
  return [`## ${name}`, '', ...said, ...outcome.unread.map(it => `- Not read: ${it}`), ''];
}

/** The findings of all apps, and the apps that do not synthesize. */
function outcomes(require) {
  const found = [];
  const failed = [];
  Object.keys(APPS).forEach((name, index) => {
    let assembly;
    try {
      assembly = synthesize(require, name, index);
    } catch (error) {
      failed.push(`${name}: ${firstLine(error)}`);
      return;
    }
    found.push([name, examined(assembly)]);
  });
  return { found, failed };
}

function versions() {
  const versionOf = name =>
    JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  return ['aws-cdk-lib', ...Object.keys(PACKAGES)].map(name => `${name} ${versionOf(name)}`).join(', ');
}

function page({ found, failed }) {
  const groups = found.flatMap(([, { findings }]) => findings);
  const ids = [...new Set(groups.map(({ id }) => id))].sort();
  const countOf = some => some.reduce((sum, { resources }) => sum + resources.length, 0);
  const counts = ids.map(id => groups.filter(it => it.id === id)).map(some => [some[0].id, countOf(some), some.length]);
  return [
    '# The doctor on apps of public npm packages',
    '',
    '`npm run check:doctor -- --write` writes this file. Each finding was compared with its template by a person.',
    '',
    `${found.length} apps of ${Object.keys(PACKAGES).length} packages, ${countOf(groups)} findings, which are printed as ${groups.length}.`,
    '',
    `Versions: ${versions()}.`,
    '',
    '| Check | Findings | Printed as |',
    '|---|---|---|',
    ...counts.map(([id, count, printed]) => `| ${id} | ${count} | ${printed} |`),
    '',
    ...found.flatMap(([name, outcome]) => sectionOf(name, outcome)),
    ...(failed.length > 0 ? ['## Apps that do not synthesize', '', ...failed.map(it => `- ${it}`), ''] : []),
  ].join('\n');
}

try {
  install();
  const { log, warn, error } = console;
  // The packages print which of their defaults are overridden.
  console.log = console.warn = console.error = () => {};
  const result = outcomes(createRequire(path.join(folder, 'package.json')));
  Object.assign(console, { log, warn, error });
  const text = page(result);
  console.log(text.split('\n').slice(4, 5).join(''));
  if (isWritten) writeFileSync(FILE, text);
  else if (readFileSync(FILE, 'utf8') !== text) {
    console.error(
      `The findings differ from those in ${path.relative(root, FILE)}: write it with --write, and read the difference`,
    );
    process.exitCode = 1;
  }
} finally {
  if (!isKept) rmSync(folder, { recursive: true, force: true });
}
