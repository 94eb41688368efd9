import { listText } from '../../../../bin/dlq/list/list-text';
import { byUrgency, type ListedQueue, whereaboutsOf } from '../../../../bin/dlq/list/listed-queue';
import { expiryText, moveText } from '../../../../bin/dlq/list/wording';
import { plainPaint } from '../../../../bin/paint';
import type { Finding } from '../../../../diagnosis/checks/finding';
import type { Inventory } from '../../../../diagnosis/inventory/inventory';
import { roughDuration } from '../../../../policy/wording';
import { lambda, subscription } from '../../../diagnosis/inventories';
import { PAINT } from '../../command-output';

const NOW_MS = Date.parse('2026-01-05T02:00:00Z');
const HOUR_MS = 3_600_000;
const NONE = { visible: 0, inFlight: 0, delayed: 0 };

const sqsArn = (name: string, account = '123456789012', region = 'us-east-1') =>
  `arn:aws:sqs:${region}:${account}:${name}`;

function listed(name: string, more: Partial<ListedQueue> = {}): ListedQueue {
  return {
    arn: sqsArn(name),
    name,
    whereabouts: { kind: 'here' },
    depth: NONE,
    feeders: [],
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

const text = (queues: readonly ListedQueue[], stack?: string, paint = plainPaint) =>
  listText({ region: 'us-east-1', queues, unseen: [] }, stack, NOW_MS, paint);

describe('The text of dlo dlq ls', () => {
  test('says where there is no dead-letter queue', () => {
    expect(text([])).toBe('Nothing in us-east-1 has a dead-letter queue.\n');
    expect(text([], 'Orders')).toBe('Nothing in the stack Orders in us-east-1 has a dead-letter queue.\n');
  });

  test('has letters stand out, and what is lost', () => {
    const queues = [
      listed('orders-dlq', { depth: { visible: 1_200, inFlight: 3, delayed: 1 }, heldSinceMs: NOW_MS - 90 * 60_000 }),
      listed('bills-dlq'),
      listed('gone-dlq', { whereabouts: { kind: 'gone' }, feeders: fedBy('subscription', 'orders to work') }),
    ];
    expect(text(queues, undefined, PAINT).split('\n')).toEqual([
      '<b>QUEUE       LETTERS  IN FLIGHT  DELAYED  OLDEST      FIRST EXPIRES  FED BY</b>',
      '<y>orders-dlq    1,200          3        1  1 h 30 min  ?</y>',
      'bills-dlq         0          0        0  -           -',
      '',
      'gone-dlq is not there: what is sent to it is lost. Fed by subscription orders to work',
      '',
    ]);
  });

  test('says of another account’s queue that it cannot be seen', () => {
    const whereabouts = { kind: 'elsewhere', account: '999999999999', region: 'us-east-1' } as const;
    const said = text([listed('their-dlq', { whereabouts, feeders: fedBy('destination', 'printer', 'live') })]);
    expect(said).toBe(
      'their-dlq of the account 999999999999 in us-east-1 cannot be seen from here. Fed by failures of printer:live\n',
    );
  });

  test('tells a finding about several queues once, on a line, without what would steer a terminal', () => {
    const shared = finding({ severity: 'loses', says: `The key \u{1b}[31m${'k'.repeat(200)} lets nobody in.` });
    const said = text([listed('a-dlq', { findings: [shared] }), listed('b-dlq', { findings: [shared, finding()] })]);
    const lines = said.slice(said.indexOf('What is missing')).trimEnd().split('\n');
    expect(lines).toEqual([
      'What is missing; dlo doctor tells more, and how to mend it:',
      expect.stringMatching(/^ {2}loses {6}The key \[31mk+…$/),
      '  unwatched  No alarm tells of the dead letters in orders-dlq.',
    ]);
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
    expect(moveText(listed('orders-dlq'), move)).toBe(
      'orders-dlq: 3 moved back to their queues since 2026-01-05 02:00 UTC; it is being cancelled',
    );
  });
});

test('the most urgent queue is the one with letters of which the first expires soonest', () => {
  const held = (name: string, more: Partial<ListedQueue> = {}) =>
    listed(name, { depth: { ...NONE, visible: 1 }, ...more });
  const queues = [
    listed('a-empty'),
    held('b-unknown'),
    held('c-late', { expiry: expiring(9) }),
    held('d-soon', { expiry: expiring(1, 20) }),
    listed('e-in-flight', { depth: { ...NONE, inFlight: 1 }, expiry: expiring(2) }),
  ];
  expect(queues.toSorted(byUrgency).map(({ name }) => name)).toEqual([
    'd-soon',
    'e-in-flight',
    'c-late',
    'b-unknown',
    'a-empty',
  ]);
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
])('a queue that is not in the inventory is gone only where it would be there: %s', (arn, whereabouts) => {
  expect(whereaboutsOf({ arn, feeders: [] }, INVENTORY)).toEqual(whereabouts);
});
