/**
 * Checks the package with the oldest aws-cdk-lib and constructs that `peerDependencies` allow. Packs it, and installs it
 * beside them in a temporary folder, as a user would. There it compiles the example of the README and those in
 * docs/examples, synthesizes and deploys each in the embedded AWS, and plays the rental story. Then it runs the tests of
 * the library with them. Needs npm and its registry, and takes about six minutes. `--examples` leaves the tests out.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { peerDependencies, jest } = require('../package.json');
const { context } = require('../cdk.json');
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-oldest-'));

/** Tests of what the oldest versions lack, by a part of their name, and why. */
const NEED_NEWER = {
  'cdk-nag': 'cdk-nag 3 needs aws-cdk-lib 2.257',
  '(DeadLetterOfficeChecks|CostReport) ':
    '`Validations` came with 2.251; the older way to add the plugins is checked above',
  provisionedPollerConfig: 'came with 2.254',
  'FunctionFailures refuses no value that is not known before deployment': 'the older CDK refuses tokens itself',
  'FunctionFailures: (maxEventAge|retryAttempts)': 'the older CDK refuses tokens itself',
  'the most of a queue': 'the older CDK refuses messages above 256 KiB itself',
  'in another account, with the key of the topic': 'the older CDK refuses references across accounts itself',
  'README.s example keeps them': 'the older CDK creates a log group for each function, if no feature flag is set',
};

function run(command, args, options = {}) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', ...options });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${path.basename(command)} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`.trimEnd());
  return stdout;
}

/** On Windows npm is a script, which only a shell can run. */
function npm(...args) {
  const windows = process.platform === 'win32';
  return run(windows ? 'npm.cmd' : 'npm', args, { shell: windows });
}

/** The lowest version in a range such as `^2.200.0`. */
function oldest(name) {
  const [, version] = /^\^(\d+\.\d+\.\d+)$/.exec(peerDependencies[name]) ?? [];
  if (version === undefined)
    throw new Error(`peerDependencies.${name} must be a caret range, got ${peerDependencies[name]}`);
  return `${name}@${version}`;
}

function install() {
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }));
  const [{ filename }] = JSON.parse(npm('pack', root, '--json', '--ignore-scripts'));
  const versions = Object.keys(peerDependencies).map(oldest);
  npm('install', '--no-audit', '--no-fund', '--ignore-scripts', `./${filename}`, ...versions);
  console.log(`ok  ${filename} installs with ${versions.join(' and ')}`);
}

/** Copies the examples that users copy. Returns their names. */
function copyExamples() {
  const source = path.join(root, 'docs/examples');
  mkdirSync(path.join(folder, 'examples'));
  const files = readdirSync(source).filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  for (const file of files) copyFileSync(path.join(source, file), path.join(folder, 'examples', file));
  const [, readme] = /^ *```ts\n([\s\S]*?)^ *```$/m.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
  writeFileSync(path.join(folder, 'examples/readme.ts'), `${readme}\nexport { stack };\n`);
  return ['readme', ...files.map(file => path.basename(file, '.ts'))];
}

/** A strict compilation without `skipLibCheck`, so that the types of the package are checked against the oldest CDK too. */
function compile(names) {
  const options = ['--strict', '--target', 'es2022', '--lib', 'es2022,esnext.disposable,dom', '--module', 'nodenext'];
  const files = names.map(name => path.join('examples', `${name}.ts`));
  run(process.execPath, [
    path.join(root, 'node_modules/typescript/bin/tsc'),
    ...options,
    '--types',
    '--outDir',
    'out',
    ...files,
  ]);
  console.log(`ok  ${files.length} examples compile`);
}

/** Runs in the folder: synthesizes an example with the feature flags of a new project, and deploys it. */
const DEPLOY = `
const { Stack } = require('aws-cdk-lib');
const { LocalAws } = require('dead-letter-office/local');
async function deploy(name) {
  const stack = Object.values(require('./out/' + name + '.js')).find(it => Stack.isStack(it));
  const aws = await LocalAws.deploy(stack.node.root.synth().directory);
  console.log('ok  ' + name + ' deploys: ' + aws.state().queues.length + ' queues');
  await aws.close();
}
process.argv.slice(2).reduce((before, name) => before.then(() => deploy(name)), Promise.resolve());
`;

/** Runs in the folder: the plugins stop an app that AWS rejects, name the construct, and say what it costs. */
const PLUGIN = `
const assert = require('node:assert/strict');
const { App, Duration, Stack } = require('aws-cdk-lib');
const { Key } = require('aws-cdk-lib/aws-kms');
const { Queue } = require('aws-cdk-lib/aws-sqs');
const { CostReport, DeadLetterOfficeChecks } = require('dead-letter-office');
const plugins = [new DeadLetterOfficeChecks(), new CostReport({ maxIdleDollarsPerMonth: 0.5 })];
const app = new App({ policyValidationBeta1: plugins, analyticsReporting: false });
const stack = new Stack(app, 'Shop');
new Key(stack, 'Key');
const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
new Queue(stack, 'Orders', { deadLetterQueue: { queue, maxReceiveCount: 2000 } });
const reports = [];
console.error = text => reports.push(text);
app.synth();
// Older versions of CDK set it, and throw nothing.
assert.equal(process.exitCode, 1);
process.exitCode = 0;
assert.match(reports.join(), /receive-count-out-of-range[^]*Shop\\/Orders/);
assert.match(reports.join(), /Shop costs 1.00 US dollars in a month without messages/);
console.log('ok  DeadLetterOfficeChecks and CostReport, as policyValidationBeta1: what AWS rejects, and what it costs');
`;

function runExamples(names) {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) };
  writeFileSync(path.join(folder, 'deploy.cjs'), DEPLOY);
  writeFileSync(path.join(folder, 'plugin.cjs'), PLUGIN);
  process.stdout.write(run(process.execPath, ['deploy.cjs', ...names], { env }));
  process.stdout.write(run(process.execPath, ['plugin.cjs'], { env }));
  const dlo = path.join('node_modules', 'dead-letter-office', 'dist', 'bin', 'dlo.js');
  const { lost } = JSON.parse(run(process.execPath, [dlo, 'story', 'rental', '--json']));
  if (lost !== 0) throw new Error(`the rental story lost ${lost} messages`);
  console.log('ok  dlo story rental');
}

/** Runs the tests of the library. They load the oldest versions in place of the installed ones. */
function test() {
  const mapped = Object.keys(peerDependencies).map(name => [
    `^${name}($|/.*)`,
    `${path.join(folder, 'node_modules', name)}$1`,
  ]);
  const config = { ...jest, rootDir: root, roots: [path.join(root, 'test'), path.join(root, 'docs/examples')] };
  config.moduleNameMapper = { ...jest.moduleNameMapper, ...Object.fromEntries(mapped) };
  const file = path.join(folder, 'jest.config.json');
  writeFileSync(file, JSON.stringify(config));
  const names = `^(?!.*(${Object.keys(NEED_NEWER).join('|')}))`;
  console.log('The tests of the library, without those that need a newer version:');
  for (const [name, why] of Object.entries(NEED_NEWER)) console.log(`    ${name}: ${why}`);
  const args = [require.resolve('jest/bin/jest'), '--ci', '-c', file, '-t', names, 'test/lib', 'docs/examples'];
  run(process.execPath, args, { cwd: root, stdio: 'inherit' });
}

// Hides the SDK's advice to upgrade Node.js, and CDK's about old versions.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
process.env.JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION = '20';
try {
  install();
  const names = copyExamples();
  compile(names);
  runExamples(names);
  if (!process.argv.includes('--examples')) test();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
