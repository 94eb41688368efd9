import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { readArchive } from '../../account/archive/archive-file';
import { ReceiveMoves } from '../../account/messages/receive-guard';
import type { QueueCalls } from '../../console/api/queue';
import type { CallHandlers } from '../../console/server/calls';
import { problemOf } from '../../console/server/problem';
import { timelineOf } from '../../console/server/queue/look-document';
import { queueCalls } from '../../console/server/queue/queue-calls';
import { openAccount } from '../bin/operated-account';
import { contextOf } from './console-context';

type Account = Awaited<ReturnType<typeof openAccount>>;

const GROUP = 'dlo-audit';
const DEAD = 'invoices-dlq';
const LOOK = { queue: DEAD, messages: 100, sinceHours: 24, isForced: false };

describe('a look at a queue', () => {
  let account: Account;
  let calls: Pick<CallHandlers, keyof QueueCalls>;
  const look = () => calls['queue/look'].run(LOOK);
  const all = { filter: '', cause: '' };

  beforeAll(async () => {
    account = await openAccount(stack => {
      const dead = new Queue(stack, 'Dead', { queueName: DEAD });
      const invoices = new Queue(stack, 'Invoices', { queueName: 'invoices' });
      new Topic(stack, 'Orders').addSubscription(new SqsSubscription(invoices, { deadLetterQueue: dead }));
      new LogGroup(stack, 'Audit', { logGroupName: GROUP, removalPolicy: RemovalPolicy.DESTROY });
    });
    const { deployed } = account;
    await deployed.takeQueuePolicyAway('Invoices');
    for (const order of [1, 2, 3]) {
      await deployed.publish(
        'Orders',
        JSON.stringify({ order, card: `4111-${order}`, note: '<img src=x onerror=a()>' }),
      );
      await deployed.advance({ minutes: 5 });
    }
    calls = queueCalls(contextOf(account, { auditLogGroup: GROUP, redact: ['card'] }));
  });

  test('says why the messages are there, and gives them back', async () => {
    const document = await look();
    expect(document).toMatchObject({
      queue: DEAD,
      seen: 3,
      unseen: 0,
      causes: [
        { messages: 3, share: 1, says: expect.stringContaining('policy of the queue invoices'), isInferred: true },
      ],
      timeline: { intervalMs: 15_000, series: [{ cause: '0' }] },
    });
    expect(document.causes[0]?.fix).toMatchObject({
      isApplicable: true,
      commands: [expect.stringMatching(/^aws sqs set-queue-attributes/)],
    });
    expect(await account.deployed.receive('Dead')).not.toEqual([]);
    await account.deployed.advance({ minutes: 1 });
  });

  test('is searched by page, by cause and by JMESPath, without receiving again', async () => {
    const { look: id } = await look();
    const search = { look: id, ...all, from: 0, count: 2 };
    const found = async (more: object) => {
      const { total, messages } = await calls['queue/messages'].run({ ...search, ...more });
      return [total, ...messages.map(it => it.beginning.slice(0, 10))];
    };
    expect(await found({})).toEqual([3, '{"order":1', '{"order":2']);
    expect(await found({ from: 2 })).toEqual([3, '{"order":3']);
    expect(await found({ filter: 'data.order == `2`' })).toEqual([1, '{"order":2']);
    expect(await found({ cause: 'none' })).toEqual([0]);
    await expect(found({ filter: 'data.[' })).rejects.toThrow('--filter must be');
  });

  test('hides values in rows, in details and in exports; a body is text', async () => {
    const { look: id } = await look();
    const { messages } = await calls['queue/messages'].run({ look: id, ...all, from: 0, count: 1 });
    const detail = await calls['queue/message'].run({ look: id, id: messages[0]?.id ?? '' });
    expect(detail).toMatchObject({ writer: 'SNS', payload: expect.stringContaining('"<img src=x onerror=a()>"') });
    const { fileName, text } = await calls['queue/export'].run({ look: id, ...all, filter: 'data.order > `1`' });
    expect(fileName).toMatch(/^invoices-dlq-[\dTZ-]+\.jsonl$/);
    const lines = async function* () {
      yield* text.split(/(?<=\n)/);
    };
    const { header, end } = await readArchive({ lines }, fileName);
    expect([header.isRedacted, end.messages, end.isComplete]).toEqual([true, 2, false]);
    expect(JSON.stringify([messages, detail, text])).not.toContain('4111');
  });

  test('has a fix that is applied once, as it was shown, and is recorded', async () => {
    const { deployed } = account;
    const { look: id } = await look();
    const fix = { look: id, cause: '0' };
    const Attributes = { ReceiveMessageWaitTimeSeconds: '1' };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('Invoices'), Attributes }));
    await calls['queue/fix'].run(fix);
    await deployed.publish('Orders', '{"order":4}');
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Invoices')).toEqual([expect.stringContaining('order')]);
    expect(deployed.log(GROUP).map(line => JSON.parse(line))).toMatchObject([
      { command: 'console fix', phase: 'intent', details: { calls: [{ operation: 'SetQueueAttributes' }] } },
      { phase: 'outcome' },
    ]);
    await expect(calls['queue/fix'].run(fix)).rejects.toThrow('Nothing has been changed');
    await expect(calls['queue/fix'].run({ look: id, cause: '7' })).rejects.toThrow('by hand');
  });

  test('is forgotten for newer ones', async () => {
    const { look: id } = await look();
    for (let times = 0; times < 4; times += 1) await look();
    await expect(calls['queue/message'].run({ look: id, id: 'x' })).rejects.toThrow('has forgotten this look');
  });

  test.each<[keyof QueueCalls, object, RegExp]>([
    ['queue/look', { ...LOOK, messages: 10_001 }, /messages must be a whole number from 1 to 10000, got 10001/],
    ['queue/look', { ...LOOK, isForced: 'yes' }, /isForced must be true or false/],
    ['queue/messages', { look: 1, ...all, from: -1, count: 2 }, /look must be a text.*\n?.*from must be/s],
    ['queue/fix', { look: 'x' }, /cause/],
  ])('%s refuses %j', (name, input, says) => {
    expect(() => calls[name].read({ ...input })).toThrow(says);
  });
});

test('a look that would move messages is refused until the user insists', () => {
  expect(problemOf(new ReceiveMoves('after 3 receives'))).toEqual({
    kind: 'input',
    says: 'after 3 receives.',
    mayForce: true,
  });
});

describe('the timeline of messages', () => {
  const sentAt = (...times: number[]) =>
    timelineOf({
      messages: times.map(sentAtMs => ({ held: { sentAtMs, messageId: String(sentAtMs) } })),
      explanation: { causes: [], unexplained: [], notes: [] },
    } as unknown as Parameters<typeof timelineOf>[0]);

  test('has intervals that a reader can name, and every message once', () => {
    expect(sentAt(61_500)).toEqual({ fromMs: 61_000, intervalMs: 1_000, series: [{ cause: null, counts: [1] }] });
    const day = sentAt(...Array.from({ length: 25 }, (_, hour) => hour * 3_600_000));
    expect(day.intervalMs).toBe(3_600_000);
    expect(day.series[0]?.counts).toEqual(new Array(25).fill(1));
    const longest = sentAt(0, 14 * 86_400_000);
    expect([longest.intervalMs, longest.series[0]?.counts.length]).toEqual([6 * 3_600_000, 57]);
    expect(sentAt().series).toEqual([]);
  });
});
