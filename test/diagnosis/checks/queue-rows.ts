import type { Inventory, QueueFacts, SubscriptionFacts } from '../../../diagnosis/inventory/inventory';
import { DAY_SECONDS } from '../../../policy/time-units';
import {
  arnOf,
  deadLettersOf,
  functionArn,
  inventoryOf,
  lambda,
  mapping,
  queue,
  queueArn,
  ruleTarget,
  schedule,
  subscription,
  topic,
  UNKNOWN,
} from '../inventories';
import { placed, type Row } from './row';

const redrive = (name = 'dead', maxReceiveCount = 5) => ({
  redrivePolicy: { deadLetterTargetArn: queueArn(name), maxReceiveCount },
});

/** A queue, and a dead-letter queue that keeps messages longer. */
const pair = (work: Partial<QueueFacts>, dead: Partial<QueueFacts> = {}): Inventory =>
  inventoryOf({
    queues: [queue('work', { ...redrive(), ...work }), queue('dead', { retentionSeconds: 14 * DAY_SECONDS, ...dead })],
  });
const fifoPair = (dead: Partial<QueueFacts>): Inventory =>
  inventoryOf({ queues: [queue('work.fifo', redrive('dead.fifo')), queue('dead.fifo', dead)] });

const read = (work: Partial<QueueFacts>, timeoutSeconds: number | typeof UNKNOWN, batchingWindowSeconds = 0) => ({
  ...pair(work),
  functions: [lambda('bill', { timeoutSeconds })],
  mappings: [mapping('bill', 'work', { batchingWindowSeconds })],
});
const inTemplate = (it: ReturnType<typeof read>) => ({
  ...it,
  mappings: it.mappings.map(mapped => ({ ...mapped, ...placed('Mapping') })),
});

const deadAt = (deadLetterTargetArn: string, facts: Partial<SubscriptionFacts> = {}, topicName = 'orders') =>
  inventoryOf({
    topics: [topic(topicName)],
    subscriptions: [subscription(topicName, '1', { deadLetterTargetArn, ...facts })],
  });
const ABROAD = arnOf('sqs', 'dead', 'us-east-1');
const OF_OTHERS = arnOf('sqs', 'dead', undefined, '999999999999');

const allowing = (permission: string | typeof UNKNOWN, ...names: readonly string[]) =>
  pair({}, { redriveAllowPolicy: { permission, sourceQueueArns: names.map(queueArn) } });

const circle = (deadWaitsFor: readonly string[], workWaitsFor: readonly string[], deadStack = 'Test') =>
  inventoryOf({
    isComplete: false,
    queues: [
      queue('work', { ...redrive(), ...placed('Work', { waitsFor: workWaitsFor }) }),
      queue('dead', {
        retentionSeconds: 14 * DAY_SECONDS,
        ...placed('Dead', { stack: deadStack, waitsFor: deadWaitsFor }),
      }),
    ],
  });

/** A subscription that delivers to a queue with a policy, and has no dead-letter queue. */
const delivering = (waitsFor: readonly string[], facts: Partial<SubscriptionFacts> = {}) =>
  inventoryOf({
    isComplete: false,
    queues: [queue('orders', { ...placed('Orders'), policyPlaces: [placed('OrdersPolicy').place] })],
    subscriptions: [subscription('orders', '1', { ...facts, ...placed('Sub', { waitsFor }) })],
  });

const waiting = (waitsFor: readonly string[], stack = 'Test') =>
  inventoryOf({
    isComplete: false,
    queues: [
      deadLettersOf('orders', 'dead', {
        ...placed('Dead', { stack }),
        policyPlaces: [placed('DeadPolicy', { stack }).place],
      }),
    ],
    subscriptions: [
      subscription('orders', '1', { deadLetterTargetArn: queueArn('dead'), ...placed('Sub', { waitsFor }) }),
    ],
  });

export const QUEUE_ROWS: readonly Row[] = [
  {
    id: 'dead-letters-kept-too-short',
    severity: 'at-risk',
    what: 'a dead-letter queue that keeps letters for an hour',
    withFault: pair({ retentionSeconds: 600 }, { retentionSeconds: 3_600 }),
    about: 'dead',
    location: 'Properties/MessageRetentionPeriod',
    says: /keeps messages for only 1 h/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      pair({ retentionSeconds: 600 }, { retentionSeconds: DAY_SECONDS }),
      inventoryOf({ queues: [queue('q', { retentionSeconds: 60 })] }),
    ],
    unknownBecause: [pair({}, { retentionSeconds: UNKNOWN })],
  },
  {
    id: 'dead-letters-expire-early',
    severity: 'at-risk',
    what: 'a dead-letter queue that keeps letters no longer than its source',
    withFault: pair({ retentionSeconds: 4 * DAY_SECONDS }, { retentionSeconds: 4 * DAY_SECONDS }),
    about: 'dead',
    others: [queueArn('work')],
    location: 'Properties/MessageRetentionPeriod',
    says: /keeps messages for 4 d, its source work for 4 d/,
    calls: ['SetQueueAttributes'],
    withoutFault: [pair({}), fifoPair({})],
    unknownBecause: [
      pair({ retentionSeconds: UNKNOWN }, { retentionSeconds: DAY_SECONDS }),
      pair({}, { retentionSeconds: UNKNOWN }),
    ],
  },
  {
    id: 'dead-letters-expire-early',
    severity: 'at-risk',
    what: 'both at 14 days, where only the source can change',
    withFault: pair({ retentionSeconds: 14 * DAY_SECONDS }),
    about: 'dead',
    others: [queueArn('work')],
    location: 'Properties/MessageRetentionPeriod',
    says: /its source work for 14 d/,
    withoutFault: [pair({ retentionSeconds: 13 * DAY_SECONDS })],
  },
  {
    id: 'visibility-too-short',
    severity: 'at-risk',
    what: 'a function that may run for longer than its messages stay hidden',
    withFault: read({ visibilityTimeoutSeconds: 30 }, 60),
    about: 'work',
    others: [arnOf('lambda', 'event-source-mapping:bill-work'), functionArn('bill')],
    location: 'Properties/VisibilityTimeout',
    says: /become visible again after 30 s, while bill may run for 60 s\. Lambda rejects/,
    calls: ['SetQueueAttributes'],
    withoutFault: [read({ visibilityTimeoutSeconds: 30 }, 5), pair({ visibilityTimeoutSeconds: 0 })],
    unknownBecause: [read({ visibilityTimeoutSeconds: UNKNOWN }, 60), read({ visibilityTimeoutSeconds: 30 }, UNKNOWN)],
  },
  {
    id: 'visibility-too-short',
    severity: 'rejected',
    what: 'the same in a template',
    withFault: inTemplate(read({ visibilityTimeoutSeconds: 30 }, 60)),
    about: 'work',
    others: [arnOf('lambda', 'event-source-mapping:bill-work'), functionArn('bill')],
    location: 'Properties/VisibilityTimeout',
    says: /Lambda rejects/,
    calls: ['SetQueueAttributes'],
    withoutFault: [inTemplate(read({ visibilityTimeoutSeconds: 360 }, 60))],
  },
  {
    id: 'visibility-too-short',
    severity: 'unwatched',
    what: 'less than six timeouts and the batching window',
    withFault: read({ visibilityTimeoutSeconds: 379 }, 60, 20),
    about: 'work',
    others: [arnOf('lambda', 'event-source-mapping:bill-work'), functionArn('bill')],
    location: 'Properties/VisibilityTimeout',
    says: /AWS recommends 380 s/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      read({ visibilityTimeoutSeconds: 380 }, 60, 20),
      { ...read({}, 60), mappings: [mapping('bill', 'work', { isEnabled: false })] },
    ],
  },
  {
    id: 'visibility-too-short',
    severity: 'unwatched',
    what: 'just as long as the function may run',
    withFault: read({ visibilityTimeoutSeconds: 60 }, 60),
    about: 'work',
    others: [arnOf('lambda', 'event-source-mapping:bill-work'), functionArn('bill')],
    location: 'Properties/VisibilityTimeout',
    says: /AWS recommends 360 s/,
    calls: ['SetQueueAttributes'],
    withoutFault: [read({ visibilityTimeoutSeconds: 360 }, 60)],
  },
  {
    id: 'receive-count-out-of-range',
    severity: 'rejected',
    what: '1,001 receives',
    withFault: pair(redrive('dead', 1_001)),
    about: 'work',
    location: 'Properties/RedrivePolicy/maxReceiveCount',
    says: /maxReceiveCount of work is 1001/,
    calls: ['SetQueueAttributes'],
    withoutFault: [pair(redrive('dead', 1)), pair(redrive('dead', 1_000))],
    unknownBecause: [pair({ redrivePolicy: { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: UNKNOWN } })],
  },
  {
    id: 'too-few-receives',
    severity: 'unwatched',
    what: 'one receive before a function',
    withFault: read(redrive('dead', 1), 3),
    about: 'work',
    location: 'Properties/RedrivePolicy/maxReceiveCount',
    says: /to the dead-letter queue after the first receive/,
    calls: ['SetQueueAttributes'],
    withoutFault: [read(redrive('dead', 3), 3), pair(redrive('dead', 1))],
    unknownBecause: [read({ redrivePolicy: UNKNOWN }, 3)],
  },
  {
    id: 'dead-letter-queue-elsewhere',
    severity: 'rejected',
    what: 'a subscription’s in another Region',
    withFault: deadAt(ABROAD),
    about: 'orders:1',
    others: [ABROAD],
    location: 'Properties/RedrivePolicy',
    says: /in another Region than the topic/,
    withoutFault: [deadAt(queueArn('dead'))],
    unknownBecause: [deadAt(arnOf('sqs', 'dead', '<region>')), deadAt(ABROAD, { topicArn: UNKNOWN })],
  },
  {
    id: 'dead-letter-queue-elsewhere',
    severity: 'at-risk',
    what: 'a subscription’s of another account',
    withFault: deadAt(OF_OTHERS),
    about: 'orders:1',
    others: [OF_OTHERS],
    location: 'Properties/RedrivePolicy',
    says: /in another account than the subscriber/,
    withoutFault: [
      deadAt(queueArn('dead')),
      // The owner of the queue subscribed it to a topic of another account.
      deadAt(queueArn('dead'), { topicArn: arnOf('sns', 'orders', undefined, '999999999999') }),
    ],
    unknownBecause: [deadAt(arnOf('sqs', 'dead', undefined, '<account>')), deadAt(OF_OTHERS, { owner: UNKNOWN })],
  },
  {
    id: 'dead-letter-queue-elsewhere',
    severity: 'rejected',
    what: 'a queue’s of another account',
    withFault: pair({ redrivePolicy: { deadLetterTargetArn: OF_OTHERS, maxReceiveCount: 5 } }),
    about: 'work',
    others: [OF_OTHERS],
    location: 'Properties/RedrivePolicy',
    says: /in another account than the queue/,
    withoutFault: [
      pair({}),
      inventoryOf({ targets: [ruleTarget('r', functionArn('f'), { deadLetterTargetArn: OF_OTHERS })] }),
    ],
    unknownBecause: [
      pair({
        redrivePolicy: { deadLetterTargetArn: arnOf('sqs', 'dead', undefined, '<account>'), maxReceiveCount: 5 },
      }),
    ],
  },
  {
    id: 'dead-letter-queue-elsewhere',
    severity: 'rejected',
    what: 'a queue’s in another Region',
    withFault: pair({ redrivePolicy: { deadLetterTargetArn: ABROAD, maxReceiveCount: 5 } }),
    about: 'work',
    others: [ABROAD],
    location: 'Properties/RedrivePolicy',
    says: /in another Region than the queue/,
    fixSays: /in the Region of the queue/,
    withoutFault: [pair({})],
  },
  {
    id: 'dead-letter-queue-elsewhere',
    severity: 'at-risk',
    what: 'a rule’s in another Region',
    withFault: inventoryOf({ targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: ABROAD })] }),
    about: 'placed',
    others: [ABROAD],
    location: 'Properties/Targets',
    says: /in another Region than the rule/,
    withoutFault: [
      inventoryOf({ targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: OF_OTHERS })] }),
      inventoryOf({ functions: [lambda('bill', { deadLetterTargetArn: ABROAD })] }),
      inventoryOf({ targets: [schedule('nightly', functionArn('bill'), { deadLetterTargetArn: ABROAD })] }),
    ],
    unknownBecause: [
      inventoryOf({
        targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: arnOf('sqs', 'dead', '<region>') })],
      }),
    ],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a FIFO one of a standard topic',
    withFault: deadAt(queueArn('dead.fifo')),
    about: 'orders:1',
    others: [queueArn('dead.fifo')],
    location: 'Properties/RedrivePolicy',
    says: /is a FIFO queue but must be a standard queue: SNS rejects it/,
    withoutFault: [deadAt(queueArn('dead'))],
    unknownBecause: [deadAt(queueArn('<Dead>')), deadAt(queueArn('dead.fifo'), { topicArn: UNKNOWN })],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a standard one of a FIFO topic’s FIFO queue',
    withFault: deadAt(queueArn('dead'), { endpoint: queueArn('work.fifo') }, 'orders.fifo'),
    about: 'orders.fifo:1',
    others: [queueArn('dead')],
    location: 'Properties/RedrivePolicy',
    says: /is a standard queue but must be a FIFO queue: SNS rejects it/,
    fixSays: /Use a FIFO queue/,
    withoutFault: [
      deadAt(queueArn('dead.fifo'), { endpoint: queueArn('work.fifo') }, 'orders.fifo'),
      deadAt(queueArn('dead'), { endpoint: queueArn('work') }, 'orders.fifo'),
    ],
    unknownBecause: [deadAt(queueArn('dead'), { endpoint: UNKNOWN }, 'orders.fifo')],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a FIFO one of a function',
    withFault: inventoryOf({ functions: [lambda('bill', { deadLetterTargetArn: queueArn('dead.fifo') })] }),
    about: 'bill',
    others: [queueArn('dead.fifo')],
    location: 'Properties/DeadLetterConfig',
    says: /Lambda rejects it/,
    withoutFault: [
      inventoryOf({ functions: [lambda('bill', { deadLetterTargetArn: queueArn('dead') })] }),
      fifoPair({}),
    ],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a FIFO one of a rule',
    withFault: inventoryOf({
      targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: queueArn('dead.fifo') })],
    }),
    about: 'placed',
    others: [queueArn('dead.fifo')],
    location: 'Properties/DeadLetterConfig',
    says: /must be a standard queue: EventBridge rejects it/,
    fixSays: /Use a standard queue/,
    withoutFault: [
      inventoryOf({ targets: [ruleTarget('placed', queueArn('w.fifo'), { deadLetterTargetArn: queueArn('dead') })] }),
    ],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a FIFO one of a schedule',
    withFault: inventoryOf({
      targets: [schedule('nightly', functionArn('bill'), { deadLetterTargetArn: queueArn('dead.fifo') })],
    }),
    about: 'nightly',
    others: [queueArn('dead.fifo')],
    location: 'Properties/DeadLetterConfig',
    says: /must be a standard queue: EventBridge Scheduler rejects it/,
    withoutFault: [
      inventoryOf({ targets: [schedule('nightly', functionArn('bill'), { deadLetterTargetArn: queueArn('dead') })] }),
    ],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a FIFO one of a standard queue, whose name AWS generates',
    withFault: inventoryOf({ queues: [queue('work', redrive('<Dead>')), queue('<Dead>', { isFifo: true })] }),
    about: 'work',
    others: [queueArn('<Dead>')],
    location: 'Properties/RedrivePolicy',
    says: /is a FIFO queue but must be a standard queue/,
    withoutFault: [inventoryOf({ queues: [queue('work', redrive('<Dead>')), queue('<Dead>')] })],
    unknownBecause: [
      inventoryOf({ queues: [queue('work', redrive('<Dead>')), queue('<Dead>', { isFifo: UNKNOWN })] }),
      inventoryOf({ queues: [queue('work', { ...redrive('dead.fifo'), isFifo: UNKNOWN })] }),
    ],
  },
  {
    id: 'dead-letter-queue-of-another-type',
    severity: 'rejected',
    what: 'a standard one of a FIFO queue',
    withFault: inventoryOf({ queues: [queue('work.fifo', redrive('dead')), queue('dead')] }),
    about: 'work.fifo',
    others: [queueArn('dead')],
    location: 'Properties/RedrivePolicy',
    says: /SQS rejects it/,
    withoutFault: [pair({}), fifoPair({})],
  },
  {
    id: 'redrive-allow-policy-keeps-out',
    severity: 'rejected',
    what: 'a list without the source',
    withFault: allowing('byQueue', 'other'),
    about: 'dead',
    others: [queueArn('work')],
    location: 'Properties/RedriveAllowPolicy',
    says: /work uses dead for its dead letters, but the redrive-allow policy/,
    calls: ['SetQueueAttributes'],
    withoutFault: [allowing('byQueue', 'other', 'work'), allowing('allowAll'), pair({})],
    unknownBecause: [
      allowing(UNKNOWN),
      pair({}, { redriveAllowPolicy: UNKNOWN }),
      pair({}, { redriveAllowPolicy: { permission: 'byQueue', sourceQueueArns: UNKNOWN } }),
    ],
  },
  {
    id: 'redrive-allow-policy-keeps-out',
    severity: 'rejected',
    what: 'nobody let in',
    withFault: allowing('denyAll'),
    about: 'dead',
    others: [queueArn('work')],
    location: 'Properties/RedriveAllowPolicy',
    says: /work uses dead for its dead letters, but the redrive-allow policy/,
    calls: ['SetQueueAttributes'],
    withoutFault: [
      inventoryOf({ queues: [queue('q', { redriveAllowPolicy: { permission: 'denyAll', sourceQueueArns: [] } })] }),
    ],
  },
  {
    id: 'redrive-allow-policy-cycle',
    severity: 'rejected',
    what: 'two queues that wait for each other',
    withFault: circle(['Work'], ['Dead']),
    about: 'dead',
    others: [queueArn('work')],
    location: 'Properties/RedriveAllowPolicy',
    says: /each waits for the other/,
    withoutFault: [circle([], ['Dead']), circle(['Work'], []), circle(['Work'], ['Dead'], 'Other'), pair({})],
  },
  {
    id: 'subscription-does-not-wait',
    severity: 'on-change',
    what: 'a subscription that may be there before the policy it needs',
    withFault: waiting([]),
    about: 'orders:1',
    others: [queueArn('dead')],
    location: 'DependsOn',
    says: /does not wait for the policy of dead/,
    withoutFault: [waiting(['DeadPolicy']), waiting([], 'Other'), deadAt(queueArn('dead'))],
  },
  {
    id: 'subscription-does-not-wait',
    severity: 'on-change',
    what: 'a subscription that may deliver before the queue’s policy lets it',
    withFault: delivering([]),
    about: 'orders:1',
    others: [queueArn('orders')],
    location: 'DependsOn',
    says: /does not wait for the policy of orders/,
    withoutFault: [
      delivering(['OrdersPolicy']),
      // A queue without a policy of its own has none to wait for.
      { ...delivering([]), queues: [queue('orders', placed('Orders'))] },
    ],
    unknownBecause: [delivering([], { endpoint: UNKNOWN })],
  },
  {
    id: 'dead-letter-queue-gone',
    severity: 'at-risk',
    what: 'a dead-letter queue that does not exist',
    withFault: deadAt(queueArn('dead')),
    about: 'orders:1',
    others: [queueArn('dead')],
    says: /names arn:aws:sqs:.*:dead, which does not exist/,
    withoutFault: [
      { ...deadAt(queueArn('dead')), queues: [deadLettersOf('orders', 'dead')] },
      deadAt(ABROAD),
      deadAt(OF_OTHERS),
      { ...deadAt(queueArn('dead')), isComplete: false },
    ],
    unknownBecause: [{ ...deadAt(queueArn('dead')), unread: ['the queues: sqs:ListQueues is denied'] }],
  },
  {
    id: 'recipient-gone',
    severity: 'loses',
    what: 'a queue that was deleted',
    withFault: deadAt(queueArn('dead')),
    about: 'orders:1',
    others: [queueArn('orders')],
    says: /delivers to arn:aws:sqs:.*:orders, which does not exist/,
    withoutFault: [
      { ...deadAt(queueArn('dead')), queues: [queue('orders')] },
      deadAt(queueArn('dead'), { protocol: 'https', endpoint: 'https://partner.example.com' }),
    ],
    unknownBecause: [deadAt(queueArn('dead'), { endpoint: UNKNOWN })],
  },
  {
    id: 'recipient-gone',
    severity: 'loses',
    what: 'a function that was deleted',
    withFault: {
      ...deadAt(queueArn('dead'), { protocol: 'lambda', endpoint: functionArn('bill') }),
      queues: [queue('dead')],
    },
    about: 'orders:1',
    others: [functionArn('bill')],
    says: /delivers to arn:aws:lambda:.*:function:bill, which does not exist/,
    withoutFault: [
      {
        ...deadAt(queueArn('dead'), { protocol: 'lambda', endpoint: functionArn('bill') }),
        functions: [lambda('bill')],
      },
    ],
  },
  {
    id: 'queue-policy-not-writable',
    severity: 'unwatched',
    what: 'a dead-letter queue of another app, in a template',
    withFault: { ...deadAt(queueArn('dead')), isComplete: false },
    about: 'orders:1',
    others: [queueArn('dead')],
    location: 'Properties/RedrivePolicy',
    says: /which these templates do not create.*sns\.amazonaws\.com/,
    withoutFault: [{ ...deadAt(queueArn('dead')), isComplete: false, queues: [deadLettersOf('orders', 'dead')] }],
    unknownBecause: [
      { ...deadAt(queueArn('dead'), { deadLetterTargetArn: UNKNOWN }), isComplete: false },
      // The queue has this name in every account and Region.
      {
        ...deadAt(queueArn('dead')),
        isComplete: false,
        queues: [{ ...deadLettersOf('orders', 'dead'), arn: 'arn:aws:sqs:<region>:<account>:dead' }],
      },
    ],
  },
  {
    id: 'queue-policy-not-writable',
    severity: 'unwatched',
    what: 'a rule’s dead-letter queue of another app, in a template',
    withFault: inventoryOf({
      isComplete: false,
      targets: [ruleTarget('placed', queueArn('work'), { deadLetterTargetArn: queueArn('dead') })],
    }),
    about: 'placed',
    others: [queueArn('dead')],
    location: 'Properties/DeadLetterConfig',
    says: /which these templates do not create.*events\.amazonaws\.com/,
    withoutFault: [
      // Lambda sends with the function’s role, and SQS moves its own messages.
      inventoryOf({ isComplete: false, functions: [lambda('bill', { deadLetterTargetArn: queueArn('dead') })] }),
      inventoryOf({ isComplete: false, queues: [queue('work', redrive())] }),
    ],
  },
  {
    id: 'queue-policy-not-writable',
    severity: 'unwatched',
    what: 'a dead-letter queue beside one of its name in another Region, and one whose name AWS generates',
    withFault: {
      ...deadAt(queueArn('dead')),
      isComplete: false,
      queues: [queue('dead', { arn: ABROAD }), queue('<Test.Dead>')],
    },
    about: 'orders:1',
    others: [queueArn('dead')],
    location: 'Properties/RedrivePolicy',
    says: /which these templates do not create/,
    withoutFault: [deadAt(queueArn('dead'))],
  },
];
