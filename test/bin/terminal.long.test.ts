import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { GetQueueAttributesCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { LoggingProtocol, Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../support/deployed';
import { logFailures } from '../support/status-logging';
import { DLO, Terminal } from '../support/terminal';

const MESSAGES = 1_000;

const CTRL_C = '\x03';

/** Adds two queues that deny their topic: one with a few dead letters, the other with many. */
function twoClosedQueues(stack: Stack): void {
  const topic = new Topic(stack, 'orders', { topicName: 'orders' });
  logFailures(topic, [LoggingProtocol.SQS]);
  for (const name of ['bills', 'deep']) {
    const { queueArn: endpoint } = new Queue(stack, name, { queueName: name });
    const retentionPeriod = Duration.days(14);
    const deadLetterQueue = new Queue(stack, `${name}-dlq`, { queueName: `${name}-dlq`, retentionPeriod });
    const protocol = SubscriptionProtocol.SQS;
    new Subscription(stack, `To-${name}`, { topic, endpoint, protocol, deadLetterQueue });
  }
}

test('what dlo paints is drawn, and its exit code is that of the terminal', async () => {
  const terminal = new Terminal(['policy', 'explain', '--preset', 'aws-managed']);
  const exitCode = await terminal.ends();
  expect({ exitCode, text: terminal.text }).toEqual({ exitCode: 0, text: expect.stringContaining('100,015') });
});

describe('dlo dlq in a terminal', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-terminal-'));
  let deployed: Deployed;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    // Time starts an hour ago, because the command uses the wall clock and must see past events.
    deployed = await Deployed.stack(twoClosedQueues, { startAt: Date.now() - 3_600_000 });
    for (const order of ['R-0001', 'R-0002', 'R-0003']) await deployed.publish('orders', order);
    await deployed.advance({ minutes: 10 });
    for (let sent = 3; sent < MESSAGES; sent += 10) {
      const Entries = Array.from({ length: Math.min(10, MESSAGES - sent) }, (_, at) => ({
        Id: String(at),
        MessageBody: `message ${sent + at} ${'x'.repeat(300)}`,
      }));
      await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl: deployed.ref('deep-dlq'), Entries }));
    }
    const { url } = await deployed.aws.listen({ speed: 10 });
    environment = {
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: url,
    };
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const dlo = (args: string, cols = 100, more: NodeJS.ProcessEnv = {}) =>
    new Terminal(args.split(' '), { ...environment, ...more }, { cols });

  const file = (name: string) => path.join(folder, name);

  const depthOf = async (queue: string) => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const asked = new GetQueueAttributesCommand({ QueueUrl: deployed.ref(queue), AttributeNames: [...AttributeNames] });
    const { Attributes = {} } = await deployed.sqs.send(asked);
    const [visible, inFlight] = AttributeNames.map(name => Number(Attributes[name]));
    return { visible, inFlight };
  };

  test.each([
    ['dlq ls', 80],
    ['dlq ls', 40],
    ['dlq why bills-dlq', 80],
    ['dlq redrive bills-dlq', 80],
    ['doctor --region us-east-1', 80],
    ['doctor --region us-east-1', 100],
  ])(
    '%s breaks no word at %i columns, and has nothing wider but what is copied, and tables',
    async (command, columns) => {
      const terminal = dlo(command, columns);
      expect(await terminal.ends()).toBe(0);
      const copied = /^ *(Mend +|Runbook +)?(aws |dlo |\{|https:)/;
      const row = /^( *\* .+|\S+)( {2,}\S+)+/;
      expect(terminal.overlong.filter(line => !copied.test(line) && !row.test(line))).toEqual([]);
      expect(terminal.untidy).toBe('');
    },
  );

  test('paints what matters: queues with messages yellow, headings bold', async () => {
    const terminal = dlo('dlq ls');
    await terminal.ends();
    expect(terminal.paintOf('QUEUE')).toEqual({ bold: true, colour: undefined });
    expect(terminal.paintOf('bills-dlq ')).toEqual({ bold: false, colour: 3 });
  });

  test.each([
    ['dlq ls --color never', {}],
    ['dlq ls', { NO_COLOR: '1' }],
    ['dlq ls', { TERM: 'dumb' }],
  ])('%s with %j paints nothing', async (args, more) => {
    const terminal = dlo(args, 100, more);
    await terminal.ends();
    expect(terminal.paintOf('QUEUE')).toEqual({ bold: false, colour: undefined });
  });

  test('dlo dlq alone lets its user choose a queue and an action, and ends with Enter', async () => {
    const terminal = dlo('dlq', 80);
    await terminal.shows('Queue (1 to 2, Enter: end):');
    terminal.type('1\r');
    await terminal.shows(/^\w+-dlq\nw: why.*: back:$/m);
    terminal.type('r\r');
    await terminal.shows(/ --execute [\s\S]*: back:$/);
    terminal.type('\r');
    await terminal.shows(/: back:[\s\S]* --execute [\s\S]*Enter: end\):$/);
    terminal.type('\r');
    expect(await terminal.ends()).toBe(0);
    expect(terminal.untidy).toBe('');
  });

  test('a long export draws one bar over itself, with rate and time left, and takes it away', async () => {
    const terminal = dlo(`dlq export deep-dlq ${file('deep.jsonl')}`);
    await terminal.shows(/^\[#+-+\] [\d,]+ of 1,000 messages written, [\d,.]+ a second, \d+ s left$/m);
    expect(terminal.text.split('\n')).toHaveLength(1);
    expect(await terminal.ends()).toBe(0);
    expect(terminal.text).toContain('1,000 messages of deep-dlq in ');
    expect(terminal.text).not.toMatch(/\[[#-]+\]|a second/);
    expect(terminal.untidy).toBe('');
  });

  test('Ctrl-C half way through an export leaves a part, and every message where it was', async () => {
    const terminal = dlo(`dlq export deep-dlq ${file('again.jsonl')}`);
    await terminal.shows(/[1-9]\d* of 1,000 messages written/);
    terminal.type(CTRL_C);
    expect(await terminal.ends()).toBe(1);
    expect(terminal.text).toMatch(/dlo: interrupted: [1-9][\d,]* messages of deep-dlq were written$/m);
    expect(terminal.untidy).toBe('');
    expect([existsSync(file('again.jsonl')), existsSync(file('again.jsonl.part'))]).toEqual([false, true]);
    expect(await depthOf('deep-dlq')).toEqual({ visible: MESSAGES, inFlight: 0 });
  });

  test.each([
    ['no', 'no\r'],
    ['Ctrl-C', CTRL_C],
  ])('--execute asks, and does nothing when the answer is %s', async (_, keys) => {
    const terminal = dlo('dlq redrive deep-dlq --execute');
    await terminal.shows('Type yes to do it:');
    terminal.type(keys);
    expect(await terminal.ends()).toBe(1);
    expect(terminal.text).toMatch(/dlo: nothing has been moved: the answer was not yes$/);
    expect(await depthOf('deep-dlq')).toEqual({ visible: MESSAGES, inFlight: 0 });
  });

  test('Ctrl-C half way through a redrive that copies says how many were moved, and loses none', async () => {
    const terminal = dlo('dlq redrive deep-dlq --canary 0 --rate 500 --execute');
    await terminal.shows('Type yes to do it:');
    terminal.type('yes\r');
    await terminal.shows(/\] [1-9]\d* of 1,000 messages moved/);
    terminal.type(CTRL_C);
    expect(await terminal.ends()).toBe(1);
    const [, moved = '0'] = /interrupted \((\d+) messages? moved\); no message is lost/.exec(terminal.text) ?? [];
    expect(Number(moved)).toBeGreaterThan(0);
    expect(terminal.text).not.toMatch(/\[[#-]+\]/);
    expect(terminal.untidy).toBe('');
    expect(await depthOf('deep')).toEqual({ visible: Number(moved), inFlight: 0 });
    expect(await depthOf('deep-dlq')).toEqual({ visible: MESSAGES - Number(moved), inFlight: 0 });
  });

  test('a reader that goes away, as head does, is no error, and costs no message', async () => {
    const before = await depthOf('deep-dlq');
    const args = [DLO, 'dlq', 'peek', 'deep-dlq', '-n', '500', '--full'];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
    child.stdout.once('data', () => child.stdout.destroy());
    const [err, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    // A slow machine may have shown progress before.
    expect([exitCode, err.replace(/^\d+ of \d+ messages received, .* left\n$/, '')]).toEqual([0, '']);
    expect(await depthOf('deep-dlq')).toEqual(before);
  });

  test('purge asks for the name, and deletes once it is typed', async () => {
    const { visible } = await depthOf('deep-dlq');
    const terminal = dlo(`dlq purge deep-dlq --export ${file('deep.jsonl')} --execute`);
    await terminal.shows('Type deep-dlq to delete at most 1,000 messages for good:');
    terminal.type('deep-dlq\r');
    expect(await terminal.ends()).toBe(0);
    expect(terminal.text).toContain(`${visible} messages deleted for good.`);
    expect(terminal.untidy).toBe('');
    expect(await depthOf('deep-dlq')).toEqual({ visible: 0, inFlight: 0 });
  });

  test('Ctrl-C a second time ends at once what cannot end in good order', async () => {
    await deployed.send('bills-dlq', 'a message more');
    const terminal = dlo(`dlq export bills-dlq ${file('slow.jsonl')}`);
    await terminal.shows(/[1-9]\d* of \d+ messages written/);
    // No message is given back, because SQS does not answer.
    deployed.aws.faults.set({ service: 'sqs', action: 'ChangeMessageVisibilityBatch', latencyMs: 3_600_000 });
    terminal.type(CTRL_C);
    await terminal.shows('Stopping. Press Ctrl-C again to stop at once.');
    terminal.type(CTRL_C);
    expect(await terminal.ends()).toBe(130);
    expect(terminal.text).not.toContain('messages written');
    expect(terminal.untidy).toBe('');
  });

  test('Ctrl-C ends what only reads at once, with 130 and without half a bar', async () => {
    deployed.aws.faults.set({ service: 'sns', action: 'ListTopics', latencyMs: 3_600_000 });
    const terminal = dlo('dlq ls');
    await terminal.shows('resources read');
    terminal.type(CTRL_C);
    expect(await terminal.ends()).toBe(130);
    expect(terminal.text).not.toContain('resources read');
    expect(terminal.untidy).toBe('');
  });
});
