import { Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopicSubscription, Subscription, SubscriptionProtocol, type TopicBase } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { subscriptionPolicyDocument } from '../../policy/delivery-policy/policy-document';
import type { Problem } from '../../policy/problem';
import type { RelayFleet } from '../fleet/relay-fleet';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { topicFeeder } from '../queue/feeder-kinds';
import { feed } from '../queue/feeder-registry';
import { warnOfLossyConsumer } from '../queue/lossy-consumer-warnings';
import type { ProcessingQueue } from '../queue/processing-queue';
import { ownedQueue } from '../queue/queue-checks';
import { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import { RelayEndpoint } from '../relay/relay-endpoint';
import { RELAYED_ENDPOINT } from '../relay/relay-shapes';
import { allowSubscriber } from '../shared/access/resource-policies';
import { FUNCTION, QUEUE } from '../shared/cdk-shapes';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { checkArguments, having, STRING, TEXT } from '../shared/shapes';
import { type AnyDeliveryOptions, ownQueueProblems, problemsOfDelivery } from './delivery-checks';
import { type DeliveryPlace, isElsewhere, keyFor, placeOf, regionOf, resourceOf } from './delivery-place';
import {
  DELIVERY_OPTIONS,
  EMAIL_DELIVERY_OPTIONS,
  ENDPOINT_DELIVERY_OPTIONS,
  FLEET,
  RAW_DELIVERY_OPTIONS,
  RELAY,
} from './delivery-shapes';
import type { TopicStatusLogging } from './delivery-status-logging';
import {
  distanceWarnings,
  pairingWarnings,
  SubscriptionQuotas,
  warnOfNoDeadLetterQueue,
  warnOfOverriddenPolicy,
} from './delivery-warnings';
import type { Recipient } from './recipients';
import {
  deviceRecipient,
  endpointRecipient,
  functionRecipient,
  mailboxRecipient,
  phoneRecipient,
  plainRecipient,
  queueRecipient,
  streamRecipient,
} from './recipients';
import type { TopicAlarms } from './topic-alarms';
import {
  type EmailDeliveryOptions,
  type EndpointDeliveryOptions,
  TopicDelivery,
  type TopicDeliveryOptions,
} from './topic-delivery';

const STREAM = having<IDeliveryStream>('a Firehose stream', 'deliveryStreamArn');

const SUBSCRIPTION = having<ITopicSubscription>('a subscription', 'bind');

const WEB = [SubscriptionProtocol.HTTP, SubscriptionProtocol.HTTPS];

interface DeliveryBuilderProps {
  readonly alarms: TopicAlarms;
  /** @default - the owner of the topic configures delivery-status logging */
  readonly logging?: TopicStatusLogging;
  /** The key of the dead-letter queues created for deliveries, if they can use it. @default - a key of SQS */
  readonly key?: IKey | undefined;
  /** Whether the topic's delivery policy overrides those of subscriptions. @default false */
  readonly disableSubscriptionOverrides?: boolean;
  /** Whether deliveries share one dead-letter queue. @default false */
  readonly sharedDeadLetterQueue?: boolean;
}

/**
 * The deliveries of a topic, which may be imported. Each delivery is checked before anything is created, gets a
 * dead-letter queue, and depends on everything SNS needs for it.
 */
export class DeliveryBuilder extends Construct {
  private readonly endpoints = new Endpoints();
  private readonly quotas: SubscriptionQuotas;
  private readonly kept: TopicDelivery[] = [];
  private readonly admitted = new Map<string, IDependable>();
  private shared?: DeadLetterQueue;

  constructor(
    private readonly topic: TopicBase,
    private readonly props: DeliveryBuilderProps,
  ) {
    super(topic, 'Deliveries');
    this.quotas = new SubscriptionQuotas(topic);
  }

  public toQueue(id: string, queue: IQueue, options: AnyDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, queue, options }, { id: TEXT, queue: QUEUE, options: RAW_DELIVERY_OPTIONS });
    return this.add(id, queueRecipient(this.topic, queue), options);
  }

  public toFunction(id: string, handler: IFunction, options: TopicDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, handler, options }, { id: TEXT, handler: FUNCTION, options: DELIVERY_OPTIONS });
    return this.add(id, functionRecipient(this.topic, handler), options);
  }

  public toEndpoint(id: string, url: string, options: EndpointDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, url, options }, { id: TEXT, url: TEXT, options: ENDPOINT_DELIVERY_OPTIONS });
    const recipient = endpointRecipient(url, options);
    const { retryWith, alarmActions: _, ...others } = options;
    return this.add(id, recipient, retryWith ? { ...others, deadLetterQueue: retryWith.queue } : options);
  }

  public toFirehose(id: string, stream: IDeliveryStream, options: AnyDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, stream, options }, { id: TEXT, stream: STREAM, options: RAW_DELIVERY_OPTIONS });
    return this.add(id, streamRecipient(stream), options);
  }

  public toEmail(id: string, address: string, options: EmailDeliveryOptions): TopicDelivery {
    checkArguments(
      this.topic,
      { id, address, options },
      { id: TEXT, address: STRING, options: EMAIL_DELIVERY_OPTIONS },
    );
    return this.add(id, mailboxRecipient(address, options), options);
  }

  public toSms(id: string, phoneNumber: string, options: TopicDeliveryOptions): TopicDelivery {
    checkArguments(
      this.topic,
      { id, phoneNumber, options },
      { id: TEXT, phoneNumber: STRING, options: DELIVERY_OPTIONS },
    );
    return this.add(id, phoneRecipient(phoneNumber), options);
  }

  public toPush(id: string, endpointArn: string, options: TopicDeliveryOptions): TopicDelivery {
    checkArguments(
      this.topic,
      { id, endpointArn, options },
      { id: TEXT, endpointArn: STRING, options: DELIVERY_OPTIONS },
    );
    return this.add(id, deviceRecipient(endpointArn), options);
  }

  public toRelay(id: string, relay: HttpRelay, options: TopicDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, relay, options }, { id: TEXT, relay: RELAY, options: DELIVERY_OPTIONS });
    return this.toQueue(id, relay.queue, this.withRelayQueue(relay.queue, options));
  }

  public toFleet(id: string, fleet: RelayFleet, options: TopicDeliveryOptions): TopicDelivery {
    checkArguments(this.topic, { id, fleet, options }, { id: TEXT, fleet: FLEET, options: DELIVERY_OPTIONS });
    return this.toQueue(id, fleet.eventsQueue, this.withRelayQueue(fleet.eventsQueue, options));
  }

  /**
   * The dead-letter queue of a delivery to a relay or a fleet is its own, unless another one is stated: a redrive returns
   * to the relay's queue both what SNS could not deliver there and what the relay gave up on.
   */
  private withRelayQueue(queue: ProcessingQueue, options: TopicDeliveryOptions): TopicDeliveryOptions {
    const isStated = options.deadLetterQueue !== undefined || options.alarmActions !== undefined;
    if (isStated || isElsewhere(queue, this.topic)) return options;
    const { deadLetters: deadLetterQueue } = queue;
    const resource = ownedQueue(deadLetterQueue);
    if (resource && deadLetterQueue.fifo) resource.contentBasedDeduplication ??= true;
    return { ...options, deadLetterQueue };
  }

  /** Creates a relay for one delivery. By default it has the topic's key, alarm actions and type. */
  public throughRelay(id: string, url: string, options: RelayedEndpointOptions): HttpRelay {
    checkArguments(this.topic, { id, url, options }, { id: TEXT, url: TEXT, options: RELAYED_ENDPOINT });
    const { filterPolicy, filterPolicyWithMessageBody, ...stated } = options;
    const { topic, props } = this;
    const relay = new HttpRelay(this, `${id}Relay`, {
      fifo: topic.fifo,
      encryptionMasterKey: keyFor(this, topic, props.key),
      alarmActions: props.alarms.actions,
      ...stated,
      endpoint: RelayEndpoint.fromUrl(url),
    });
    this.toRelay(id, relay, { filterPolicy, filterPolicyWithMessageBody });
    return relay;
  }

  /**
   * Checks what aws-cdk-lib makes of a plain subscription, and secures it.
   * @throws as a delivery does
   */
  public adopt(plain: ITopicSubscription, subscribe: (judged: ITopicSubscription) => Subscription): Subscription {
    checkArguments(this.topic, { topicSubscription: plain }, { topicSubscription: SUBSCRIPTION });
    const config = plain.bind(this.topic);
    const recipient = plainRecipient(this.topic, config);
    const { subscriberScope: parent = this.topic, subscriberId } = config;
    // The URL may contain credentials, and aws-cdk-lib uses it as construct id.
    const place = { parent, id: recipient.named.property === 'url' ? recipient.protocol : subscriberId };
    this.judge(place, recipient, config);
    const subscription = subscribe({ bind: () => config });
    this.secure(pathOf(place.parent, place.id), subscription, false);
    this.warnOf(subscription, recipient, subscription);
    if (subscription.deadLetterQueue) this.keep(Names.nodeUniqueId(subscription.node), recipient, config, subscription);
    return subscription;
  }

  /** All deliveries, the oldest first. */
  public get all(): TopicDelivery[] {
    return [...this.kept];
  }

  /** @throws one error that names each property SNS would reject, the rule and the value */
  private add(id: string, recipient: Recipient, options: AnyDeliveryOptions): TopicDelivery {
    const { topic } = this;
    const { protocol, endpoint, consumer, deliveryPolicy } = recipient;
    const { filterPolicy, filterPolicyWithMessageBody, rawMessageDelivery } = options;
    const place = placeOf(topic, this, id, consumer);
    const { sharedDeadLetterQueue = false } = this.props;
    const own = ownQueueProblems(place.parent, topic, recipient, options, sharedDeadLetterQueue);
    this.judge(place, recipient, options, own);
    const scope = new Construct(place.parent, place.id);
    const deadLetterQueue = options.deadLetterQueue ?? this.deadLetterQueueFor(scope, recipient, options);
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
      region: regionOf(scope, topic, consumer),
    });
    subscription.node.addDependency(...(role ? [role] : []), ...(recipient.grantAccess?.(scope) ?? []));
    if (deliveryPolicy) resourceOf(subscription).deliveryPolicy = subscriptionPolicyDocument(deliveryPolicy);
    this.secure(id, subscription, options.deadLetterQueue === undefined && options.alarmActions === undefined);
    this.warnOf(scope, recipient, subscription);
    return this.keep(id, recipient, options, subscription);
  }

  private judge(place: DeliveryPlace, recipient: Recipient, options: AnyDeliveryOptions, more: Problem[] = []): void {
    throwProblems(pathOf(place.parent, place.id), [
      ...problemsOfDelivery(place.parent, this.topic, recipient, options),
      ...more,
      ...this.endpoints.problems(recipient),
    ]);
  }

  /** Warns about settings that are legal, but may prevent delivery. */
  private warnOf(scope: Construct, recipient: Recipient, subscription: Subscription): void {
    const { deadLetterQueue } = subscription;
    const warnings = [
      ...(recipient.warnings ?? []),
      ...distanceWarnings(scope, this.topic, recipient),
      ...(deadLetterQueue ? pairingWarnings(recipient, deadLetterQueue) : []),
    ];
    for (const warning of warnings) warn(scope, warning.id, warning.message);
    const isOverridden = this.props.disableSubscriptionOverrides && resourceOf(subscription).deliveryPolicy;
    if (isOverridden) warnOfOverriddenPolicy(subscription);
  }

  private keep(
    id: string,
    recipient: Recipient,
    options: AnyDeliveryOptions,
    subscription: Subscription,
  ): TopicDelivery {
    const { protocol, endpoint, queue, handler } = recipient;
    const { rawMessageDelivery = false } = options;
    const { deadLetterQueue } = subscription;
    if (!deadLetterQueue) throw new Error(`${subscription.node.path} has no dead-letter queue`);
    const delivery = new TopicDelivery({
      id,
      protocol,
      subscription,
      deadLetterQueue,
      rawMessageDelivery,
      ...(queue && { queue }),
      ...(handler && { handler }),
      ...(WEB.includes(protocol) && { url: endpoint }),
    });
    this.kept.push(delivery);
    return delivery;
  }

  /** The queue of the topic if its deliveries share one, otherwise a new one for the delivery. */
  private deadLetterQueueFor(
    scope: Construct,
    recipient: Recipient,
    { alarmActions }: AnyDeliveryOptions,
  ): DeadLetterQueue {
    if (!this.props.sharedDeadLetterQueue)
      return this.addDeadLetterQueue(scope, 'DeadLetterQueue', recipient, alarmActions);
    this.shared ??= this.addDeadLetterQueue(this, 'SharedDeadLetterQueue');
    return this.shared;
  }

  private addDeadLetterQueue(
    scope: Construct,
    id: string,
    { fifo }: Pick<Recipient, 'fifo'> = {},
    alarmActions: IAlarmAction[] = this.props.alarms.actions,
  ): DeadLetterQueue {
    return new DeadLetterQueue(scope, id, {
      encryptionMasterKey: keyFor(scope, this.topic, this.props.key),
      alarmActions,
      ...(fifo && { fifo, contentBasedDeduplication: true }),
    });
  }

  /**
   * Gives a subscription the access it needs, and makes it depend on that.
   * @param name what the alarm on its dead letters calls it
   * @param sharesActions whether its dead-letter queue is its own and has the alarm actions of the topic
   */
  private secure(name: string, subscription: Subscription, sharesActions: boolean): void {
    const { deadLetterQueue } = subscription;
    const { alarms, logging } = this.props;
    const resource = resourceOf(subscription);
    this.endpoints.add(resource, subscription.node.path);
    this.quotas.count(resource);
    if (deadLetterQueue) {
      const isReported = sharesActions && alarms.watchDeadLettersOf(name, subscription);
      const feeder = topicFeeder(this.topic, name, isReported);
      subscription.node.addDependency(...feed(subscription, deadLetterQueue, feeder));
      alarms.watchLosses();
    } else {
      warnOfNoDeadLetterQueue(subscription, resource.protocol);
      if (logging?.canLog(resource.protocol)) alarms.watchUnkept();
    }
    logging?.cover(subscription);
    warnOfLossyConsumer(subscription);
    this.allowOwnerOf(subscription, resource.protocol);
  }

  /** Another account creates its subscription itself, once the topic policy allows it. */
  private allowOwnerOf(subscription: Subscription, protocol: string): void {
    const { account } = Stack.of(subscription);
    if (Token.compareStrings(account, this.topic.env.account) !== TokenComparison.DIFFERENT) return;
    const key = `${account} ${protocol}`;
    const policy = this.admitted.get(key) ?? allowSubscriber(this.topic, account, protocol);
    this.admitted.set(key, policy);
    subscription.node.addDependency(policy);
  }
}

/** What identifies a subscription of a topic for SNS. */
interface Endpoint {
  readonly protocol: string;
  readonly endpoint?: string;
}

function keyOf({ protocol, endpoint = '' }: Endpoint): string {
  return `${protocol} ${endpoint}`;
}

/**
 * The subscriptions of a topic. SNS treats a second subscription of the same endpoint as the first one. With other
 * attributes it rejects it. With the same attributes two resources share it, and the first one that is deleted
 * unsubscribes the endpoint.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
class Endpoints {
  private readonly pathByEndpoint = new Map<string, string>();

  public add(endpoint: Endpoint, path: string): void {
    this.pathByEndpoint.set(keyOf(endpoint), path);
  }

  /**
   * A problem if `endpoint` is already subscribed. It names the other construct and not the URL, which may contain
   * credentials.
   */
  public problems(endpoint: Endpoint): Problem[] {
    const taken = this.pathByEndpoint.get(keyOf(endpoint));
    const rule = 'must not be subscribed to this topic already';
    return taken === undefined ? [] : [{ property: 'endpoint', rule, value: taken }];
  }
}
