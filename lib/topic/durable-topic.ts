import type {
  Alarm,
  CompositeAlarm,
  IAlarm,
  MathExpression,
  MathExpressionOptions,
  Metric,
  MetricOptions,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopicSubscription, type LoggingConfig, type Subscription, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { deadLetterQueuesOf, topicSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import type { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import { allowServicesOfOwner } from '../shared/access/resource-policies';
import { pathOf, throwProblems } from '../shared/checks';
import { Deliveries } from './deliveries';
import { DeliveryStatusLogging, StatusLogging } from './delivery-status-logging';
import { type DurableTopicProps, topicPropsProblems } from './durable-topic-props';
import type { IDurableTopic } from './i-durable-topic';
import { failedToRedrive, failureRate, filteredForNoJson, redriven, TopicAlarms } from './topic-alarms';
import type {
  EmailDeliveryOptions,
  EndpointDeliveryOptions,
  FirehoseDeliveryOptions,
  FunctionDeliveryOptions,
  PushDeliveryOptions,
  QueueDeliveryOptions,
  SmsDeliveryOptions,
  TopicDelivery,
  TopicDeliveryOptions,
} from './topic-delivery';
import { TopicDeliveryPolicy } from './topic-delivery-policy';

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
 * So it is with the id of a delivery, of which its logical ids are made: **leave it as it is**. Renamed, a delivery with a
 * dead-letter queue of its own fails to deploy, and one whose dead-letter queue was passed deploys, and is then no longer
 * subscribed: CloudFormation makes the subscription that is there once more, and deletes it under its old logical id.
 * docs/adopting.md says how to rename one.
 *
 * SNS lets a FIFO topic have 100 subscriptions and any topic 200 with a filter policy, unless AWS has raised the quota:
 * the first beyond gets the topic the warning `dead-letter-office:fifo-subscriptions-quota` or
 * `dead-letter-office:filter-policies-quota`.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export class DurableTopic extends Topic implements IDurableTopic, IWatched {
  private readonly watching: TopicAlarms;
  private readonly logging: StatusLogging;
  private readonly delivering: Deliveries;

  /** @throws one error that names each property SNS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: DurableTopicProps = {}) {
    throwProblems(pathOf(scope, id), topicPropsProblems(props));
    const { logDeliveryStatus = true, deliveryStatusLogging, loggingConfigs = [], ...more } = props;
    const { deliveryPolicy, disableSubscriptionOverrides = false, ...topic } = more;
    const enforceSSL = topic.enforceSSL ?? true;
    super(scope, id, { ...topic, enforceSSL });
    if (enforceSSL) allowServicesOfOwner(this);
    const logging = new StatusLogging(this);
    const alarms = new TopicAlarms(this, props, logging);
    this.logging = logging;
    this.watching = alarms;
    this.delivering = new Deliveries(this, { alarms, logging, key: this.masterKey, disableSubscriptionOverrides });
    for (const config of loggingConfigs) this.addLoggingConfig(config);
    const status = { ...deliveryStatusLogging, topic: this };
    if (logDeliveryStatus) this.logging.logWith(new DeliveryStatusLogging(this, 'DeliveryStatus', status));
    if (deliveryPolicy) {
      new TopicDeliveryPolicy(this, 'DeliveryPolicy', { topic: this, deliveryPolicy, disableSubscriptionOverrides });
    }
  }

  /** The role and log groups of delivery-status logging; undefined where `logDeliveryStatus` is false. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.logging.deliveryStatus;
  }

  /** Its alarms; not those of its dead-letter queues, which have them themselves. There are none before the first delivery. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** Fires when SNS could not even reach a dead-letter queue, and a message is lost; undefined before the first delivery. */
  public get lostMessagesAlarm(): Alarm | undefined {
    return this.watching.lostMessages;
  }

  /**
   * Fires when SNS gave up on a message for an added subscription without a dead-letter queue. It looks at the log, and so
   * knows nothing of e-mail and SMS; undefined while every subscription that is logged has a dead-letter queue.
   */
  public get unkeptMessagesAlarm(): Alarm | undefined {
    return this.watching.unkept;
  }

  /**
   * In ALARM while messages of this topic are lost, by whichever way: `lostMessagesAlarm` or `unkeptMessagesAlarm` fires.
   * A message that waits in a dead-letter queue is not lost. Undefined without `lossActions`, and before the first delivery.
   */
  public get losingMessagesAlarm(): CompositeAlarm | undefined {
    return this.watching.losingMessages;
  }

  /** Fires when too many attempts to deliver fail; undefined without `deliveryFailureRateAlarm` among the properties. */
  public get deliveryFailureRateAlarm(): Alarm | undefined {
    return this.watching.failureRate;
  }

  /** The dead-letter queues of all that is subscribed to it in this app by now, in whatever stack. */
  public get deadLetterQueues(): IQueue[] {
    return deadLetterQueuesOf(this);
  }

  /** Its deliveries, in the order in which they were made, and the added subscriptions that have a dead-letter queue. */
  public get deliveries(): TopicDelivery[] {
    return this.delivering.all;
  }

  /**
   * Delivers to an SQS queue, whose policy, and its key's, let this topic in.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
   */
  public deliverToQueue(id: string, queue: IQueue, options: QueueDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toQueue(id, queue, options);
  }

  /**
   * Delivers to a Lambda function, which SNS invokes asynchronously: give the function a `FunctionFailures` too, for
   * once Lambda has taken the message its errors are no longer SNS's.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-lambda-as-subscriber.html
   */
  public deliverToFunction(id: string, handler: IFunction, options: FunctionDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFunction(id, handler, options);
  }

  /**
   * Delivers to an HTTP or HTTPS endpoint, which must confirm the subscription before it gets anything. `localhost` or a
   * private address never does, and gets the warning `dead-letter-office:endpoint-unreachable`.
   *
   * @param url an absolute URL, public, with a certificate of a known authority if it is HTTPS
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
   */
  public deliverToEndpoint(id: string, url: string, options: EndpointDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEndpoint(id, url, options);
  }

  /**
   * Delivers to an Amazon Data Firehose stream, through a role of its own that may write to that stream alone.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-firehose-as-subscriber.html
   */
  public deliverToFirehose(id: string, stream: IDeliveryStream, options: FirehoseDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFirehose(id, stream, options);
  }

  /**
   * Delivers to a mailbox, whose owner must first confirm: within two days SNS deletes the subscription otherwise, and
   * what is published until then is neither delivered nor kept. CloudFormation does not wait, and does not notice.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html
   */
  public deliverToEmail(id: string, address: string, options: EmailDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEmail(id, address, options);
  }

  /**
   * Delivers to a phone, as text messages. Nobody confirms; `SmsDeliveryOptions` says what becomes a dead letter. A number
   * without a `+` and its country code gets the warning `dead-letter-office:phone-number-without-country-code`.
   *
   * @param phoneNumber in E.164, such as `+15550100`
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sms_manage.html
   */
  public deliverToSms(id: string, phoneNumber: string, options: SmsDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toSms(id, phoneNumber, options);
  }

  /**
   * Delivers to an app on a mobile device, as push notifications. Nobody confirms.
   *
   * @param endpointArn the platform endpoint of the device: `arn:…:sns:…:endpoint/GCM/Rental/…`
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-mobile-application-as-subscriber.html
   */
  public deliverToPush(id: string, endpointArn: string, options: PushDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toPush(id, endpointArn, options);
  }

  /** Delivers through a relay that is there, by its queue, under `id`: see `deliverToQueue`. */
  public deliverToRelay(id: string, relay: HttpRelay, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toQueue(id, relay.queue, options);
  }

  /** Delivers to an endpoint through an `HttpRelay` made for it, with this topic's key and alarm actions by default. */
  public relayToEndpoint(id: string, url: string, options: RelayedEndpointOptions = {}): HttpRelay {
    return this.delivering.throughRelay(id, url, options);
  }

  /**
   * As on a `Topic`, under the same logical id; a subscription is judged as a delivery is, with the same errors and
   * warnings, and one with a dead-letter queue is secured as a delivery is.
   *
   * One without gets the warning `dead-letter-office:no-dead-letter-queue`, or, as an SMS subscription has none with
   * aws-cdk-lib, `dead-letter-office:sms-without-dead-letter-queue`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public override addSubscription(topicSubscription: ITopicSubscription): Subscription {
    return this.delivering.adopt(topicSubscription, judged => super.addSubscription(judged));
  }

  /**
   * As on a `Topic`; a configuration without a role logs nothing, and gets the warning `dead-letter-office:logging-without-role`.
   *
   * @throws if the success sample rate is not a whole number from 0 to 100, or the protocol has a configuration already
   */
  public override addLoggingConfig(config: LoggingConfig): void {
    this.logging.configure(config);
  }

  /**
   * How many of a hundred attempts to deliver failed: `100 * failed / (failed + delivered)`, over 5 minutes by default.
   *
   * What failed is an attempt for HTTP/S, of which SNS counts every one, retries included, and for all others a delivery,
   * of which it counts the end. So an endpoint that answers at the third attempt has a rate of two thirds, and a queue
   * that does a rate of 0. There is no value for a time without attempts.
   *
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
   */
  public metricDeliveryFailureRate(options?: MathExpressionOptions): MathExpression {
    return failureRate(this, options);
  }

  /**
   * Messages no subscription got because a filter of their body found that to be no JSON. They are neither delivered nor
   * kept. Sum over 5 minutes by default.
   */
  public metricNumberOfNotificationsFilteredOutInvalidMessageBody(options?: MetricOptions): Metric {
    return filteredForNoJson(this, options);
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return topicSection(this, this.deliveryStatus);
  }

  /** Messages moved to a dead-letter queue. Sum over 5 minutes by default. */
  public metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric {
    return redriven(this, options);
  }

  /** Messages that could not be moved to their dead-letter queue, and are lost. Sum over 5 minutes by default. */
  public metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric {
    return failedToRedrive(this, options);
  }
}
