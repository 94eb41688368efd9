import type { SubscriptionFacts } from '../../../diagnosis/inventory/inventory';
import { functionArn, inventoryOf, queue, queueArn, subscription, topic, topicArn, UNKNOWN } from '../inventories';
import type { Row } from './row';

const FIFO_DEAD = queueArn('dead.fifo');

/** Two subscriptions of a FIFO topic. */
const fifo = (first: Partial<SubscriptionFacts>, second: Partial<SubscriptionFacts>) =>
  inventoryOf({
    topics: [topic('orders.fifo')],
    subscriptions: [
      subscription('orders.fifo', '1', { endpoint: queueArn('a.fifo'), deadLetterTargetArn: FIFO_DEAD, ...first }),
      subscription('orders.fifo', '2', { endpoint: queueArn('b.fifo'), deadLetterTargetArn: FIFO_DEAD, ...second }),
    ],
    queues: ['a.fifo', 'b.fifo', 'dead.fifo'].map(name => queue(name)),
  });

/** Two subscriptions of a standard topic. */
const standard = (first: Partial<SubscriptionFacts>, second: Partial<SubscriptionFacts>) => {
  const deadLetterTargetArn = queueArn('dead');
  return inventoryOf({
    topics: [topic('orders')],
    subscriptions: [
      subscription('orders', '1', { endpoint: queueArn('a'), isRaw: true, deadLetterTargetArn, ...first }),
      subscription('orders', '2', { endpoint: queueArn('b'), deadLetterTargetArn, ...second }),
    ],
    queues: ['a', 'b', 'dead'].map(name => queue(name)),
  });
};

export const SHARED_QUEUE_ROWS: readonly Row[] = [
  {
    id: 'fifo-dead-letter-queue-shared',
    severity: 'at-risk',
    what: 'one of two subscriptions of a FIFO topic',
    withFault: fifo({}, {}),
    about: 'orders.fifo:1',
    others: [FIFO_DEAD, `${topicArn('orders.fifo')}:2`],
    location: 'Properties/RedrivePolicy',
    says: /orders\.fifo:1 and orders\.fifo:2 of one FIFO topic share .*SQS drops the second dead letter as a duplicate/,
    withoutFault: [
      fifo({}, { deadLetterTargetArn: queueArn('other.fifo') }),
      fifo({}, { topicArn: topicArn('more.fifo') }),
    ],
    unknownBecause: [fifo({}, { deadLetterTargetArn: UNKNOWN }), fifo({}, { topicArn: UNKNOWN })],
  },
  {
    id: 'raw-dead-letters-shared',
    severity: 'note',
    what: 'a raw subscription’s, with those of another subscription',
    withFault: standard({}, {}),
    about: 'orders:1',
    others: [queueArn('dead')],
    location: 'Properties/RedrivePolicy',
    says: /raw subscription orders:1 shares its dead-letter queue with orders:2/,
    withoutFault: [
      standard({ isRaw: false }, {}),
      standard({}, { deadLetterTargetArn: queueArn('other') }),
      standard({ protocol: 'lambda', endpoint: functionArn('bill') }, {}),
      standard({}, { endpoint: queueArn('a'), topicArn: topicArn('more') }),
    ],
    unknownBecause: [standard({ isRaw: UNKNOWN }, {}), standard({}, { endpoint: UNKNOWN })],
  },
];
