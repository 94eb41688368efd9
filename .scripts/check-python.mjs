/**
 * Packs the constructs for Python, as jsii-pacmak would for PyPI. Installs the wheel with the newest CDK that it accepts,
 * and with the oldest, each in a folder of its own. There it runs test/python/synthesize.py and the example of the README,
 * and deploys in the embedded AWS what they synthesize. Skips the check where Python or its CDK is not available.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const SYSTEM_PYTHON = windows ? 'python' : 'python3';
const { peerDependencies } = require('../package.json');

/** What makes the check impossible here, and is no fault of ours. */
class CannotBeHad extends Error {}

function run(command, args, more = {}) {
  const env = {
    ...process.env,
    ...more,
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

/** The versions of the CDK that the wheel accepts, as pip writes them: `^2.200.0` is `>=2.200.0,<3`. */
function acceptedVersions(name) {
  const range = peerDependencies[name];
  const [, oldest, major] = /^\^((\d+)\.\d+\.\d+)$/.exec(range) ?? assert.fail(`${range} must be a caret range`);
  return { newest: `${name}>=${oldest},<${Number(major) + 1}`, oldest: `${name}==${oldest}` };
}

/** Installs the CDK and the wheel in a virtual environment. Returns its Python. */
function install(wheel, age) {
  const venv = path.join(folder, age);
  orSkip('Python with venv is not available', () => run(SYSTEM_PYTHON, ['-m', 'venv', venv]));
  const python = path.join(venv, windows ? 'Scripts/python.exe' : 'bin/python');
  const pip = (...args) => run(python, ['-m', 'pip', 'install', '--quiet', ...args]);
  const cdk = Object.keys(peerDependencies).map(name => acceptedVersions(name)[age]);
  orSkip('the CDK for Python is not available', () => pip(...cdk));
  // With the CDK again, because pip may not replace it here.
  pip(wheel, ...cdk);
  const version = run(python, ['-c', "import importlib.metadata as it; print(it.version('aws-cdk-lib'))"]);
  console.log(`ok  ${path.basename(wheel)}, with aws-cdk-lib ${version}`);
  return python;
}

function pack() {
  const pacmak = require.resolve('jsii-pacmak/bin/jsii-pacmak');
  run(process.execPath, [pacmak, '--target=python', '--no-npmignore', `--outdir=${folder}`, root]);
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

/** Runs the example of the README, and deploys what it synthesizes. */
async function checkReadme(python, outdir) {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const [, example] = /^```python\n([\s\S]*?)^```$/m.exec(readme) ?? assert.fail('README.md has no example in Python');
  const file = path.join(folder, 'readme.py');
  writeFileSync(file, example);
  run(python, [file], { CDK_OUTDIR: outdir });
  const { LocalAws } = require('../dist/local');
  const aws = await LocalAws.deploy(outdir);
  assert.equal(aws.state().queues.length, 4);
  await aws.close();
}

async function check() {
  orSkip('Python 3.10 or later is not available', () => {
    run(SYSTEM_PYTHON, ['-c', 'import sys; sys.exit(None if sys.version_info >= (3, 10) else sys.version)']);
  });
  const wheel = pack();
  for (const age of ['newest', 'oldest']) {
    const python = install(wheel, age);
    const assembly = path.join(folder, `${age}.out`);
    console.log(run(python, [path.join(root, 'test/python/synthesize.py'), assembly]));
    await deploy(assembly);
    console.log('ok  what Python synthesized delivers, and keeps what it cannot, in the embedded AWS');
    await checkReadme(python, path.join(folder, `${age}-readme.out`));
    console.log('ok  the example of the README deploys');
  }
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
