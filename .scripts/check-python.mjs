/**
 * Packs the constructs for Python, as jsii-pacmak would for PyPI, installs the wheel beside the CDK's in a folder of its
 * own, and runs test/python/synthesize.py there. What Python has synthesized is then deployed in the embedded AWS, where
 * one message meets each of its fates. Says so and ends well where Python, or its CDK, cannot be had.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-python-'));
const windows = process.platform === 'win32';
const python = path.join(folder, 'venv', windows ? 'Scripts/python.exe' : 'bin/python');
const { peerDependencies } = require('../package.json');

/** What makes the check impossible here, and is no fault of ours. */
class CannotBeHad extends Error {}

function run(command, ...args) {
  const env = {
    ...process.env,
    JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  };
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${path.basename(command)} ${args.join(' ')}\n${stdout}${stderr}`.trimEnd());
  return stdout.trimEnd();
}

/** Does what only a machine with Python and a way to its packages can. */
function orSkip(what, act) {
  try {
    return act();
  } catch (error) {
    throw new CannotBeHad(`${what}: ${error.message.split('\n').at(-1)}`);
  }
}

const pip = (...args) => run(python, '-m', 'pip', 'install', '--quiet', ...args);

/** `^2.276.0` as pip says it. */
function pipRange(range) {
  const [, version, major] = /^\^((\d+)\.\d+\.\d+)$/.exec(range) ?? assert.fail(`${range} is no caret range`);
  return { range: `>=${version},<${Number(major) + 1}`, major };
}

/** Whether the CDK that was installed is one the wheel asks for: PyPI sometimes has a version some days after npm. */
function installCdk() {
  const names = Object.keys(peerDependencies);
  try {
    pip(...names.map(name => `${name}${pipRange(peerDependencies[name]).range}`));
    return true;
  } catch {
    const anyOf = name => `${name}==${pipRange(peerDependencies[name]).major}.*`;
    orSkip('the CDK for Python cannot be had', () => pip(...names.map(anyOf)));
    return false;
  }
}

function pack() {
  run(
    process.execPath,
    require.resolve('jsii-pacmak/bin/jsii-pacmak'),
    '--target=python',
    '--no-npmignore',
    `--outdir=${folder}`,
    root,
  );
  const packed = path.join(folder, 'python');
  return path.join(
    packed,
    readdirSync(packed).find(file => file.endsWith('.whl')),
  );
}

async function bodies(sqs, QueueUrl) {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  return Messages.map(({ Body }) => Body);
}

/** What Python synthesized does what it says. */
async function deploy(assembly) {
  const { LocalAws } = require('../dist/local');
  const aws = await LocalAws.deploy(assembly);
  const [sns, sqs] = [new SNSClient(aws.clientConfig()), new SQSClient(aws.clientConfig())];
  await sns.send(new PublishCommand({ TopicArn: aws.output('OrdersArn'), Message: 'an order' }));
  await aws.advance({ minutes: 10 });
  assert.deepEqual(await bodies(sqs, aws.output('FulfilmentUrl')), ['an order']);
  const [event] = await bodies(sqs, aws.output('BillingDeadLettersUrl'));
  assert.equal(JSON.parse(event).Records[0].Sns.Message, 'an order');
  await aws.close();
}

async function check() {
  const system = windows ? 'python' : 'python3';
  orSkip('Python 3.10 or later, with venv, cannot be had', () => {
    run(system, '-c', 'import sys; sys.exit(None if sys.version_info >= (3, 10) else sys.version)');
    run(system, '-m', 'venv', path.join(folder, 'venv'));
  });
  const asked = installCdk();
  const wheel = pack();
  pip(...(asked ? [] : ['--no-deps']), wheel);
  const version = run(python, '-c', "import importlib.metadata as it; print(it.version('aws-cdk-lib'))");
  const note = asked ? '' : `, the newest there is; the wheel asks for ${peerDependencies['aws-cdk-lib']}`;
  console.log(`ok  ${path.basename(wheel)}, with aws-cdk-lib ${version}${note}`);
  const assembly = path.join(folder, 'cdk.out');
  console.log(run(python, path.join(root, 'test/python/synthesize.py'), assembly));
  await deploy(assembly);
  console.log('ok  what Python synthesized delivers, and keeps what it cannot, in the embedded AWS');
}

// Hides the SDK's advice to upgrade Node.js, which would appear among the results.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
try {
  await check();
} catch (error) {
  if (error instanceof CannotBeHad) console.log(`skipped: ${error.message}`);
  else {
    console.error(error);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
