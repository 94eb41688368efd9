import type { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CANCEL_PERMISSIONS, REDRIVE_PERMISSIONS, WATCH_PERMISSIONS } from '../../../../bin/dlq/redrive/command';
import { newRule, newSchedule } from '../../../support/feeders';
import { inlineFunction } from '../../../support/inline-function';
import { addRole } from '../../operated-account';
import { addOperators, type Takes, testPermissions } from '../../told-permissions';
import { RedriveAccount } from './redrive-account';

const TAKES: Takes = {
  'redrive orders-dlq': REDRIVE_PERMISSIONS.reads,
  'watch orders-dlq': WATCH_PERMISSIONS.reads,
  'cancel orders-dlq': CANCEL_PERMISSIONS.reads,
};

const COPY = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:SendMessage'];

/** By the queue, what moving its letters takes beside planning, and what is said where some of it is missing. */
const ACTS = {
  'orders-dlq': {
    takes: [...COPY, 'sqs:StartMessageMoveTask', 'sqs:CancelMessageMoveTask'],
    says: (action: string) =>
      action === 'sqs:SendMessage' ? 'the task failed: whoever began it may not do all it takes' : action,
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

  test.each(QUEUES)('move letters of %s by no more than is said', async queue => {
    const { exitCode, out } = await act(queue, roleOf(queue));
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^12 letters moved from/)]);
    const said = [...REDRIVE_PERMISSIONS.reads, ...(REDRIVE_PERMISSIONS.executes ?? [])];
    expect(ACTS[queue].takes.filter(action => !said.includes(action))).toEqual([]);
  });

  test.each(CASES)('move no letters of $queue without $action, and say so', async ({ queue, action }) => {
    const { exitCode, err } = await act(queue, roleOf(queue, action));
    expect([exitCode, err]).toEqual([1, expect.stringContaining(ACTS[queue].says(action))]);
  });
});
