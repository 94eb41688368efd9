import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Duration, NestedStack, type Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { everySender } from '../../../account/inventory/every-sender';
import type { Deployed } from '../../../support/deployed';
import { cells } from '../../command-output';
import { OperatedAccount, openAccount } from '../../operated-account';

const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

/** Beside the plain shop, parcels in a stack that is nested in its own: SQS moves them after one receive. */
function shopWithParcels(stack: Stack): void {
  everySender(stack);
  const nested = new NestedStack(stack, 'Parcels');
  const queue = new Queue(nested, 'ParcelsDlq', { queueName: 'parcels-dlq', retentionPeriod: Duration.days(14) });
  new Queue(nested, 'Parcels', { queueName: 'parcels', deadLetterQueue: { queue, maxReceiveCount: 1 } });
}

describe('dlo dlq ls', () => {
  let deployed: Deployed;
  let account: OperatedAccount;
  let sentAtMs: number;
  let said: Awaited<ReturnType<OperatedAccount['dlo']>>;
  let list: Awaited<ReturnType<OperatedAccount['json']>>;
  const url = (name: string) => deployed.ref('fanout-dlq').replace('fanout-dlq', name);

  /** Parcels wait for two hours before SQS moves them; an hour after that all is listed. */
  beforeAll(async () => {
    const opened = await openAccount(shopWithParcels);
    deployed = opened.deployed;
    account = new OperatedAccount(deployed, opened.url, 'dlq');
    const Entries = [1, 2, 3, 4, 5].map(id => ({ Id: `p${id}`, MessageBody: `parcel ${id}` }));
    sentAtMs = deployed.aws.nowMs;
    await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl: url('parcels'), Entries }));
    await deployed.advance({ hours: 2 });
    const received = { QueueUrl: url('parcels'), MaxNumberOfMessages: 10 };
    await deployed.sqs.send(new ReceiveMessageCommand(received));
    await deployed.advance({ minutes: 1 });
    await deployed.sqs.send(new ReceiveMessageCommand(received));
    await deployed.send('fanout-dlq', 'an order nobody could take');
    await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: url('monthly-dlq') }));
    await deployed.advance({ hours: 1 });
    said = await account.dlo('ls');
    list = await account.json('ls');
  });

  test('lists queues with letters first, the one that loses a letter soonest before all, and who feeds each', () => {
    const { exitCode, out, err } = said;
    expect([exitCode, err]).toEqual([0, '']);
    const [table = ''] = out.split('\n\n');
    expect(cells(table).map(line => line.map(cell => cell.trim()))).toEqual([
      ['QUEUE', 'LETTERS', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'FIRST EXPIRES', 'FED BY'],
      ['parcels-dlq', '5', '0', '0', '1 h', 'in 9 d 23 h to 13 d 23 h', 'queue parcels'],
      ['fanout-dlq', '1', '0', '0', '1 h', 'in 13 d 23 h', 'subscription orders to work'],
      ['nightly-dlq', '0', '0', '0', '-', '-', 'rule nightly/Target0 and 1 more'],
      ['printer-dlq', '0', '0', '0', '-', '-', 'function printer'],
      ['printer-failures', '0', '0', '0', '-', '-', 'failures of printer'],
      ['printing-dlq', '0', '0', '0', '-', '-', 'subscription orders to printer'],
      ['worked-dlq', '0', '0', '0', '-', '-', 'queue work'],
    ]);
  });

  test('says of a queue that is named and not there that what is sent to it is lost', () => {
    expect(said.out).toContain('\nmonthly-dlq is not there: what is sent to it is lost. Fed by schedule monthly\n');
    expect(list.queues.find(({ name }: { name: string }) => name === 'monthly-dlq')).toMatchObject({
      whereabouts: 'gone',
      url: null,
      depths: null,
      findings: [{ id: 'dead-letter-queue-gone', severity: 'loses', resource: 'monthly' }],
    });
  });

  // aws-semantics, section 7: a standard queue keeps the original enqueue timestamp.
  test('tells when the first letter expires as a span that holds the truth, where SQS moved it', () => {
    const [parcels] = list.queues;
    const { earliest, latest } = parcels.firstExpires;
    const trulyAtMs = sentAtMs + 14 * 86_400_000;
    expect(Date.parse(earliest)).toBeLessThanOrEqual(trulyAtMs);
    expect(Date.parse(latest)).toBeGreaterThanOrEqual(trulyAtMs);
    // No wider than the source keeps messages, which is four days.
    expect(Date.parse(latest) - Date.parse(earliest)).toBe(4 * 86_400_000);
  });

  test('prints one document with all that is known', () => {
    const { region, unread, queues } = list;
    expect([region, unread]).toEqual(['us-east-1', []]);
    expect(queues[0]).toEqual({
      name: 'parcels-dlq',
      arn: arn('parcels-dlq'),
      url: expect.stringMatching(/^http:\S+\/123456789012\/parcels-dlq$/),
      isFifo: false,
      whereabouts: 'here',
      retentionSeconds: 1_209_600,
      depths: { visible: 5, inFlight: 0, delayed: 0 },
      oldestSince: '2026-01-01T02:02:00.000Z',
      firstExpires: { earliest: '2026-01-11T02:02:00.000Z', latest: '2026-01-15T02:02:00.000Z' },
      feeders: [{ kind: 'queue', name: 'parcels', arn: arn('parcels'), via: 'RedrivePolicy', qualifier: null }],
      tasks: [],
      findings: [expect.objectContaining({ severity: 'unwatched', resource: 'parcels-dlq' })],
    });
  });

  test('says what is missing in a line each, and nothing of a queue whose alarm is right', () => {
    const [heading, ...lines] = said.out.slice(said.out.indexOf('What is missing')).trimEnd().split('\n');
    expect(heading).toBe('What is missing; dlo doctor tells more, and how to mend it:');
    expect(lines).toContain('  unwatched  No alarm tells of the dead letters in parcels-dlq that come from parcels.');
    expect(lines.filter(line => line.includes('worked-dlq'))).toEqual([]);
    expect(lines.filter(line => !/^ {2}(rejected|loses|unwatched|note) {2,}\S/.test(line))).toEqual([]);
  });

  test('shows a move that runs, how far it is and where it goes', async () => {
    const { TaskHandle } = await deployed.sqs.send(
      new StartMessageMoveTaskCommand({
        SourceArn: arn('parcels-dlq'),
        DestinationArn: arn('nights'),
        MaxNumberOfMessagesPerSecond: 1,
      }),
    );
    const { out } = await account.dlo('ls');
    expect(out).toContain(
      'Moving; dlo dlq watch looks on, dlo dlq cancel stops it:\n' +
        '  parcels-dlq: 0 of about 5 moved to nights since 2026-01-01 03:02 UTC, at 1 a second\n',
    );
    expect((await account.json('ls')).queues[0].tasks).toMatchObject([
      { status: 'RUNNING', toMove: 5, destinationArn: arn('nights'), messagesPerSecond: 1 },
    ]);
    await deployed.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
  });

  test('is narrowed to a stack, those nested in it included', async () => {
    const names = async (stack: string): Promise<string[]> =>
      (await account.json(`ls --stack ${stack}`)).queues.map(({ name }: { name: string }) => name);
    expect(await names('Test')).toEqual(expect.arrayContaining(['parcels-dlq', 'worked-dlq', 'monthly-dlq']));
    const { StackSummaries = [] } = await new CloudFormationClient(deployed.aws.clientConfig()).send(
      new ListStacksCommand({}),
    );
    const nested = StackSummaries.find(({ ParentId }) => ParentId !== undefined)?.StackName ?? '';
    expect(await names(nested)).toEqual(['parcels-dlq']);
  });

  test('says of a stack that is not there which are near', async () => {
    const { exitCode, err } = await account.dlo('ls --stack Tests');
    expect([exitCode, err]).toEqual([2, 'dlo: no stack in us-east-1 is named Tests; near it: Test\n']);
  });

  test('lists a queue that may not be read, and says what it takes', async () => {
    const set = deployed.aws.faults.set({
      service: 'sqs',
      action: 'GetQueueAttributes',
      resource: arn('fanout-dlq'),
      code: 'AccessDenied',
      httpStatus: 403,
    });
    const { exitCode, out, err } = await account.dlo('ls');
    set.end();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^fanout-dlq +\? +\? +\? +- +- +subscription orders to work$/m);
    expect(err).toMatch(
      /^dlo: warning: the attributes of 1 queue cannot be read, .*sqs:GetQueueAttributes: fanout-dlq$/m,
    );
  });

  test('tells no age where CloudWatch has no figure, and says what does', async () => {
    await deployed.send('printing-dlq', 'a moment ago');
    const { out } = await account.dlo('ls');
    expect(out).toMatch(/^printing-dlq +1 +0 +0 +\? +\? +subscription orders to printer$/m);
    expect(out).toContain(
      '\n? CloudWatch has no figure of it: dlo dlq peek tells when a letter was sent and expires.\n',
    );
  });
});
