import { unfedQueues } from '../../../diagnosis/inventory/feeders';
import { byUrgency, type Urgency, type UrgencyFacts, urgencyOf } from '../../../diagnosis/inventory/queue-expiry';
import { namesShortenedTo, shortenedText, shortNames } from '../../../diagnosis/inventory/short-names';
import { HOUR_MS } from '../../../policy/time-units';
import { inventoryOf, queue, queueArn, subscription, UNKNOWN } from '../inventories';

const NOW_MS = Date.parse('2026-01-05T02:00:00Z');

const expiring = (earliestHours: number, latestHours = earliestHours) => ({
  earliestMs: NOW_MS + earliestHours * HOUR_MS,
  latestMs: NOW_MS + latestHours * HOUR_MS,
});

/** The most urgent first. */
const ROWS: readonly (readonly [Urgency, UrgencyFacts])[] = [
  ['expiring', { messages: 1, expiry: expiring(0, 1) }],
  ['expiring', { messages: 1, expiry: expiring(1, 20), growth: -5 }],
  ['expiring', { messages: 1, expiry: expiring(1, 24) }],
  ['growing', { messages: 9, expiry: expiring(0, 96), growth: 9 }],
  ['growing', { messages: 900, growth: 1 }],
  ['may-expire', { messages: 1, expiry: expiring(0, 96) }],
  ['may-expire', { messages: 900, expiry: expiring(24, 96), growth: 0 }],
  ['holding', { messages: 100, expiry: expiring(25, 96), growth: -1 }],
  ['holding', { messages: 99 }],
  ['unknown', { messages: undefined }],
  ['empty', { messages: 0 }],
];

test.each(ROWS)('%s is the urgency of %j', (urgency, facts) => {
  expect(urgencyOf(facts, NOW_MS)).toBe(urgency);
});

test('orders queues: expiring, growing, many messages, unknown, empty', () => {
  const sorted = ROWS.map(([, facts]) => facts)
    .toReversed()
    .sort((one, other) => byUrgency(one, other, NOW_MS));
  expect(sorted).toEqual(ROWS.map(([, facts]) => facts));
  expect(byUrgency({ messages: 2 }, { messages: 2 }, NOW_MS)).toBe(0);
});

describe('short names', () => {
  test.each([
    ['Shop-OrdersDlqE4A7BA2B-7Xh3kQ9LmN2p', 'OrdersDlq'],
    ['Prod-Eu-Shop-OrdersDlqE4A7BA2B-ABCDEFGHIJKL', 'OrdersDlq'],
    ['Shop-OrdersDlqE4A7BA2B-7Xh3kQ9LmN2p.fifo', 'OrdersDlq.fifo'],
    // A template without CDK.
    ['shop-prod-OrdersDLQ-1ABCDEFGHIJK', 'OrdersDLQ'],
    ['orders-dlq', 'orders-dlq'],
    ['orders-dlq-productionxx', 'orders-dlq-productionxx'],
    ['orders-dlq-20260105000000', 'orders-dlq-20260105000000'],
  ])('%s is %s', (name, short) => {
    expect(shortNames([name]).get(name)).toBe(short);
    expect(namesShortenedTo(short, [name, 'other'])).toEqual([name]);
  });

  test('a form that stands for two names is used for neither', () => {
    const names = [
      'A-DlqE4A7BA2B-7Xh3kQ9LmN2p',
      'B-DlqE4A7BA2B-7Xh3kQ9LmN2q',
      'B-DlqE4A7BA2C-7Xh3kQ9LmN2r',
      'C-XE4A7BA2C-7Xh3kQ9LmN2s',
      'X',
    ];
    expect([...shortNames(names).values()]).toEqual(['A-Dlq', names[1], names[2], 'C-X', 'X']);
    expect(namesShortenedTo('B-Dlq', names)).toEqual([names[1], names[2]]);
  });

  test('shortens every such name in a text', () => {
    expect(shortenedText('Shop-OrdersE4A7BA2B-7Xh3kQ9LmN2p to https://x.example.com/a-b')).toBe(
      'Orders to https://x.example.com/a-b',
    );
  });
});

test('finds queues that look like dead-letter queues although nothing feeds them', () => {
  const allow = { permission: 'allowAll', sourceQueueArns: [] };
  const inventory = inventoryOf({
    queues: [
      queue('old-dlq'),
      queue('DeadLetters'),
      queue('parking', { redriveAllowPolicy: allow }),
      queue('closed', { redriveAllowPolicy: { ...allow, permission: 'denyAll' } }),
      queue('unread', { redriveAllowPolicy: UNKNOWN }),
      queue('fed-dlq'),
      queue('delivered-dlq'),
      queue('orders', { redrivePolicy: { deadLetterTargetArn: queueArn('fed-dlq'), maxReceiveCount: 3 } }),
    ],
    subscriptions: [subscription('orders', '1', { protocol: 'sqs', endpoint: queueArn('delivered-dlq') })],
  });
  expect(unfedQueues(inventory).map(({ queue: found }) => found?.name)).toEqual(['DeadLetters', 'old-dlq', 'parking']);
});
