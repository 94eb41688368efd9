import { countsAsSent, deadLetterQueues, feedersOf } from '../../../diagnosis/inventory/feeders';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  arnOf,
  inventoryOf,
  lambda,
  mapping,
  queue,
  queueArn,
  ruleTarget,
  schedule,
  subscription,
  topicArn,
  UNKNOWN,
} from '../inventories';

const DEAD = queueArn('dead');
const to = { deadLetterTargetArn: DEAD };
const invoke = { onSuccessArn: undefined, maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };

const EACH: readonly [kind: string, via: string, inventory: Partial<Inventory>][] = [
  ['subscription', 'RedrivePolicy', { subscriptions: [subscription('orders', '1', to)] }],
  ['queue', 'RedrivePolicy', { queues: [queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } })] }],
  ['function', 'DeadLetterConfig', { functions: [lambda('bill', to)] }],
  [
    'destination',
    'OnFailure',
    { functions: [lambda('bill', { eventInvokes: [{ ...invoke, qualifier: 'live', onFailureArn: DEAD }] })] },
  ],
  ['mapping', 'OnFailure', { mappings: [mapping('bill', 'stream', { onFailureArn: DEAD })] }],
  ['rule', 'DeadLetterConfig', { targets: [ruleTarget('nightly', topicArn('orders'), to)] }],
  ['schedule', 'DeadLetterConfig', { targets: [schedule('nightly', topicArn('orders'), to)] }],
];

describe('Who sends dead letters to a queue', () => {
  test.each(EACH)('%s, by its %s', (kind, via, parts) => {
    const found = feedersOf(DEAD, inventoryOf(parts));
    expect(found).toMatchObject([{ kind, via, queueArn: DEAD }]);
    expect(feedersOf(queueArn('other'), inventoryOf(parts))).toEqual([]);
  });

  test('is said of a function’s destination by version or alias', () => {
    const functions = EACH.flatMap(([kind, , parts]) => (kind === 'destination' ? (parts.functions ?? []) : []));
    expect(feedersOf(DEAD, inventoryOf({ functions }))).toMatchObject([{ qualifier: 'live' }]);
  });

  test('is not said where what is named is no queue, is nothing, or is not told', () => {
    const functions = [lambda('to-topic', { deadLetterTargetArn: topicArn('dead') }), lambda('to-nothing')];
    const unknownBecause = lambda('untold', { deadLetterTargetArn: UNKNOWN, eventInvokes: UNKNOWN });
    const queues = [queue('work', { redrivePolicy: UNKNOWN })];
    expect(deadLetterQueues(inventoryOf({ functions: [...functions, unknownBecause], queues }))).toEqual([]);
  });

  test('all but SQS itself come as messages that are counted as sent', () => {
    const feeders = EACH.flatMap(([, , parts]) => feedersOf(DEAD, inventoryOf(parts)));
    expect(feeders.filter(it => !countsAsSent(it)).map(({ kind }) => kind)).toEqual(['queue']);
  });
});

describe('The dead-letter queues of an inventory', () => {
  test('are each there once, with all who feed it, in the order of their ARNs', () => {
    const dead = queue('dead');
    const queues = [queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } }), dead];
    const elsewhere = arnOf('sqs', 'a', 'us-east-1');
    const subscriptions = [
      subscription('orders', '1', to),
      subscription('orders', '2', { deadLetterTargetArn: elsewhere }),
    ];
    const found = deadLetterQueues(inventoryOf({ queues, subscriptions }));
    expect(found.map(({ arn, queue: it, feeders }) => [arn, it, feeders.map(({ kind }) => kind)])).toEqual([
      [DEAD, dead, ['subscription', 'queue']],
      [elsewhere, undefined, ['subscription']],
    ]);
  });
});
