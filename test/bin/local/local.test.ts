import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { CfnParameter, CfnResource, Stack, Stage } from 'aws-cdk-lib';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { createColors } from 'picocolors';
import { followLine, noteLines } from '../../../bin/local/local-text';
import { plainPaint } from '../../../bin/shared/terminal-text';
import type { TracedAwsEvent } from '../../../local';
import { RawClient } from '../../local/wire/server/raw-http';
import { eventually } from '../../local/wire/server/served-aws';
import { assemblyOf, assemblyOfStack } from '../../support/assembly';
import { inlineFunction } from '../../support/inline-function';
import { LocalRun } from './local-run';

function shop(): string {
  return assemblyOfStack(stack => {
    new Queue(stack, 'Orders', { queueName: 'orders' });
    new Topic(stack, 'Events', { topicName: 'events' });
    inlineFunction(stack, 'Billing', 'exports.handler = async () => {};', { functionName: 'billing' });
    const metric = new Metric({ namespace: 'AWS/SQS', metricName: 'NumberOfMessagesSent' });
    new Alarm(stack, 'Busy', { alarmName: 'busy', metric, threshold: 1, evaluationPeriods: 1 });
  });
}

const client = (endpoint: string): SQSClient =>
  new SQSClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });

async function sendTo(endpoint: string): Promise<void> {
  const sqs = client(endpoint);
  await sqs.send(new SendMessageCommand({ QueueUrl: `${endpoint}/123456789012/orders`, MessageBody: 'x' }));
  sqs.destroy();
}

describe('dlo local', () => {
  it('deploys, says what runs where, follows what happens, and ends with 0 when it is interrupted', async () => {
    const run = new LocalRun([
      '--assembly',
      shop(),
      '--port',
      '0',
      '--speed',
      '0',
      '--start-at',
      '2026-01-05T08:00:00Z',
    ]);
    const url = await run.url();
    await sendTo(url);
    await run.said(/sqs\.sent/);
    const { exitCode, out, err } = await run.end();
    expect([exitCode, err]).toEqual([0, '']);
    const [overview, followed] = out.split('Press Ctrl-C to stop.\n\n');
    expect(overview).toContain(`AWS is at ${url}: account 123456789012, us-east-1, Test`);
    expect(overview).toContain('It is 2026-01-05T08:00:00.000Z there, and time stands still until POST /_dlo/advance.');
    expect(overview).toContain(`  orders  ${url}/123456789012/orders`);
    expect(overview).toContain('  events  arn:aws:sns:us-east-1:123456789012:events');
    expect(overview).toContain('  billing  arn:aws:lambda:us-east-1:123456789012:function:billing');
    expect(overview).toContain('  busy  INSUFFICIENT_DATA');
    expect(overview).toContain(`aws --endpoint-url ${url} sqs list-queues`);
    expect(followed).toMatch(
      /^2026-01-05 08:00:00\.000 {2}sqs\.sent {18}queue=orders message=[0-9a-f]{8} bytes=1 delaySeconds=0\n {25}\| x\n$/,
    );
  });

  it('prints what functions print, and no bodies if they are not wanted', async () => {
    const assembly = assemblyOfStack(stack => {
      const orders = new Queue(stack, 'Orders', { queueName: 'orders' });
      const code = "exports.handler = async () => console.log('charged');";
      inlineFunction(stack, 'Billing', code, { functionName: 'billing' }).addEventSource(new SqsEventSource(orders));
    });
    const run = new LocalRun(['--assembly', assembly, '--port', '0', '--speed', 'max', '--no-bodies']);
    await sendTo(await run.url());
    await run.said(/> billing: .*charged/);
    expect((await run.end()).out).not.toContain(' | ');
  });

  it('prints JSON lines, the first with its address and resources', async () => {
    const run = new LocalRun(['--assembly', shop(), '--port', '0', '--speed', '0', '--json', '--seed', '7']);
    await sendTo(await run.url());
    await run.said(/sqs\.sent/);
    const { out } = await run.end();
    const [first, ...rest] = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(first).toMatchObject({
      type: 'local.listening',
      url: expect.stringMatching(/^http:/),
      stacks: ['Test'],
      queues: [{ name: 'orders', visible: 0 }],
    });
    expect(rest).toMatchObject([{ at: first.now, atMs: first.nowMs, type: 'sqs.sent' }]);
    expect(Object.keys(rest[0]).slice(0, 4)).toEqual(['seq', 'at', 'atMs', 'type']);
    expect(rest[0].seq).toBe(first.lastSeq + 1);
  });

  it('deploys one stage of an app, or says which stages there are', async () => {
    const assembly = assemblyOf(app => {
      for (const id of ['Test', 'Prod']) {
        new Queue(new Stack(new Stage(app, id), 'Shop'), 'Orders', { queueName: `orders-${id}` });
      }
    });
    const args = ['--assembly', assembly, '--port', '0', '--json'];
    const run = new LocalRun([...args, '--stage', 'Prod']);
    await run.url();
    expect(JSON.parse((await run.end()).out)).toMatchObject({
      stacks: ['Prod-Shop'],
      queues: [{ name: 'orders-Prod' }],
    });
    const wrong = new LocalRun([...args, '--stage', 'Beta']);
    expect([await wrong.exitCode, wrong.io.err]).toEqual([
      2,
      'dlo: --stage must be a stage of the app, got "Beta": the stages are Test, Prod\n',
    ]);
  });

  it('deploys several apps together, unless two stacks have the same name', async () => {
    const app = (stackName: string, queueName: string) =>
      assemblyOf(it => void new Queue(new Stack(it, stackName), 'Queue', { queueName }));
    const [one, other] = [app('Shop', 'orders'), app('Depot', 'parcels')];
    const run = new LocalRun(['--assembly', one, '--assembly', other, '--port', '0', '--json']);
    await run.url();
    expect(JSON.parse((await run.end()).out)).toMatchObject({
      stacks: ['Shop', 'Depot'],
      queues: [{ name: 'orders' }, { name: 'parcels' }],
    });
    const twice = new LocalRun(['--assembly', one, '--assembly', one]);
    expect([await twice.exitCode, twice.io.err]).toEqual([2, expect.stringContaining('have a stack named Shop')]);
  });

  it('updates the stacks when the assembly changes, and says so', async () => {
    const assembly = shop();
    const run = new LocalRun(['--assembly', assembly, '--port', '0', '--speed', '0', '--watch', '--quiet']);
    const url = await run.url();
    const next = assemblyOfStack(stack => void new Queue(stack, 'Parcels', { queueName: 'parcels' }));
    cpSync(next, assembly, { recursive: true });
    await eventually(() => run.io.err !== '');
    const state = JSON.parse(await (await fetch(`${url}/_dlo/state`)).text());
    expect(state.queues).toMatchObject([{ name: 'parcels' }]);
    writeFileSync(path.join(assembly, 'manifest.json'), '{');
    await eventually(() => run.io.err.includes('manifest.json'));
    expect((await run.end()).err).toMatch(/^Updated Test\.\ndlo: .*manifest\.json/);
  });

  it('answers under the names that are allowed, and its console too', async () => {
    const run = new LocalRun([
      '--assembly',
      shop(),
      '--port',
      '0',
      '--quiet',
      '--allow-host',
      'aws',
      '--allow-host',
      'Other',
    ]);
    const client = new RawClient(Number(new URL(await run.url()).port));
    for (const path of ['/_dlo/health', '/_dlo/console/']) {
      const status = async (host: string) => (await client.send({ method: 'GET', path, headers: { host } })).status;
      expect([await status('aws:4566'), await status('OTHER'), await status('evil.example')]).toEqual([200, 200, 403]);
    }
    client.close();
    await run.end();
    const wrong = new LocalRun(['--assembly', shop(), '--allow-host', 'http://aws:4566']);
    expect([await wrong.exitCode, wrong.io.err]).toEqual([
      2,
      "dlo: option '--allow-host <name>' argument 'http://aws:4566' is invalid. It must be a host name such as aws, without scheme, port and wildcards.\n",
    ]);
  });

  it('says nothing of what happens when it is to be quiet', async () => {
    const run = new LocalRun(['--assembly', shop(), '--port', '0', '--quiet']);
    await sendTo(await run.url());
    expect((await run.end()).out).toMatch(/Press Ctrl-C to stop\.\n\n$/);
  });

  it('begins now, unless it is told when', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const run = new LocalRun(['--assembly', shop(), '--port', '0', '--json', '--speed', '0']);
    await run.url();
    const { nowMs } = JSON.parse((await run.end()).out);
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(Date.now());
  });

  it('says in one line that the port is taken, and ends with 1', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const run = new LocalRun(['--assembly', shop(), '--port', String(port)]);
    const exitCode = await run.exitCode;
    other.close();
    expect([exitCode, run.io.err]).toEqual([
      1,
      `dlo: port ${port} of 127.0.0.1 is in use: choose another --port, or 0 for any free port\n`,
    ]);
  });

  it('says in one line that it cannot be had at an address, and ends with 1', async () => {
    const run = new LocalRun(['--assembly', shop(), '--port', '0', '--bind', '192.0.2.1']);
    expect([await run.exitCode, run.io.err]).toEqual([
      1,
      'dlo: port 0 of 192.0.2.1 is not an address of this machine: choose another --bind\n',
    ]);
  });

  it('listens where it is bound to', async () => {
    const run = new LocalRun(['--assembly', shop(), '--port', '0', '--bind', '0.0.0.0', '--json', '--speed', '0']);
    await run.said(/local\.listening/);
    expect(JSON.parse((await run.end()).out).url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  });

  it.each([
    [
      ['--port', 'http'],
      "option '--port <port>' argument 'http' is invalid. It must be a whole number from 0 to 65535.",
    ],
    [['--port', '65536'], 'It must be a whole number from 0 to 65535.'],
    [['--speed', 'fast'], 'It must be max, or a number of 0 or more.'],
    [['--speed=-1'], 'It must be max, or a number of 0 or more.'],
    [['--speed', ''], 'It must be max, or a number of 0 or more.'],
    [['--start-at', 'soon'], 'It must be an instant as ISO 8601, for example 2026-01-01T00:00:00Z.'],
    [['--start-at', '2026-03-02T09:00:00'], 'It must be an instant as ISO 8601, for example 2026-01-01T00:00:00Z.'],
    [['--context', 'novalue'], 'It must be key=value.'],
    [['--parameter', 'novalue'], 'It must be Name=Value.'],
    [['--forward', 'dynamodb'], 'It must be a service and a URL, such as dynamodb=http://127.0.0.1:8000.'],
    [['--json', '--quiet'], "option '--json' cannot be used with option '--quiet'"],
    [['--colour'], "unknown option '--colour'"],
    [['--assembly', '/nowhere'], '/nowhere'],
    [['--watch'], '--watch needs an --assembly, which cdk synth writes again, or a --template'],
    [['--stage', 'A', '--assembly', 'a', '--assembly', 'b'], '--stage needs one --assembly, got 2'],
  ])('refuses %j, and ends with 2', async (args, message) => {
    const run = new LocalRun(args);
    expect(await run.exitCode).toBe(2);
    expect(run.io.err).toContain(message);
  });

  it('names everything in the stacks that cannot be deployed here, and ends with 2', async () => {
    const assembly = assemblyOfStack(stack => {
      new CfnResource(stack, 'Table', { type: 'AWS::Glue::Table' });
      new CfnResource(stack, 'Bucket', { type: 'AWS::S3::Bucket' });
    });
    const run = new LocalRun(['--assembly', assembly, '--port', '0', '--stand-ins', 'refuse']);
    expect(await run.exitCode).toBe(2);
    expect(run.io.err).toContain('AWS::Glue::Table');
    expect(run.io.err).toContain('AWS::S3::Bucket');
  });

  it('gives parameters their values', async () => {
    const assembly = assemblyOfStack(stack => {
      const { valueAsString: queueName } = new CfnParameter(stack, 'Name');
      new Queue(stack, 'Queue', { queueName });
    });
    const run = new LocalRun(['--assembly', assembly, '--port', '0', '--quiet', '--parameter', 'Name=given']);
    await run.said(/123456789012\/given$/m);
    expect(await run.end()).toMatchObject({ exitCode: 0 });
  });

  it('deploys a template, and refuses it next to an app', async () => {
    const template = path.join(
      assemblyOfStack(stack => new Queue(stack, 'Q')),
      'Test.template.json',
    );
    const run = new LocalRun(['--template', template, '--port', '0', '--quiet']);
    await run.said(/us-east-1, Test$/m);
    expect(await run.end()).toMatchObject({ exitCode: 0 });
    const refused = new LocalRun(['--template', template, '--stage', 'Prod']);
    expect(await refused.exitCode).toBe(2);
    expect(refused.io.err).toContain('--stage cannot be used with --template');
  });

  it('deploys stand-ins by default, and counts them', async () => {
    const assembly = assemblyOfStack(stack => {
      for (const id of ['A', 'B']) new CfnResource(stack, id, { type: 'AWS::S3::Bucket' });
      new CfnResource(stack, 'Logs', { type: 'AWS::Logs::LogGroup', properties: { FieldIndexPolicies: ['x'] } });
    });
    const run = new LocalRun(['--assembly', assembly, '--port', '0', '--quiet']);
    await run.said(/Ctrl-C/);
    const { out } = await run.end();
    expect(out.slice(out.indexOf('Not simulated')).split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^Not simulated: stand-ins/),
      expect.stringMatching(/^ {2}AWS::S3::Bucket +2 times$/),
      '  AWS::Logs::LogGroup: FieldIndexPolicies is not implemented by the embedded AWS, got ["x"]',
    ]);
  });
});

const AT = { seq: 1, atMs: Date.UTC(2026, 0, 5, 8, 30, 1, 250) };
const ids = {
  topicArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders',
  messageId: '3f2a81bc-0000-4000-8000-000000000000',
  subscriptionArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders:9d9d9d9d-0000-4000-8000-000000000000',
};

const attempt = (outcome: 'delivered' | 'retry' | 'dead'): TracedAwsEvent => ({
  ...AT,
  type: 'sns.attempt',
  ...ids,
  protocol: 'https',
  attempt: 2,
  outcome,
  reason: 'the endpoint failed (503)',
  delaySeconds: 20,
});

describe('a happening as a line', () => {
  it('says when, what, and what about, with names and short ids', () => {
    expect(followLine(attempt('retry'), plainPaint)).toBe(
      '2026-01-05 08:30:01.250  sns.attempt               topic=Rental-Orders message=3f2a81bc subscription=9d9d9d9d protocol=https ' +
        'attempt=2 outcome=retry reason="the endpoint failed (503)" delaySeconds=20',
    );
  });

  it('flattens what lies inside, lists what is a list, and leaves out what is empty', () => {
    const lost: TracedAwsEvent = {
      ...AT,
      type: 'sns.lost',
      ...ids,
      protocol: 'sqs',
      attempts: 1,
      cause: { kind: 'client-error', statusCode: 403, reason: 'no' },
    };
    expect(followLine(lost, plainPaint)).toMatch(/attempts=1 kind=client-error statusCode=403 reason=no$/);
    const queued: TracedAwsEvent = {
      ...AT,
      type: 'lambda.event-queued',
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:billing',
      requestId: ids.messageId,
      bytes: 2,
      messageIds: [],
    };
    expect(followLine(queued, plainPaint)).toMatch(/function=billing request=3f2a81bc bytes=2$/);
    expect(followLine({ ...queued, messageIds: [ids.messageId, 'b'] }, plainPaint)).toMatch(/messages=3f2a81bc,b$/);
  });

  it('cuts short what is long', () => {
    const line = followLine(
      { ...AT, type: 'sqs.refused', action: 'a', resource: '*', code: 'c', reason: 'x'.repeat(500) },
      plainPaint,
    );
    expect(line.length).toBeLessThan(220);
    expect(line).toMatch(/x…"?$/);
  });

  it.each([
    ['delivered', 'green'],
    ['retry', 'yellow'],
    ['dead', 'red'],
  ] as const)('is coloured by how it ended: %s', (outcome, colour) => {
    const paint = createColors(true);
    expect(followLine(attempt(outcome), paint)).toContain(paint[colour]('sns.attempt             '));
  });

  it.each([
    ['lambda.event-lost', 'red'],
    ['sqs.dead-lettered', 'yellow'],
    ['sns.delivered', 'green'],
    ['retry-service.failed-over', undefined],
    ['wire.not-implemented', 'red'],
    ['sns.undelivered-note', undefined],
  ] as const)('is coloured by the end of its type: %s is %s', (type, colour) => {
    const paint = createColors(true);
    const line = followLine({ ...AT, type } as unknown as TracedAwsEvent, paint);
    expect(line).toContain(colour ? paint[colour](type.padEnd(24)).trimEnd() : type);
    expect(
      line.startsWith(
        `${paint.dim('2026-01-05 08:30:01.250')}  ${colour ? paint[colour]('@').split('@')[0] : ''}${type}`,
      ),
    ).toBe(true);
  });
});

describe('note lines', () => {
  const at = { atMs: 0 };
  const indent = ' '.repeat(25);

  it('show what a function printed, with its name, and a body, line by line', () => {
    const of = 'arn:aws:lambda:us-east-1:123456789012:function:billing';
    expect(noteLines({ ...at, kind: 'console', of, text: 'charged\n  12 $\n' }, plainPaint)).toEqual([
      `${indent}> billing: charged`,
      `${indent}>   12 $`,
    ]);
    expect(noteLines({ ...at, kind: 'body', of: 'an id', text: '{"order":1}' }, plainPaint)).toEqual([
      `${indent}| {"order":1}`,
    ]);
  });

  it('are as wide as the terminal, and at most twelve', () => {
    const lines = noteLines({ ...at, kind: 'body', of: 'an id', text: 'x'.repeat(1_000) }, plainPaint, 60);
    expect(lines).toHaveLength(13);
    expect(new Set(lines.slice(0, 12).map(line => line.length))).toEqual(new Set([60]));
    expect(lines.at(-1)).toBe(`${indent}| … 19 more lines`);
  });
});

describe('dlo local, as built', () => {
  /** The command as a user installs it. It is built before the tests run. */
  const DLO = path.resolve(__dirname, '../../../dist/bin/dlo.js');

  const children: ChildProcess[] = [];

  /** A test that fails must leave no command behind: it would keep the tests from ending. */
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 and no word on %s', async signal => {
    const assembly = assemblyOfStack(stack => void new Queue(stack, 'Orders'));
    const child = spawn(process.execPath, [DLO, 'local', '--assembly', assembly, '--port', '0', '--json']);
    children.push(child);
    let complaint = '';
    child.stderr.on('data', chunk => {
      complaint += chunk;
    });
    const [first] = await once(child.stdout, 'data');
    const { url } = JSON.parse(String(first));
    expect((await fetch(`${url}/_dlo/health`)).status).toBe(200);
    child.kill(signal);
    const [exitCode] = await once(child, 'close');
    expect([exitCode, complaint]).toEqual([0, '']);
  });
});
