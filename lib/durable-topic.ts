import { Token } from 'aws-cdk-lib';
import { type Alarm, type IAlarmAction, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type ITopicSubscription,
  type LoggingConfig,
  type LoggingProtocol,
  Subscription,
  SubscriptionProtocol,
  Topic,
  type TopicProps,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-letter-queue';
import { DeliveryStatusLogging, type DeliveryStatusLoggingOptions } from './delivery-status-logging';
import { subscriptionPolicyDocument } from './policy/delivery-policy-json';
import { admitTopic, admitTopicToFunction, feedFromTopic } from './private/admission';
import { alarmAbove, RunbookSection } from './private/alarms';
import { integerProblems, pathOf, throwProblems, warn } from './private/checks';
import { type Delivery, LOGGING_PROTOCOLS, placeOf, problemsOf, regionOf, resourceOf } from './private/delivery';
import { readEndpoint, standardTopicProblems, subscriberQueueProblems } from './private/delivery-checks';
import { deliveryProblems, deliverySettings } from './private/endpoint-policy';
import { Endpoints } from './private/endpoints';
import { renderLogging, SAMPLE_RATE } from './private/logging-config';
import { admitServicesOfOwner } from './private/service-access';
import { warnOfNoDeadLetterQueue } from './private/undelivered';
import {
  type EndpointDeliveryOptions,
  type FunctionDeliveryOptions,
  type QueueDeliveryOptions,
  TopicDelivery,
} from './topic-delivery';

/** Properties of a `DurableTopic`. */
export interface DurableTopicProps extends TopicProps {
  /**
   * Who is told when an alarm of this topic, or of a dead-letter queue it makes, fires. An `OpsTopic` is such an action.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Whether SNS logs what became of each delivery, for every protocol in use that it can log.
   *
   * @default true
   */
  readonly logDeliveryStatus?: boolean;

  /**
   * How much it logs, and for how long that is kept.
   *
   * @default - every delivery, for three months
   */
  readonly deliveryStatusLogging?: DeliveryStatusLoggingOptions;
}

/**
 * A topic that loses nothing: every delivery has a dead-letter queue that can be reached and is watched, every failure
 * is logged, and an alarm fires should a dead letter itself be lost.
 *
 * It takes messages over TLS only, from whoever may publish to it by a policy of their own, and from the services of its
 * account that a plain topic hears too, such as alarms; with a `masterKey`, those need a grant on the key as ever.
 *
 * It is a `Topic`: a `Topic` in your stack can become a `DurableTopic` and stay the live topic it is. Use `deliverTo…`
 * for what is new. For a subscription that is live keep `addSubscription`, and give it a dead-letter queue: moved to
 * `deliverTo…` it would have another logical id, and CloudFormation would lose it. docs/adopting.md in this project's repository says how.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export class DurableTopic extends Topic {
  private readonly alarmActions: IAlarmAction[];
  private readonly physicalTopicName?: string;
  private readonly statusLogging?: DeliveryStatusLogging;
  private readonly statusConfigs = new Map<LoggingProtocol, LoggingConfig>();
  private readonly endpoints = new Endpoints();
  private readonly deliveries: Construct;
  private lost?: Alarm;

  constructor(scope: Construct, id: string, props: DurableTopicProps = {}) {
    const { alarmActions = [], logDeliveryStatus = true, deliveryStatusLogging, loggingConfigs = [], ...topic } = props;
    const enforceSSL = topic.enforceSSL ?? true;
    super(scope, id, { ...topic, enforceSSL });
    if (enforceSSL) admitServicesOfOwner(this);
    this.deliveries = new Construct(this, 'Deliveries');
    this.alarmActions = alarmActions;
    this.physicalTopicName = Token.isUnresolved(props.topicName) ? undefined : props.topicName;
    for (const config of loggingConfigs) this.addLoggingConfig(config);
    renderLogging(this, this.statusConfigs);
    if (logDeliveryStatus) {
      this.statusLogging = new DeliveryStatusLogging(this, 'DeliveryStatus', { ...deliveryStatusLogging, topic: this });
    }
  }

  /** The role and log groups of delivery-status logging; undefined where `logDeliveryStatus` is false. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.statusLogging;
  }

  /** Fires when SNS could not even reach a dead-letter queue, and a message is lost; undefined before the first delivery. */
  public get lostMessagesAlarm(): Alarm | undefined {
    return this.lost;
  }

  /**
   * Delivers to an SQS queue.
   *
   * The queue's policy, and its key's, let this topic in.
   *
   * @param id names the delivery among this topic's; changing it replaces the live subscription
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
   */
  public deliverToQueue(id: string, queue: IQueue, options: QueueDeliveryOptions = {}): TopicDelivery {
    return this.deliver(id, {
      protocol: SubscriptionProtocol.SQS,
      endpoint: queue.queueArn,
      options,
      consumer: queue,
      fifo: this.fifo && queue.fifo,
      problems: subscriberQueueProblems(queue, this),
      admit: scope => admitTopic(scope, queue, this),
    });
  }

  /**
   * Delivers to a Lambda function, which SNS invokes asynchronously: give the function a `FunctionFailures` too, for
   * once Lambda has taken the message its errors are no longer SNS's.
   *
   * @param id names the delivery among this topic's; changing it replaces the live subscription
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-lambda-as-subscriber.html
   */
  public deliverToFunction(id: string, handler: IFunction, options: FunctionDeliveryOptions = {}): TopicDelivery {
    return this.deliver(id, {
      protocol: SubscriptionProtocol.LAMBDA,
      endpoint: handler.functionArn,
      options,
      consumer: handler,
      fifo: false,
      problems: standardTopicProblems('handler', this, handler.node.path),
      admit: scope => admitTopicToFunction(scope, handler, this),
    });
  }

  /**
   * Delivers to an HTTP or HTTPS endpoint, which must confirm the subscription before it gets anything.
   *
   * @param id names the delivery among this topic's; changing it replaces the live subscription
   * @param url an absolute URL, public, with a certificate of a known authority if it is HTTPS
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
   */
  public deliverToEndpoint(id: string, url: string, options: EndpointDeliveryOptions = {}): TopicDelivery {
    const { deliveryPolicy, protocol: stated, ...shared } = options;
    const { protocol, problems } = readEndpoint(url, stated);
    const settings = deliveryPolicy && deliverySettings(deliveryPolicy);
    const delivery = this.deliver(id, {
      protocol,
      endpoint: url,
      options: shared,
      fifo: false,
      problems: [
        ...standardTopicProblems('url', this, protocol),
        ...problems,
        ...(settings ? deliveryProblems(settings, options.rawMessageDelivery) : []),
      ],
      admit: () => [],
    });
    if (settings) resourceOf(delivery.subscription).deliveryPolicy = subscriptionPolicyDocument(settings);
    return delivery;
  }

  /**
   * As on a `Topic`, under the same logical id; a subscription with a dead-letter queue is secured as a delivery is.
   *
   * One without gets the warning `dead-letter-office:no-dead-letter-queue`, or, as an SMS subscription has none with
   * aws-cdk-lib, `dead-letter-office:sms-without-dead-letter-queue`.
   *
   * @throws if something is subscribed with the same protocol and endpoint already, which SNS rejects
   */
  public override addSubscription(topicSubscription: ITopicSubscription): Subscription {
    const subscription = super.addSubscription(topicSubscription);
    throwProblems(subscription.node.path, this.endpoints.problems(resourceOf(subscription)));
    this.secure(subscription);
    return subscription;
  }

  /**
   * As on a `Topic`; a configuration without a role logs nothing, and gets the warning `dead-letter-office:logging-without-role`.
   *
   * @throws if the success sample rate is not a whole number from 0 to 100
   */
  public override addLoggingConfig(config: LoggingConfig): void {
    const { protocol, failureFeedbackRole, successFeedbackRole } = config;
    const rate = config.successFeedbackSampleRate;
    throwProblems(this.node.path, integerProblems('successFeedbackSampleRate', rate, SAMPLE_RATE));
    this.statusConfigs.set(protocol, config);
    if (failureFeedbackRole || successFeedbackRole) return;
    const message = `Delivery status of ${protocol} is not logged: SNS has no role to log it with.`;
    warn(this, 'logging-without-role', message);
  }

  /** Messages moved to a dead-letter queue. Sum over 5 minutes by default. */
  public metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric {
    return this.metric('NumberOfNotificationsRedrivenToDlq', { statistic: Stats.SUM, ...options });
  }

  /** Messages that could not be moved to their dead-letter queue, and are lost. Sum over 5 minutes by default. */
  public metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric {
    return this.metric('NumberOfNotificationsFailedToRedriveToDlq', { statistic: Stats.SUM, ...options });
  }

  private deliver(id: string, delivery: Delivery): TopicDelivery {
    const { consumer, options } = delivery;
    const place = placeOf(this, this.deliveries, id, consumer);
    throwProblems(pathOf(place.parent, place.id), [
      ...problemsOf(this, place, delivery),
      ...this.endpoints.problems(delivery),
    ]);
    const scope = new Construct(place.parent, place.id);
    const deadLetterQueue = options.deadLetterQueue ?? this.addDeadLetterQueue(scope, delivery.fifo);
    const subscription = new Subscription(scope, 'Subscription', {
      ...options,
      topic: this,
      protocol: delivery.protocol,
      endpoint: delivery.endpoint,
      region: consumer && regionOf(this, consumer),
      deadLetterQueue,
    });
    subscription.node.addDependency(...delivery.admit(scope));
    this.secure(subscription);
    return new TopicDelivery(subscription, deadLetterQueue);
  }

  private addDeadLetterQueue(scope: Construct, fifo: boolean): DeadLetterQueue {
    return new DeadLetterQueue(scope, 'DeadLetterQueue', {
      encryptionMasterKey: this.masterKey,
      alarmActions: this.alarmActions,
      ...(fifo && { fifo, contentBasedDeduplication: true }),
    });
  }

  /** Gives a subscription all it needs before SNS may deliver, and makes it wait for that. */
  private secure(subscription: Subscription): void {
    const { deadLetterQueue } = subscription;
    const resource = resourceOf(subscription);
    this.endpoints.add(resource, subscription.node.path);
    if (deadLetterQueue) {
      subscription.node.addDependency(...feedFromTopic(subscription, deadLetterQueue, this));
      this.addLostMessagesAlarm();
    } else warnOfNoDeadLetterQueue(subscription, resource.protocol);
    this.logStatusOf(resource.protocol);
    if (this.statusLogging) subscription.node.addDependency(this.statusLogging);
  }

  private logStatusOf(protocol: string): void {
    const logged = LOGGING_PROTOCOLS[protocol];
    if (!this.statusLogging || !logged || this.statusConfigs.has(logged)) return;
    const { role, successSampleRate } = this.statusLogging;
    this.addLoggingConfig({
      protocol: logged,
      failureFeedbackRole: role,
      successFeedbackRole: role,
      successFeedbackSampleRate: successSampleRate,
    });
  }

  private addLostMessagesAlarm(): void {
    if (this.lost) return;
    if (this.alarmActions.length === 0) {
      warn(this, 'alarm-tells-nobody', 'A message is lost and nobody is told: pass alarmActions.');
    }
    this.lost = alarmAbove(this, 'LostMessagesAlarm', {
      metric: this.metricNotificationsFailedToRedriveToDlq(),
      threshold: 0,
      name: this.physicalTopicName && `${this.physicalTopicName}-Lost`,
      meaning: 'SNS could neither deliver a message nor put it into its dead-letter queue: it is lost.',
      runbook: RunbookSection.DEAD_LETTERS_LOST,
      actions: this.alarmActions,
    });
  }
}
