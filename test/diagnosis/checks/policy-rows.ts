import type { SubscriptionFacts, TopicFacts } from '../../../diagnosis/inventory/inventory';
import { inventoryOf, queueArn, roleArn, subscription, topic, UNKNOWN } from '../inventories';
import { placed, type Row } from './row';

const DEAD = { deadLetterTargetArn: queueArn('dead') };
const HTTPS = { protocol: 'https', endpoint: 'https://partner.example.com/orders' };
const delivery = (deliveryPolicy: unknown, facts: Partial<SubscriptionFacts> = HTTPS) =>
  inventoryOf({ subscriptions: [subscription('orders', '1', { ...facts, deliveryPolicy, ...placed('Sub') })] });
const retries = (members: object) => ({ healthyRetryPolicy: members });
const GOOD = retries({ numRetries: 7 });

const topicWith = (facts: Partial<TopicFacts>, sub: Partial<SubscriptionFacts> = DEAD) =>
  inventoryOf({ topics: [topic('orders', facts)], subscriptions: [subscription('orders', '1', sub)] });
const FAILURES = { protocol: 'SQS', failureRoleArn: roleArn('logs') };

export const POLICY_ROWS: readonly Row[] = [
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'phases that sum up to more than numRetries',
    withFault: delivery(retries({ numRetries: 3, numNoDelayRetries: 2, numMinDelayRetries: 2 })),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /numRetries must be greater than or equal to total/,
    withoutFault: [
      delivery(GOOD),
      delivery(undefined),
      // SNS ignores the policy of a subscription that is not HTTP/S.
      delivery({}, {}),
      delivery(retries({ numRetries: 7, minDelayTarget: 1, maxDelayTarget: 60, backoffFunction: 'EXPONENTIAL' })),
      inventoryOf({ subscriptions: [subscription('orders', '1', { ...HTTPS, deliveryPolicy: {} })] }),
    ],
    unknownBecause: [
      delivery(UNKNOWN),
      delivery({ healthyRetryPolicy: UNKNOWN }),
      delivery(retries({ numRetries: UNKNOWN, numNoDelayRetries: 100 })),
    ],
  },
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'a backoff function SNS has none of, in whatever case',
    withFault: delivery(retries({ numRetries: 7, backoffFunction: 'QUADRATIC' })),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /backoffFunction must be one of/,
    withoutFault: [delivery(retries({ numRetries: 7, backoffFunction: 'geometric' }))],
    unknownBecause: [delivery(retries({ numRetries: 7, backoffFunction: UNKNOWN }))],
  },
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'an empty one',
    withFault: delivery({}),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /must have at least one of/,
    withoutFault: [delivery({ throttlePolicy: { maxReceivesPerSecond: 5 } })],
    unknownBecause: [
      delivery({ requestPolicy: { headerContentType: UNKNOWN } }),
      delivery({ throttlePolicy: UNKNOWN }),
      delivery({ requestPolicy: UNKNOWN }),
    ],
  },
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'a group of one over HTTP, next to a group that is unknown',
    withFault: delivery(
      { healthyRetryPolicy: UNKNOWN, throttlePolicy: { maxReceivesPerSecond: 0 } },
      { protocol: 'http', endpoint: 'http://partner.example.com' },
    ),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /: throttlePolicy\.maxReceivesPerSecond must be .*, got 0\.$/,
    withoutFault: [
      delivery(
        { healthyRetryPolicy: UNKNOWN, throttlePolicy: { maxReceivesPerSecond: 1 } },
        { protocol: 'http', endpoint: 'http://partner.example.com' },
      ),
    ],
  },
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'two members of one policy',
    withFault: delivery({ healthyRetryPolicy: { numRetries: 101 }, throttlePolicy: { maxReceivesPerSecond: 0 } }),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /numRetries .*, got 101; throttlePolicy\.maxReceivesPerSecond /,
    withoutFault: [delivery({ healthyRetryPolicy: { numRetries: 100 }, throttlePolicy: { maxReceivesPerSecond: 1 } })],
  },
  {
    id: 'delivery-policy-rejected',
    severity: 'rejected',
    what: 'a content type that raw delivery alone takes',
    withFault: delivery({ requestPolicy: { headerContentType: 'application/xml' } }),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /headerContentType/,
    withoutFault: [delivery({ requestPolicy: { headerContentType: 'application/xml' } }, { ...HTTPS, isRaw: true })],
    unknownBecause: [
      delivery({ requestPolicy: { headerContentType: 'application/xml' } }, { ...HTTPS, isRaw: UNKNOWN }),
    ],
  },
  {
    id: 'delivery-policy-without-effect',
    severity: 'note',
    what: 'one on a queue’s subscription',
    withFault: delivery(GOOD, {}),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /has no effect: it applies only to HTTP\/S/,
    withoutFault: [delivery(GOOD), delivery(undefined, {})],
    unknownBecause: [delivery(UNKNOWN, {}), delivery(GOOD, { protocol: 'unknown' })],
  },
  {
    id: 'delivery-policy-overridden',
    severity: 'note',
    what: 'one whose topic overrides it',
    withFault: topicWith(
      { deliveryPolicy: { http: { disableSubscriptionOverrides: true } } },
      { ...HTTPS, ...DEAD, deliveryPolicy: GOOD },
    ),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /orders has disableSubscriptionOverrides/,
    withoutFault: [
      topicWith({ deliveryPolicy: { http: { disableSubscriptionOverrides: true } } }, { ...HTTPS, ...DEAD }),
      topicWith({ deliveryPolicy: { http: {} } }, { ...HTTPS, ...DEAD, deliveryPolicy: GOOD }),
    ],
    unknownBecause: [topicWith({ deliveryPolicy: UNKNOWN }, { ...HTTPS, ...DEAD, deliveryPolicy: GOOD })],
  },
  {
    id: 'delivery-policy-overridden',
    severity: 'note',
    what: 'one whose topic overrides it, in text, as a template may say it',
    withFault: topicWith(
      { deliveryPolicy: { http: { disableSubscriptionOverrides: 'true' } } },
      { ...HTTPS, ...DEAD, deliveryPolicy: GOOD },
    ),
    about: 'orders:1',
    location: 'Properties/DeliveryPolicy',
    says: /orders has disableSubscriptionOverrides/,
    withoutFault: [
      topicWith(
        { deliveryPolicy: { http: { disableSubscriptionOverrides: 'false' } } },
        { ...HTTPS, ...DEAD, deliveryPolicy: GOOD },
      ),
      topicWith(
        { deliveryPolicy: { http: { disableSubscriptionOverrides: true } } },
        { ...DEAD, deliveryPolicy: GOOD },
      ),
    ],
  },
  {
    id: 'topic-delivery-policy-in-template',
    severity: 'rejected',
    what: 'a property CloudFormation has none of',
    withFault: inventoryOf({ topics: [topic('orders', { unknownProperties: ['DeliveryPolicy'] })] }),
    about: 'orders',
    location: 'Properties/DeliveryPolicy',
    says: /CloudFormation does not support/,
    withoutFault: [inventoryOf({ topics: [topic('orders', { deliveryPolicy: { http: {} }, unknownProperties: [] })] })],
  },
  {
    id: 'logging-without-role',
    severity: 'unwatched',
    what: 'logging without a role',
    withFault: topicWith({ logging: [{ protocol: 'SQS' }] }),
    about: 'orders',
    location: 'Properties/DeliveryStatusLogging',
    says: /without a role: SNS logs nothing/,
    withoutFault: [topicWith({ logging: [FAILURES] }), topicWith({ logging: [] })],
    unknownBecause: [topicWith({ logging: UNKNOWN })],
  },
  {
    id: 'logging-off',
    severity: 'note',
    what: 'no log where a dead-letter queue depends on it',
    withFault: topicWith({ logging: [] }),
    about: 'orders',
    location: 'Properties/DeliveryStatusLogging',
    says: /does not log failed SQS deliveries/,
    calls: ['CreateRole', 'PutRolePolicy', 'SetTopicAttributes'],
    withoutFault: [
      topicWith({ logging: [FAILURES] }),
      topicWith({}, {}),
      topicWith({}, { ...DEAD, protocol: 'email', endpoint: 'ops@example.com' }),
      topicWith({ logging: [{ protocol: 'SQS' }] }),
    ],
    unknownBecause: [topicWith({ logging: UNKNOWN }), topicWith({}, { deadLetterTargetArn: UNKNOWN })],
  },
];
