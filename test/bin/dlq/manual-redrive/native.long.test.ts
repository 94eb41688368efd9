import {
  CreateQueueCommand,
  DeleteQueueCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { REDRIVE_PERMISSIONS } from '../../../../bin/dlq/manual-redrive/manual-redrive-command';
import { CANCEL_PERMISSIONS, WATCH_PERMISSIONS } from '../../../../bin/dlq/manual-redrive/move-task-commands';
import { response } from '../../../../local';
import { newRule, newSchedule } from '../../../support/feeders';
import { inlineFunction } from '../../../support/inline-function';
import { deployRentalOrders, ORDER, RENTAL } from '../../../support/rental';
import { cells } from '../../command-output';
import { addOperators, type Takes, testPermissions } from '../../command-permissions';
import { addRole } from '../../operated-account';
import { ordersRedrive } from '../../redrive/redrive-account';
import { MemoryIo } from '../../shared/memory-io';
import { plainShop } from './plain-shop';
import { RedriveAccount } from './redrive-account';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));

const sorted = (texts: readonly string[]) => [...texts].sort();

describe('dlo dlq redrive, by a task of SQS', () => {
  let account: RedriveAccount;
  let dead: string;
  let orders: string;
  /** How many messages the consumer had processed before. */
  let before: number;

  beforeAll(async () => {
    account = await RedriveAccount.of(plainShop);
    dead = account.queue('Dead');
    orders = account.queue('Orders');
  });

  beforeEach(() => {
    before = account.done('Worker').length;
  });

  afterEach(async () => {
    account.deployed.aws.faults.clear();
    await account.deployed.advance({ minutes: 3 });
    await account.drain('Dead');
  });

  const doneSince = () => account.done('Worker').slice(before);
  const tasks = () => account.deployed.happened('sqs.move-task-started').length;

  test('says first what it would do, and does nothing', async () => {
    await account.sendMany('Dead', 12);
    const { exitCode, out, err } = await account.dlo(`redrive ${dead} --region us-east-1`);
    expect([exitCode, err]).toEqual([0, '']);
    const id = /--execute (\S+)/.exec(out)?.[1];
    expect(id).toMatch(/^12-/);
    expect(out.replace(/http:\S+/, 'URL')).toBe(`Move 12 messages from ${dead} to queue ${orders}.
  From      ${account.deployed.arn('Dead')}
  To        ${account.deployed.arn('Orders')}
  By        a move task of SQS
  Messages  12 visible, 0 in flight
  Canary    10 messages at 1 a second, watched for about 1 min before the rest follows
  Then      all that are left at 50 a second: about 11 s of moving
! a message that fails again at ${orders} comes back to
  ${dead}, when it was received 2 times: fix the cause first.
Nothing has been moved. This command does it, if nothing changes before:
  dlo dlq redrive ${dead} --region us-east-1 --endpoint-url URL --execute ${id}
`);
    expect(await account.json(`redrive ${dead} --region us-east-1`)).toMatchObject({
      plan: id,
      region: 'us-east-1',
      queue: { name: dead, arn: account.deployed.arn('Dead'), url: expect.stringMatching(/^http.*Dead/) },
      depths: { visible: 12, inFlight: 0, delayed: 0 },
      destination: { kind: 'queue', arn: account.deployed.arn('Orders') },
      carrier: 'task',
      form: 'as-they-are',
      messagesPerSecond: 50,
      canary: { messages: 10, messagesPerSecond: 1 },
      risks: [{ id: 'comes-back-here', weight: 'danger' }],
      command: expect.stringContaining(` --execute ${id}`),
    });
    expect(account.depth('Dead')).toEqual([12, 0]);
    expect(
      (await account.deployed.receive('Dead')).map(({ Attributes }) => Attributes?.ApproximateReceiveCount),
    ).toContain('1');
  });

  test('does what was planned, this has changed: a canary, a look at what becomes of it, and then the rest', async () => {
    await account.sendMany('Dead', 60);
    const { plan } = await account.json(`redrive ${dead} --canary 3`);
    const { exitCode, out, err } = await account.dlo(`redrive ${dead} --canary 3 --execute ${plan}`);
    expect([exitCode, out]).toEqual([
      0,
      `60 messages moved from ${dead} to queue ${orders}; none returned.\n${dead} holds 0 messages now.\n`,
    ]);
    // SQS counts 5 s late, and continues for 3 s after a cancellation. AWS publishes neither number.
    expect(err).toBe(
      'Canary: 3 messages at 1 a second.\n' +
        '8 messages moved. Watching for about 1 min for messages that return. Ctrl-C stops it.\n' +
        'The canary succeeded.\nNow all that are left at 50 a second.\n' +
        '60 messages moved. Watching for about 1 min for messages that return. Ctrl-C stops it.\n',
    );
    expect(sorted(doneSince())).toEqual(sorted(numbers(60)));
    expect(account.depth('Dead')).toEqual([0, 0]);
  });

  test('stops where the canary comes back, and names what to look at', async () => {
    for (const number of numbers(12)) await account.send('Dead', `poison ${number}`);
    const { exitCode, out, err } = await account.redrive('Dead', '--canary 2 ');
    const [, moved = ''] = /^(\d+) messages moved from/.exec(out) ?? [];
    expect(Number(moved)).toBeLessThan(12);
    expect([exitCode, out]).toEqual([
      1,
      `${moved} messages moved from ${dead} to queue ${orders}; ` +
        `${moved} messages returned, or as many others were dead-lettered meanwhile.\n` +
        `${dead} holds 12 messages now.\nNext: dlo dlq why ${dead} ${account.site}\n`,
    ]);
    expect(err).toMatch(/dlo: stopped after the canary \(\d messages moved\): \d messages returned, or as many/);
    expect(account.deployed.happened('sqs.move-task-started').at(-1)).toMatchObject({ messagesPerSecond: 1 });
    expect(sorted(await account.drain('Dead'))).toEqual(sorted(numbers(12).map(number => `poison ${number}`)));
  });

  test('does not go round for ever with messages that come back while it moves them', async () => {
    for (let number = 0; number < 30; number += 1) await account.send('Dead', `poison ${number}`);
    // A message is received twice, for 10 s each: the first message returns long before the last one moves.
    const { exitCode, err } = await account.redrive('Dead', '--canary 0 --rate 1 ');
    const [, moved = ''] = /dlo: finished \((\d+) messages moved\): \d+ messages returned/.exec(err) ?? [];
    expect(exitCode).toBe(1);
    expect(Number(moved)).toBeGreaterThan(30);
    // The task is cancelled when the count, which is 5 s late, reaches 31. It continues for 3 s. AWS publishes neither number.
    expect(Number(moved)).toBeLessThanOrEqual(31 + 5 + 3 + 1);
    expect(account.depth('Dead')).toEqual([30, 0]);
  });

  test('refuses a plan when something has changed since, and says what', async () => {
    await account.sendMany('Dead', 12);
    const id = await account.plan('Dead');
    await account.sendMany('Dead', 3);
    const refused = await account.dlo(`redrive ${dead} --execute ${id}`);
    expect(refused).toEqual({
      exitCode: 1,
      out: '',
      err: `dlo: nothing has been moved. Since ${id} was planned, this has changed: depth 12 → 15\n`,
    });
    const other = await account.dlo(`redrive ${dead} --rate 5 --execute ${await account.plan('Dead')}`);
    expect([other.exitCode, other.err]).toEqual([
      1,
      expect.stringContaining(': --to, --subscription, --rate, --canary or --filter differ\n'),
    ]);
    expect(account.depth('Dead')).toEqual([15, 0]);
  });

  test('--execute without a plan carries out the plan that it has just made, and refuses if the queue changes before yes', async () => {
    await account.sendMany('Dead', 4);
    const io = new MemoryIo();
    io.answer = () => 'no';
    expect(await account.dlo(`redrive ${dead} --execute`, {}, io)).toMatchObject({
      exitCode: 1,
      out: '',
      err: expect.stringMatching(/\ndlo: nothing has been moved: the answer was not yes\n$/),
    });
    const reported = await account.dlo(`redrive ${dead} --json --execute`, {}, io);
    expect([reported.exitCode, JSON.parse(reported.out)]).toMatchObject([1, { outcome: 'declined', moved: 0 }]);
    const asked: string[] = [];
    io.answer = question => {
      asked.push(question);
      return 'yes';
    };
    const moved = await account.dlo(`redrive ${dead} --execute`, {}, io);
    expect([moved.exitCode, asked]).toEqual([
      0,
      [`Move 4 messages from ${dead} to queue ${orders}. Type yes to do it: `],
    ]);
    expect(moved.err).toContain(`To        ${account.deployed.arn('Orders')}\n`);
    await account.sendMany('Dead', 4);
    const changing = new MemoryIo();
    const QueueUrl = account.deployed.ref('Dead');
    const more = new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: '1', MessageBody: 'late' }] });
    jest.spyOn(changing, 'ask').mockImplementation(async () => {
      await account.deployed.sqs.send(more);
      return 'yes';
    });
    const { exitCode, err } = await account.dlo(`redrive ${dead} --execute`, {}, changing);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(/Since 4-\w+ was planned, this has changed: depth 4 → 5\n$/),
    ]);
    expect(await account.json(`redrive ${dead}`)).toMatchObject({ depths: { visible: 5 } });
  });

  test('is cancelled by Ctrl-C, says how far it came, and goes on when it is run again', async () => {
    await account.sendMany('Dead', 60);
    const isMoving = (said: string) => said.includes('Now all');
    const { exitCode, out, err } = await account.interrupted(`redrive ${dead} --canary 3 --rate 5 --execute`, isMoving);
    const [, moved = ''] = /^(\d+) messages moved/.exec(out) ?? [];
    expect(Number(moved)).toBeGreaterThan(8);
    expect(Number(moved)).toBeLessThan(60);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`dlo: interrupted \\(${moved} messages moved\\); no message is lost\n$`)),
    ]);
    expect(out).toContain(
      `${dead} holds ${60 - Number(moved)} messages now.\nNext: dlo dlq redrive ${dead} --rate 5 --canary 3`,
    );
    expect(account.deployed.happened('sqs.move-task-ended').at(-1)).toMatchObject({ status: 'CANCELLED' });
    expect(await account.redrive('Dead', '--canary 0 ')).toMatchObject({ exitCode: 0 });
    expect(sorted(doneSince())).toEqual(sorted(numbers(60)));
    expect(account.depth('Dead')).toEqual([0, 0]);
  });

  test('ends the watch on what comes back by Ctrl-C, and says that nobody has waited for it', async () => {
    await account.sendMany('Dead', 20);
    const isWatching = (said: string) => said.includes('20 messages moved. Watching');
    const { exitCode, out } = await account.interrupted(`redrive ${dead} --canary 0 --execute`, isWatching);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('; not watched for returning messages.\n')]);
    expect(doneSince()).toHaveLength(20);
  });

  test('moves nothing more where Ctrl-C ends the watch on the canary', async () => {
    await account.sendMany('Dead', 30);
    const isWatching = (said: string) => said.includes('messages moved. Watching');
    const { exitCode, out, err } = await account.interrupted(`redrive ${dead} --canary 3 --execute`, isWatching);
    const [, moved = ''] = /^(\d+) messages moved/.exec(out) ?? [];
    expect([exitCode, out]).toEqual([
      1,
      expect.stringContaining(`${dead} holds ${30 - Number(moved)} messages now.\nNext: dlo dlq`),
    ]);
    expect(err).toMatch(new RegExp(`dlo: interrupted \\(${moved} messages moved\\); no message is lost\n$`));
    expect(account.deployed.happened('sqs.move-task-started').at(-1)).toMatchObject({ messagesPerSecond: 1 });
  });

  test('loses sight of a task that is over before it can be cancelled, and says so', async () => {
    await account.sendMany('Dead', 60);
    const started = tasks();
    const denied = { service: 'sqs', action: 'ListMessageMoveTasks', httpStatus: 403, code: 'AccessDenied' } as const;
    const fail = () => void (tasks() > started && account.deployed.aws.faults.set(denied));
    const run = () => account.dlo(`redrive ${dead} --canary 0 --rate 2 --execute`);
    const { exitCode, out, err } = await account.meanwhile(run, fail);
    expect([exitCode, out]).toEqual([1, expect.stringContaining(`\nNext: dlo dlq watch ${dead} ${account.site}\n`)]);
    expect(err).toMatch(
      /dlo: lost track of the task \(0 messages moved, as far as SQS reported\): sqs:ListMessageMoveTasks is denied/,
    );
    account.deployed.aws.faults.clear();
    expect(await account.dlo(`watch ${dead}`)).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/COMPLETED +60 of 60/),
    });
    expect(sorted(doneSince())).toEqual(sorted(numbers(60)));
  });

  test('says what was moved where the destination is deleted half way', async () => {
    const create = new CreateQueueCommand({ QueueName: 'short-lived' });
    const { QueueUrl } = await account.deployed.sqs.send(create);
    await account.sendMany('Dead', 60);
    const to = account.deployed.arn('Dead').replace(dead, 'short-lived');
    let isDeleted = false;
    const started = tasks();
    const remove = async () => {
      if (isDeleted || tasks() === started) return;
      isDeleted = true;
      await account.deployed.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    };
    const run = () => account.dlo(`redrive ${dead} --to ${to} --canary 0 --rate 10 --execute`);
    const { exitCode, out, err } = await account.meanwhile(run, remove);
    const [, moved = ''] = /^(\d+) messages moved/.exec(out) ?? [];
    expect([exitCode, out]).toEqual([1, expect.stringContaining(`${dead} holds ${60 - Number(moved)} messages now.`)]);
    const why = 'the task failed: a queue does not exist any more (AWS.SimpleQueueService.NonExistentQueue)';
    expect(err).toContain(`dlo: failed (${moved} messages moved): ${why}\n`);
  });

  describe('beside another task', () => {
    beforeEach(async () => {
      await account.sendMany('Dead', 60);
      const [SourceArn, DestinationArn] = [account.deployed.arn('Dead'), account.deployed.arn('Orders')];
      const task = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 2 };
      await account.deployed.sqs.send(new StartMessageMoveTaskCommand(task));
      await account.deployed.advance({ seconds: 11 });
    });

    test('moves nothing, and says how it is followed and ended', async () => {
      const { out } = await account.dlo(`redrive ${dead}`);
      expect(out).toMatch(
        /\n! a task of SQS is already moving messages of\s+\S+\s+\(RUNNING,\s+SQS\s+reports\s+2\d\s+moved/,
      );
      expect(out).toMatch(/\nNothing has been moved, and the plan cannot be carried out\.\n$/);
      expect(await account.dlo(`redrive ${dead} --execute`)).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining(': dlo dlq watch follows it, dlo dlq cancel ends it\n'),
      });
    });

    test('watches that one to its end', async () => {
      const { exitCode, out, err } = await account.dlo(`watch ${dead}`);
      expect([exitCode, err]).toEqual([
        0,
        expect.stringMatching(/: RUNNING, 2\d of 60 moved to .* \(2 a second\)\. The count of SQS lags/),
      ]);
      expect(cells(out).slice(0, 2)).toEqual([
        ['BEGAN', 'STATUS', 'MOVED', 'RATE', 'TO', 'WHY'],
        [expect.stringMatching(/UTC$/), 'COMPLETED', '60 of 60', '2 a second', orders],
      ]);
      expect(doneSince()).toHaveLength(60);
      const { tasks } = await account.json(`watch ${dead}`);
      expect(tasks[0]).toMatchObject({
        status: 'COMPLETED',
        moved: 60,
        toMove: 60,
        messagesPerSecond: 2,
        isRunning: false,
      });
    });

    test('ends the watch by Ctrl-C, and not the task', async () => {
      const { exitCode, out } = await account.interrupted(`watch ${dead}`, () => true);
      expect([exitCode, out]).toEqual([0, expect.stringMatching(/\nIt continues: RUNNING, \d+ of 60 moved/)]);
      await account.deployed.advance({ minutes: 1 });
      expect(doneSince()).toHaveLength(60);
    });

    test('cancels that one, and says how many it had moved', async () => {
      const plan = await account.dlo(`cancel ${dead}`);
      expect(plan).toMatchObject({ exitCode: 0, err: '' });
      expect(plan.out).toMatch(
        /RUNNING, 2\d of 60 moved.*\n.*\nNothing has been cancelled: dlo dlq cancel \S+ --execute --endpoint-url \S+ does it\.\n$/,
      );
      const { task, executed } = await account.json(`cancel ${dead} --execute`);
      expect([task.status, executed]).toEqual(['CANCELLED', true]);
      expect(task.moved).toBeGreaterThan(20);
      expect(account.depth('Dead')).toEqual([60 - task.moved, 0]);
      expect((await account.dlo(`cancel ${dead} --execute`)).out).toBe(
        `Nothing to do: ${dead} has no running move task.\n`,
      );
      expect(await account.redrive('Dead', '--canary 0 ')).toMatchObject({ exitCode: 0 });
      expect(sorted(doneSince())).toEqual(sorted(numbers(60)));
    });
  });
});

const HOST = 'billing.example.com';

describe('dlo dlq redrive, of the rental backend', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.ofDeployed(
      await deployRentalOrders({ billingEndpoint: `https://${HOST}/invoices` }),
    );
    await account.deployed.advance({ minutes: 1 });
    account.deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    await account.deployed.takeQueuePolicyAway(RENTAL.fulfilment);
    const MessageAttributes = { 'order-status': { DataType: 'String', StringValue: ORDER.status } };
    await account.deployed.publish(RENTAL.topic, JSON.stringify(ORDER), { MessageAttributes });
    await account.deployed.advance({ hours: 1 });
  });

  test('brings an order that never reached its queue there, encrypted as both are', async () => {
    const { exitCode, out } = await account.dlo('redrive Rental-Fulfilment-Fanout-DLQ --execute');
    const says =
      /^1 message moved from Rental-Fulfilment-Fanout-DLQ to queue Rental-Fulfilment; 1 message may still be in the destination/;
    expect([exitCode, out]).toEqual([0, expect.stringMatching(says)]);
    const [message = ''] = await account.deployed.take(RENTAL.fulfilment);
    expect(JSON.parse(JSON.parse(message).Message)).toEqual(ORDER);
  });

  test('has an order billed once the billing system is well again, and not before', async () => {
    const billing = account.deployed.aws.endpoint(HOST);
    const early = await account.dlo('redrive Rental-Billing-DLQ --execute');
    expect([early.exitCode, early.out]).toEqual([1, expect.stringContaining('1 message returned')]);
    billing.behave({ reply: response(200) });
    const before = billing.requests.length;
    const { exitCode, out } = await account.dlo('redrive Rental-Billing-DLQ --execute');
    const says = /^1 message moved from Rental-Billing-DLQ to function Rental-Billing; none returned\.\n/;
    expect([exitCode, out]).toEqual([0, expect.stringMatching(says)]);
    expect(billing.requests).toHaveLength(before + 1);
  });
});

test('dlo dlq redrive, of a queue that one of our functions redrives says so, and how that one is kept from it, and moves messages home beside it', async () => {
  const account = await RedriveAccount.of(stack => void ordersRedrive(stack));
  await account.sendMany('Orders/DeadLetterQueue', 3);
  const dead = account.queue('Orders/DeadLetterQueue');
  const { risks } = await account.json(`redrive ${dead}`);
  expect(risks).toContainEqual({
    id: 'redrive-watches',
    weight: 'danger',
    says: expect.stringContaining(`dlo redrive stop ${account.name('Home')} --execute, or let it do`),
  });
  const { exitCode, out } = await account.dlo(`redrive ${dead} --execute`);
  expect([exitCode, out]).toEqual([0, expect.stringContaining('3 messages moved')]);
  expect([account.depth('Orders/DeadLetterQueue'), account.depth('Orders')]).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

const TAKES: Takes = {
  'redrive orders-dlq': REDRIVE_PERMISSIONS.reads,
  'watch orders-dlq': WATCH_PERMISSIONS.reads,
  'cancel orders-dlq': CANCEL_PERMISSIONS.reads,
};

const COPY = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:SendMessage'];

/** For each queue, the permissions that moving its messages needs in addition to planning, and the output if one is missing. */
const ACTS = {
  'orders-dlq': {
    takes: [...COPY, 'sqs:StartMessageMoveTask', 'sqs:CancelMessageMoveTask'],
    says: (action: string) =>
      action === 'sqs:SendMessage' ? 'the task failed: its caller lacks a permission' : action,
  },
  'news-dlq': { takes: COPY, says: (action: string) => action },
  'printer-dlq': {
    takes: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'lambda:InvokeFunction'],
    says: (action: string) => action,
  },
};

type Acted = keyof typeof ACTS;

const QUEUES: readonly Acted[] = ['orders-dlq', 'news-dlq', 'printer-dlq'];

const CASES = QUEUES.flatMap(queue => ACTS[queue].takes.map(action => ({ queue, action })));

const roleOf = (queue: string, lacking = '') => `Moves${queue}${lacking}`.replace(/\W/g, '');

function fill(stack: Stack): void {
  const named = (queueName: string) => new Queue(stack, queueName, { queueName });
  const orders = new Queue(stack, 'Orders', { deadLetterQueue: { queue: named('orders-dlq'), maxReceiveCount: 3 } });
  const printer = inlineFunction(stack, 'Printer', 'exports.handler = async () => {};', {
    deadLetterQueue: named('printer-dlq'),
  });
  printer.addEventSource(new SqsEventSource(orders));
  const inbox = new Queue(stack, 'Inbox');
  printer.addEventSource(new SqsEventSource(inbox));
  new Topic(stack, 'News').addSubscription(new SqsSubscription(inbox, { deadLetterQueue: named('news-dlq') }));
  newRule(stack);
  newSchedule(stack);
  addOperators(stack, TAKES);
  for (const queue of QUEUES) addRole(stack, roleOf(queue), [...REDRIVE_PERMISSIONS.reads, ...ACTS[queue].takes]);
  for (const { queue, action } of CASES) {
    const others = ACTS[queue].takes.filter(it => it !== action);
    addRole(stack, roleOf(queue, action), [...REDRIVE_PERMISSIONS.reads, ...others]);
  }
}

describe('dlo dlq redrive, watch and cancel', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(fill);
  });

  testPermissions(TAKES, [], () => account);

  const act = async (queue: Acted, role: string) => {
    await account.sendMany(queue, 12);
    const came = await account.dlo(`redrive ${queue} --canary 1 --execute`, await account.as(role));
    await account.deployed.advance({ minutes: 3 });
    await account.drain(queue);
    return came;
  };

  test.each(QUEUES)('move messages of %s by no more than is said', async queue => {
    const { exitCode, out } = await act(queue, roleOf(queue));
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^12 messages moved from/)]);
    const said = [...REDRIVE_PERMISSIONS.reads, ...(REDRIVE_PERMISSIONS.executes ?? [])];
    expect(ACTS[queue].takes.filter(action => !said.includes(action))).toEqual([]);
  });

  test.each(CASES)('move no messages of $queue without $action, and say so', async ({ queue, action }) => {
    const { exitCode, err } = await act(queue, roleOf(queue, action));
    expect([exitCode, err]).toEqual([1, expect.stringContaining(ACTS[queue].says(action))]);
  });
});
