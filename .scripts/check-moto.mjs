/**
 * Runs `dlo`, as it ships, against a second implementation of AWS that lacks many APIs: moto's server, which it installs in a
 * virtual environment of its own. Says loudly that nothing was checked where Python or its packages are not available.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const MOTO = 'moto[server]==5.2.5';
const REGION = 'us-east-1';
const STARTED_WITHIN_MS = 60_000;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-moto-'));
const inFolder = name => path.join(folder, name);
const isWindows = process.platform === 'win32';

const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: REGION,
  AWS_CONFIG_FILE: inFolder('no-config'),
  AWS_SHARED_CREDENTIALS_FILE: inFolder('no-credentials'),
};

/** Installs moto. @returns its Python, or undefined where that is not possible */
function installed() {
  const venv = inFolder('venv');
  const python = path.join(venv, isWindows ? 'Scripts/python.exe' : 'bin/python');
  const steps = [
    [isWindows ? 'python' : 'python3', ['-m', 'venv', venv]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', MOTO]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status === 0) continue;
    const why = error?.message ?? stderr.trim().split('\n').at(-1);
    console.error(`NOT CHECKED: ${path.basename(command)} ${args.join(' ')} fails: ${why}`);
    return undefined;
  }
  return python;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise(resolve => server.close(resolve));
  return port;
}

async function untilAnswers(url, moto) {
  for (const endMs = Date.now() + STARTED_WITHIN_MS; Date.now() < endMs && moto.exitCode === null; await pause(200)) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
  }
  throw new Error(`moto's server does not answer at ${url}`);
}

/** A topic whose messages go to a queue, and a queue that moves messages to its dead-letter queue. Both dead-letter queues hold some. */
async function fill(url) {
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
  const settings = { endpoint: url, region: REGION, credentials };
  const sqs = new SQSClient(settings);
  const sns = new SNSClient(settings);
  const queue = async (QueueName, Attributes) => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
    return { QueueUrl, arn: (await sqs.send(asked)).Attributes.QueueArn };
  };
  const policyOf = deadLetterTargetArn => JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  const ordersDead = await queue('orders-dlq');
  await queue('orders', { RedrivePolicy: policyOf(ordersDead.arn) });
  const newsDead = await queue('news-dlq');
  const news = await queue('news');
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'news' }));
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: newsDead.arn });
  await sns.send(
    new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: news.arn, Attributes: { RedrivePolicy } }),
  );
  await sns.send(new PublishCommand({ TopicArn, Message: 'delivered' }));
  for (const [{ QueueUrl }, count] of [
    [ordersDead, 3],
    [newsDead, 2],
  ]) {
    for (let at = 1; at <= count; at += 1) {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ order: at }) }));
    }
  }
}

const EXPORTED = inFolder('orders.jsonl');

/** The commands, in order, and what each prints. */
const COMMANDS = [
  ['dlq ls --all', /^orders-dlq +3 .*queue orders$/m, /^news-dlq +2 .*subscription/m],
  ['dlq ls --json', /"name":"orders-dlq"/],
  ['dlq why orders-dlq', /3 messages/],
  ['dlq why news-dlq', /2 messages/],
  ['dlq peek orders-dlq', /"order": ?1/],
  ['dlq redrive orders-dlq', /3 messages from orders-dlq to queue orders/],
  [`dlq export orders-dlq ${EXPORTED}`, /3 messages/],
  [`doctor --region ${REGION}`, /^ {2}news-dlq /m, /unwatched/],
  ['dlq redrive news-dlq --canary 0 --execute', /2 messages/],
  [`dlq purge orders-dlq --export ${EXPORTED} --confirm orders-dlq --execute`, /3 messages/],
  [`dlq import ${EXPORTED} news-dlq --execute`, /3 messages/],
  ['dlq ls --all', /^news-dlq +3 /m],
];

/** @returns the APIs that the command would have needed and moto lacks */
function check(url, [line, ...expected]) {
  const args = [path.join(root, 'dist/bin/dlo.js'), ...line.split(' '), '--endpoint-url', url];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: ENVIRONMENT });
  const said = `dlo ${line}\n${stdout}${stderr}`;
  if (process.argv.includes('--verbose')) console.log(said);
  assert.equal(status, 0, said);
  for (const text of expected) assert.match(stdout, text, said);
  assert.doesNotMatch(`${stdout}${stderr}`, /^ +at .*:\d+:\d+\)?$|undefined|NaN|\[object/m, said);
  // What is unknown is said once.
  const unknown = [...stderr.matchAll(/^ {2}.* cannot be read: .*?([a-z]+:[A-Z]\w+)/gm)].map(([, action]) => action);
  assert.deepEqual(unknown, [...new Set(unknown)], said);
  console.log(
    `ok  dlo ${line.replaceAll(folder, 'FOLDER')}${unknown.length > 0 ? `: without ${unknown.join(', ')}` : ''}`,
  );
  return unknown;
}

async function main() {
  const python = installed();
  if (python === undefined) return;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const moto = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  try {
    await untilAnswers(url, moto);
    await fill(url);
    const lacking = new Set(COMMANDS.flatMap(command => check(url, command)));
    console.log(`${COMMANDS.length} commands end with 0. moto lacks what they ask of ${[...lacking].join(', ')}`);
  } finally {
    moto.kill();
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
