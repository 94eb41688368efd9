import { Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { type ITopicSubscription, Subscription, type Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { DeadLetterQueue } from '../../dead-letter-queue';
import { subscriptionPolicyDocument } from '../../policy/delivery-policy/delivery-policy-json';
import type { Problem } from '../../policy/problem';
import { TopicDelivery } from '../../topic-delivery';
import { admitSubscriber } from '../access/topic';
import { pathOf, throwProblems, warn } from '../checks';
import { feed } from '../feeders/feed';
import { topicFeeder } from '../feeders/makers';
import { warnOfCarelessConsumer } from '../queues/careless-consumers';
import type { StatusLogging } from '../status-logging/status-logging';
import type { TopicAlarms } from '../topics/topic-alarms';
import { type DeliveryOptions, placeProblems, problemsOfDelivery } from './delivery-checks';
import { distanceWarnings } from './delivery-distance';
import { type DeliveryPlace, keyFor, placeOf, regionOf, resourceOf } from './delivery-place';
import { pairingWarnings, warnOfNoDeadLetterQueue } from './delivery-warnings';
import { Endpoints } from './endpoints';
import type { Recipient } from './recipient';
import { plainRecipient } from './recipients';
import { SubscriptionQuotas } from './subscription-quotas';

/**
 * How a topic delivers, to whomever: it is judged before anything is made, it gets a dead-letter queue, and it waits for
 * all that SNS needs.
 */
export class Deliveries extends Construct {
  private readonly endpoints = new Endpoints();
  private readonly quotas: SubscriptionQuotas;
  private readonly kept: TopicDelivery[] = [];
  private readonly admitted = new Map<string, IDependable>();

  constructor(
    private readonly topic: Topic,
    private readonly alarms: TopicAlarms,
    private readonly logging: StatusLogging,
  ) {
    super(topic, 'Deliveries');
    this.quotas = new SubscriptionQuotas(topic);
  }

  /** @throws one error that names each property SNS would reject, the rule and the value */
  public add(id: string, recipient: Recipient, options: DeliveryOptions): TopicDelivery {
    const { topic } = this;
    const { protocol, endpoint, consumer, deliveryPolicy } = recipient;
    const { filterPolicy, filterPolicyWithMessageBody, rawMessageDelivery } = options;
    const place = placeOf(topic, this, id, consumer);
    this.judge(place, recipient, options, placeProblems(topic, recipient, options));
    const scope = new Construct(place.parent, place.id);
    const deadLetterQueue = options.deadLetterQueue ?? this.addDeadLetterQueue(scope, recipient);
    const role = recipient.role?.(scope);
    const subscription = new Subscription(scope, 'Subscription', {
      topic,
      protocol,
      endpoint,
      filterPolicy,
      filterPolicyWithMessageBody,
      rawMessageDelivery,
      deadLetterQueue,
      subscriptionRoleArn: role?.roleArn,
      region: consumer && regionOf(topic, consumer),
    });
    subscription.node.addDependency(...(role ? [role] : []), ...(recipient.admit?.(scope) ?? []));
    if (deliveryPolicy) resourceOf(subscription).deliveryPolicy = subscriptionPolicyDocument(deliveryPolicy);
    this.secure(subscription);
    this.caution(scope, recipient, deadLetterQueue);
    return this.keep(new TopicDelivery({ id, protocol, subscription, deadLetterQueue }));
  }

  /**
   * Judges and secures what aws-cdk-lib makes of a plain subscription, once it is judged.
   * @throws as `add` does
   */
  public adopt(plain: ITopicSubscription, subscribe: (judged: ITopicSubscription) => Subscription): Subscription {
    const config = plain.bind(this.topic);
    const recipient = plainRecipient(this.topic, config);
    const { subscriberScope: parent = this.topic, subscriberId } = config;
    // A URL may hold credentials, and aws-cdk-lib makes an id of it.
    const place = { parent, id: recipient.named.property === 'url' ? recipient.protocol : subscriberId };
    this.judge(place, recipient, config);
    const subscription = subscribe({ bind: () => config });
    this.secure(subscription);
    const { deadLetterQueue } = subscription;
    this.caution(subscription, recipient, deadLetterQueue);
    if (!deadLetterQueue) return subscription;
    const { protocol } = config;
    const id = Names.nodeUniqueId(subscription.node);
    this.keep(new TopicDelivery({ id, protocol, subscription, deadLetterQueue }));
    return subscription;
  }

  /** Every delivery there is, oldest first. */
  public get all(): TopicDelivery[] {
    return [...this.kept];
  }

  private judge(place: DeliveryPlace, recipient: Recipient, options: DeliveryOptions, more: Problem[] = []): void {
    throwProblems(pathOf(place.parent, place.id), [
      ...problemsOfDelivery(place.parent, this.topic, recipient, options),
      ...more,
      ...this.endpoints.problems(recipient),
    ]);
  }

  /** Says what is legal of a delivery, and may reach nobody. */
  private caution(scope: Construct, recipient: Recipient, deadLetterQueue: IQueue | undefined): void {
    const warnings = [
      ...(recipient.warnings ?? []),
      ...distanceWarnings(scope, this.topic, recipient),
      ...(deadLetterQueue ? pairingWarnings(recipient, deadLetterQueue) : []),
    ];
    for (const warning of warnings) warn(scope, warning.id, warning.message);
  }

  private keep(delivery: TopicDelivery): TopicDelivery {
    this.kept.push(delivery);
    return delivery;
  }

  private addDeadLetterQueue(scope: Construct, { fifo }: Recipient): DeadLetterQueue {
    return new DeadLetterQueue(scope, 'DeadLetterQueue', {
      encryptionMasterKey: keyFor(scope, this.topic),
      alarmActions: this.alarms.actions,
      ...(fifo && { fifo, contentBasedDeduplication: true }),
    });
  }

  /** Gives a subscription all it needs before SNS may deliver, and makes it wait for that. */
  private secure(subscription: Subscription): void {
    const { deadLetterQueue } = subscription;
    const resource = resourceOf(subscription);
    this.endpoints.add(resource, subscription.node.path);
    this.quotas.count(resource);
    if (deadLetterQueue) {
      subscription.node.addDependency(...feed(subscription, deadLetterQueue, topicFeeder(this.topic)));
      this.alarms.watchDeadLetters();
    } else {
      warnOfNoDeadLetterQueue(subscription, resource.protocol);
      if (this.logging.canLog(resource.protocol)) this.alarms.watchUnkept();
    }
    this.logging.cover(subscription);
    warnOfCarelessConsumer(subscription);
    this.admitOwnerOf(subscription, resource.protocol);
  }

  /** A subscription of another account is that account's to make, once the topic's policy lets it. */
  private admitOwnerOf(subscription: Subscription, protocol: string): void {
    const { account } = Stack.of(subscription);
    if (Token.compareStrings(account, this.topic.env.account) !== TokenComparison.DIFFERENT) return;
    const key = `${account} ${protocol}`;
    const policy = this.admitted.get(key) ?? admitSubscriber(this.topic, account, protocol);
    this.admitted.set(key, policy);
    subscription.node.addDependency(policy);
  }
}
