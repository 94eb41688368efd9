import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Duration, NestedStack, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ScheduleExpression, Schedule as TimedSchedule } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type ListedQueue, locationOf, mostUrgentFirst } from '../../../account/inventory/dead-letter-queues';
import { LIST_READS, STACK_READS } from '../../../account/permissions';
import { expiryText } from '../../../bin/dlq/list-table';
import { type ListPage, listText, moveText } from '../../../bin/dlq/list-text';
import { plainPaint } from '../../../bin/shared/terminal-text';
import type { Finding } from '../../../diagnosis/checks/finding';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { roughDuration } from '../../../policy/format-text';
import { HOUR_MS } from '../../../policy/time-units';
import { everySender } from '../../account/inventory/every-sender';
import { lambda, subscription } from '../../diagnosis/inventories';
import type { Deployed } from '../../support/deployed';
import { newFunction } from '../../support/inline-function';
import { deployRentalOrders, ORDER, RENTAL } from '../../support/rental';
import { cells, PAINT, section } from '../command-output';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { OperatedAccount, openAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

const HEADINGS = ['QUEUE', 'MESSAGES', 'LAST 30 MIN', 'OLDEST', 'FIRST EXPIRES', 'FED BY'];

const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

/** Adds the plain shop, and a nested stack with a parcels queue from which SQS moves messages after one receive. */
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

  /** Messages wait in the parcels queue for two hours before SQS moves them. One hour later the queues are listed. */
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

  test('lists queues with messages first, the one that loses a message soonest before all, and who feeds each', () => {
    const { exitCode, out, err } = said;
    expect([exitCode, err]).toEqual([0, '']);
    const [table = ''] = out.split('\n\n');
    expect(cells(table).map(line => line.map(cell => cell.trim()))).toEqual([
      HEADINGS,
      ['parcels-dlq', '5', '0', '1 h', 'in 9 d 23 h to 13 d 23 h', 'queue parcels'],
      ['fanout-dlq', '1', '0', '1 h', 'in 13 d 23 h', 'subscription orders to work'],
      ['Not listed: 5 empty queues (--all lists them).'],
    ]);
    const last = out.trimEnd().split('\n').at(-1);
    expect(last).toBe(`  dlo dlq why parcels-dlq ${account.site}`);
  });

  test('lists empty queues with --all', async () => {
    const [table = ''] = (await account.dlo('ls --all')).out.split('\n\n');
    expect(cells(table).slice(3)).toEqual([
      ['nightly-dlq', '0', '-', '-', '-', 'rule nightly/Target0 and 1 more'],
      ['printer-dlq', '0', '-', '-', '-', 'function printer'],
      ['printer-failures', '0', '-', '-', '-', 'failures of printer'],
      ['printing-dlq', '0', '-', '-', '-', 'subscription orders to printer'],
      ['worked-dlq', '0', '-', '-', '-', 'queue work'],
    ]);
  });

  test('says of a queue that is named and not there that what is sent to it is lost', () => {
    expect(said.out).toContain('\nmonthly-dlq does not exist: messages sent to it are lost. Fed by schedule monthly\n');
    expect(list.queues.find(({ name }: { name: string }) => name === 'monthly-dlq')).toMatchObject({
      location: 'gone',
      url: null,
      depths: null,
      findings: [{ id: 'dead-letter-queue-gone', severity: 'at-risk', resource: 'monthly' }],
    });
  });

  // aws-semantics, section 7: a standard queue keeps the original enqueue timestamp.
  test('tells when the first message expires as a span that holds the truth, where SQS moved it', () => {
    const [parcels] = list.queues;
    const { earliest, latest } = parcels.firstExpires;
    const trulyAtMs = sentAtMs + 14 * 86_400_000;
    expect(Date.parse(earliest)).toBeLessThanOrEqual(trulyAtMs);
    expect(Date.parse(latest)).toBeGreaterThanOrEqual(trulyAtMs);
    // The range is as wide as the retention of the source: four days.
    expect(Date.parse(latest) - Date.parse(earliest)).toBe(4 * 86_400_000);
  });

  test('prints one document with all that is known', () => {
    const { region, unread, places, unreadPlaces, queues } = list;
    expect([region, unread]).toEqual(['us-east-1', []]);
    expect(places).toEqual([
      { account: '123456789012', region: 'us-east-1', profile: null, roleArn: null, unread: [] },
    ]);
    expect(unreadPlaces).toEqual([]);
    expect(queues[0]).toEqual({
      name: 'parcels-dlq',
      arn: arn('parcels-dlq'),
      url: expect.stringMatching(/^http:\S+\/123456789012\/parcels-dlq$/),
      isFifo: false,
      location: 'here',
      retentionSeconds: 1_209_600,
      depths: { visible: 5, inFlight: 0, delayed: 0 },
      urgency: 'holding',
      growth: { messages: 0, minutes: 30 },
      oldestSince: '2026-01-01T02:02:00.000Z',
      firstExpires: { earliest: '2026-01-11T02:02:00.000Z', latest: '2026-01-15T02:02:00.000Z' },
      feeders: [{ kind: 'queue', name: 'parcels', arn: arn('parcels'), via: 'RedrivePolicy', qualifier: null }],
      tasks: [],
      findings: [expect.objectContaining({ severity: 'unwatched', resource: 'parcels-dlq' })],
    });
  });

  const missing = (out: string) => section(out, 'What is missing').split('\n');

  test('says what loses messages, and how many queues no alarm watches', () => {
    expect(missing(said.out)).toEqual([
      'What is missing, with details and fixes in',
      `  dlo doctor --region us-east-1 ${account.site}`,
      expect.stringMatching(/^ {2}at-risk {4}The DeadLetterConfig of monthly names /),
      '  unwatched  6 of 8 queues: messages are late, or a loss goes unnoticed',
    ]);
  });

  test('with --all, says what is missing in a line each, and nothing of a queue whose alarm is right', async () => {
    const [, , ...lines] = missing((await account.dlo('ls --all')).out);
    expect(lines).toContain('  unwatched  No alarm reports the dead letters in parcels-dlq that come from parcels.');
    expect(lines.filter(line => line.includes('worked-dlq'))).toEqual([]);
    expect(lines.filter(line => !/^ {2}(rejected|loses|at-risk|on-change|unwatched|note) {2,}\S/.test(line))).toEqual(
      [],
    );
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
      'Moving (dlo dlq watch follows it, dlo dlq cancel stops it):\n' +
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

  describe('dlo dlq alone', () => {
    /** Types these answers, then Enter. */
    async function typing(answers: readonly string[], isTerminal = true) {
      const io = new MemoryIo();
      const questions: string[] = [];
      io.isTerminal = isTerminal;
      io.answer = question => {
        questions.push(question);
        return answers[questions.length - 1] ?? '';
      };
      const words = account.site.split(' ');
      return { ...(await account.typed(['dlq', ...words], {}, io)), questions };
    }

    test('lets a user choose a queue by its number, and runs the command that it prints', async () => {
      const { exitCode, out, err, questions } = await typing(['9', '2', 'x', 'r']);
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toMatch(/^QUEUE +MESSAGES .*\n 1 {2}parcels-dlq +\d .*\n 2 {2}fanout-dlq +1 /);
      expect(out).toContain(
        `\n$ dlo dlq redrive fanout-dlq ${account.site}\nMove 1 message from fanout-dlq to queue work.\n`,
      );
      const [choose, act] = [
        'Queue (1 to 2, Enter: end): ',
        'fanout-dlq\nw: why, p: peek, r: plan a redrive, Enter: back: ',
      ];
      expect(questions).toEqual([choose, choose, act, act, act, choose]);
    });

    test('prints its help without a terminal', async () => {
      const { exitCode, out, err, questions } = await typing([], false);
      expect([exitCode, out, questions]).toEqual([2, '', []]);
      expect(err).toMatch(/^Usage: dlo dlq /);
    });

    test('says of a command that does not exist which are near', async () => {
      const { exitCode, err } = await account.typed(['dlq', 'redrve'], {});
      expect([exitCode, err]).toEqual([2, 'dlo: unknown command redrve. Similar names: redrive\n']);
    });
  });

  test('says of a stack that is not there which are near', async () => {
    const { exitCode, err } = await account.dlo('ls --stack Tests');
    expect([exitCode, err]).toEqual([2, 'dlo: no stack in us-east-1 is named Tests. Similar names: Test\n']);
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
    expect(out).toMatch(/^fanout-dlq +\? +\? +\? +\? +subscription orders to work$/m);
    expect(err).toMatch(
      /^ {2}the attributes of 1 queue cannot be read without the permission sqs:GetQueueAttributes: fanout-dlq$/m,
    );
  });

  test('tells no age where CloudWatch has no figure, and says what does', async () => {
    await deployed.send('printing-dlq', 'a moment ago');
    const { out } = await account.dlo('ls');
    expect(out).toMatch(/^printing-dlq +1 +\+1 +\? +\? +subscription orders to printer$/m);
    expect(out).toContain('\n? CloudWatch has no data: dlo dlq peek shows when a message was sent and expires.\n');
  });
});

test('list rental: dlo dlq ls tells of the rental backend who feeds what, and where an order is that could not be delivered', async () => {
  const deployed = await deployRentalOrders();
  const { url } = await deployed.aws.listen();
  await deployed.takeQueuePolicyAway(RENTAL.fulfilment);
  await deployed.publish(RENTAL.topic, JSON.stringify(ORDER), {
    MessageAttributes: { 'order-status': { DataType: 'String', StringValue: ORDER.status } },
  });
  await deployed.advance({ minutes: 10 });
  const { exitCode, out, err } = await new OperatedAccount(deployed, url, 'dlq').dlo('ls');
  expect([exitCode, err]).toEqual([0, '']);
  const [table = ''] = out.split('\n\n');
  expect(cells(table).map(line => line.map(cell => cell.trim()))).toEqual([
    HEADINGS,
    [
      'Rental-Fulfilment-Fanout-DLQ',
      '1',
      '+1',
      expect.stringMatching(/^(9|10) min$/),
      'in 13 d 23 h',
      'subscription Rental-Orders to Rental-Fulfilment',
    ],
    ['Not listed: 3 empty queues (--all lists them).'],
  ]);
});

const TAKES: Takes = {
  'ls --stack Test': [...LIST_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData', ...STACK_READS],
};

/** Adds one resource of each kind that the command reads, without keys and without roles that send dead letters. */
function anyFeeders(stack: Stack): void {
  const deadLetterQueue = new Queue(stack, 'Dlq', { queueName: 'orders-dlq' });
  const orders = new Queue(stack, 'Orders', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } });
  const clerk = newFunction(stack);
  clerk.addEventSource(new SqsEventSource(orders));
  new Topic(stack, 'Topic').addSubscription(new LambdaSubscription(clerk, { deadLetterQueue }));
  const targets = [new SqsQueue(orders, { deadLetterQueue })];
  new Rule(stack, 'Nightly', { schedule: Schedule.rate(Duration.days(1)), targets });
  new TimedSchedule(stack, 'Monthly', {
    schedule: ScheduleExpression.rate(Duration.days(30)),
    target: new LambdaInvoke(clerk, {}),
  });
}

describe('dlo dlq ls', () => {
  let account: OperatedAccount;

  beforeAll(async () => {
    const { deployed, url } = await openAccount(stack => {
      anyFeeders(stack);
      addOperators(stack, TAKES);
    });
    account = new OperatedAccount(deployed, url, 'dlq');
    // The command reads CloudWatch only if there are messages, for their age.
    await deployed.send('Dlq', 'an order');
  });

  testPermissions(TAKES, [], () => account);
});

describe('list text', () => {
  const NOW_MS = Date.parse('2026-01-05T02:00:00Z');
  const NONE = { visible: 0, inFlight: 0, delayed: 0 };

  const sqsArn = (name: string, account = '123456789012', region = 'us-east-1') =>
    `arn:aws:sqs:${region}:${account}:${name}`;

  function listed(name: string, more: Partial<ListedQueue> = {}): ListedQueue {
    return {
      arn: sqsArn(name),
      name,
      location: { kind: 'here' },
      depth: NONE,
      feeders: fedBy('destination', 'clerk'),
      moves: [],
      findings: [],
      ...more,
    };
  }

  function fedBy(kind: 'subscription' | 'destination', name: string, qualifier?: string): ListedQueue['feeders'] {
    const common = { queueArn: '', via: 'RedrivePolicy', ...(qualifier !== undefined && { qualifier }) };
    return kind === 'subscription'
      ? [{ ...common, kind, resource: subscription('orders', '1', { name }) }]
      : [{ ...common, kind, resource: lambda(name) }];
  }

  const expiring = (earliestHours: number, latestHours = earliestHours) => ({
    earliestMs: NOW_MS + earliestHours * HOUR_MS,
    latestMs: NOW_MS + latestHours * HOUR_MS,
  });

  const finding = (more: Partial<Finding> = {}): Finding => ({
    id: 'dead-letters-unwatched',
    severity: 'unwatched',
    resource: { arn: sqsArn('orders-dlq'), name: 'orders-dlq' },
    about: [sqsArn('orders-dlq')],
    says: 'No alarm tells of the dead letters in orders-dlq.',
    fix: { says: 'Have an alarm.' },
    ...more,
  });

  const PAGE: ListPage = {
    isAll: true,
    hasFullNames: true,
    nowMs: NOW_MS,
    paint: plainPaint,
    hasPlaces: false,
    siteOf: () => ({ options: {}, region: 'us-east-1' }),
  };

  const text = (queues: readonly ListedQueue[], page: Partial<ListPage> = {}) =>
    listText({ region: 'us-east-1', queues, mayLackFeeders: false, mayLackFindings: false }, { ...PAGE, ...page });

  describe('The text of dlo dlq ls', () => {
    test('says where there is no dead-letter queue', () => {
      expect(text([])).toBe('No resource in us-east-1 has a dead-letter queue.\n');
      expect(text([], { stack: 'Orders' })).toBe(
        'No resource in the stack Orders in us-east-1 has a dead-letter queue.\n',
      );
    });

    test('has messages stand out, and what is lost', () => {
      const queues = [
        listed('orders-dlq', { depth: { visible: 1_200, inFlight: 3, delayed: 1 }, heldSinceMs: NOW_MS - 90 * 60_000 }),
        listed('bills-dlq'),
        listed('gone-dlq', { location: { kind: 'gone' }, feeders: fedBy('subscription', 'orders to work') }),
      ];
      expect(text(queues, { paint: PAINT }).split('\n')).toEqual([
        '<b>QUEUE       MESSAGES  IN FLIGHT  DELAYED  LAST 30 MIN  OLDEST      FIRST EXPIRES  FED BY</b>',
        '<y>orders-dlq     1,200          3        1            ?  1 h 30 min  ?              failures of clerk</y>',
        'bills-dlq          0          0        0            -  -           -              failures of clerk',
        '',
        'gone-dlq does not exist: messages sent to it are lost. Fed by subscription orders to work',
        '',
        'Next',
        '  dlo dlq why orders-dlq',
        '',
      ]);
    });

    test('says of another account’s queue that it cannot be seen', () => {
      const location = { kind: 'elsewhere', account: '999999999999', region: 'us-east-1' } as const;
      const said = text([listed('their-dlq', { location, feeders: fedBy('destination', 'printer', 'live') })]);
      expect(said).toBe(
        'their-dlq is in the account 999999999999 in us-east-1, and cannot be read from here. Fed by failures of printer:live\n',
      );
    });

    test('tells a finding about several queues once, on a line, without what would steer a terminal', () => {
      const shared = finding({ severity: 'loses', says: `The key \u{1b}[31m${'k'.repeat(200)} lets nobody in.` });
      const said = text([listed('a-dlq', { findings: [shared] }), listed('b-dlq', { findings: [shared, finding()] })]);
      const lines = said.slice(said.indexOf('What is missing')).trimEnd().split('\n');
      expect(lines).toEqual([
        'What is missing, with details and fixes in',
        '  dlo doctor --region us-east-1',
        expect.stringMatching(/^ {2}loses {6}The key \[31mk+…$/),
        '  unwatched  No alarm tells of the dead letters in orders-dlq.',
      ]);
    });

    describe('of 300 queues that CloudFormation named', () => {
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
      const cdkName = (at: number) =>
        `CompanyCommercePlatform-Production-OrderIntake${letters[at % 26]}${at}DeadLetterQueueE4A7BA2B-7Xh3kQ9LmN2p`;
      const many = Array.from({ length: 300 }, (_, at) =>
        listed(cdkName(at), {
          ...(at < 40 && {
            depth: { ...NONE, visible: 1_000 * (at + 1) },
            growth: at % 3,
            heldSinceMs: NOW_MS - HOUR_MS,
            expiry: expiring(240, 336),
          }),
          feeders: at === 20 ? [] : fedBy('subscription', `orders to ${cdkName(at).replace('DeadLetterQueue', '')}`),
          findings: [finding({ severity: at < 7 ? 'loses' : 'unwatched', says: `No alarm reports ${cdkName(at)}.` })],
        }),
      );
      const folded = (width: number) =>
        text(mostUrgentFirst(many, NOW_MS), { isAll: false, hasFullNames: false, width });

      test.each([
        [
          120,
          'OrderIntakeT19DeadLetterQueue    20,000           +1  1 h     in 10 d to 14 d  subscription orders to OrderIntakeT19',
        ],
        [80, 'OrderIntakeT19DeadLetterQueue    20,000      +1  1 h     10 d to 14 d'],
        [40, 'OrderIntakeT19DeadLetterQueue\n  20,000 messages, +1 in 30 min\n  oldest 1 h, expires: 10 d to 14 d'],
      ])('fits into %i columns', (width, row) => {
        const said = folded(width);
        expect(said).toContain(row);
        const isProse = (line: string) => /^(What|Next|Not|No|Order\w+ holds| {2}(dlo|loses|unwatched|and))/.test(line);
        expect(
          said.split('\n').filter(line => line.length > width && !isProse(line) && !line.includes('fed by')),
        ).toEqual([]);
        expect(said.split('\n').length).toBeLessThan(width < 60 ? 130 : 45);
      });

      test('sums up the rest, and says which queue nothing feeds', () => {
        const said = folded(80);
        expect(said).toContain(
          '\nNot listed: 15 queues with 289,000 messages and 260 empty queues (--all lists them).\n',
        );
        expect(said).toContain(
          '\nOrderIntakeU20DeadLetterQueue holds messages, and no resource that could be read names it as',
        );
        expect(section(said, 'What is missing').split('\n').slice(2)).toEqual([
          expect.stringMatching(
            /^ {2}loses {6}No alarm reports OrderIntake\w+DeadLetterQueue\. And 6 more like this\.$/,
          ),
          '  unwatched  293 of 300 queues: messages are late, or a loss goes unnoticed',
        ]);
      });

      test('lists all of them with their full names on request', () => {
        const said = text(many, { width: 40 });
        expect(many.filter(({ name }) => !said.includes(`${name}\n`))).toEqual([]);
      });

      test('says that no queue holds messages', () => {
        expect(text(many.slice(40), { isAll: false })).toMatch(
          /^No dead-letter queue holds messages\. Not listed: 260 empty queues \(--all lists them\)\.\n/,
        );
      });
    });

    test.each([
      [expiring(96), 'in 4 d'],
      [expiring(242, 338), 'in 10 d 2 h to 14 d 2 h'],
      [expiring(0, 3), 'at any moment, in 3 h at latest'],
      [expiring(0), 'at any moment'],
    ])('tells the first expiry %j as %s', (expiry, said) => {
      expect(expiryText(listed('orders-dlq', { expiry }), NOW_MS)).toBe(said);
    });

    test.each([
      [59_999, '59 s'],
      [3_599_999, '59 min'],
      [86_399_999, '23 h 59 min'],
      [90_061_000, '1 d 1 h'],
      [-5, '0 s'],
    ])('tells %i ms as %s', (milliseconds, said) => {
      expect(roughDuration(milliseconds)).toBe(said);
    });

    test('tells of a move back to the sources that is being cancelled', () => {
      const move = { carrier: 'task', status: 'CANCELLING', startedAtMs: NOW_MS, moved: 3 } as const;
      expect(moveText('orders-dlq', move)).toBe(
        'orders-dlq: 3 moved back to their source queues since 2026-01-05 02:00 UTC; it is being cancelled',
      );
    });
  });

  const INVENTORY: Inventory = {
    partition: 'aws',
    region: 'us-east-1',
    account: '123456789012',
    isComplete: true,
    topics: [],
    subscriptions: [],
    queues: [],
    functions: [],
    mappings: [],
    targets: [],
    alarms: [],
    keys: [],
    roles: [],
  };

  test.each([
    [sqsArn('orders-dlq'), { kind: 'gone' }],
    [sqsArn('orders-dlq', '999999999999'), { kind: 'elsewhere', account: '999999999999', region: 'us-east-1' }],
    [
      sqsArn('orders-dlq', '123456789012', 'eu-west-1'),
      { kind: 'elsewhere', account: '123456789012', region: 'eu-west-1' },
    ],
  ])('a queue that is not in the inventory is gone only where it would be there: %s', (arn, location) => {
    expect(locationOf({ arn, feeders: [] }, INVENTORY)).toEqual(location);
  });
});
