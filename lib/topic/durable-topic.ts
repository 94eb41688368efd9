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
import {
  type ITopicSubscription,
  type LoggingConfig,
  type Subscription,
  Topic,
  type TopicProps,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { RelayFleet } from '../fleet/relay-fleet';
import { deadLetterQueuesOf, topicSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import type { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import { checkTopicPolicy } from '../shared/access/policy-limits';
import { allowServicesOfOwner } from '../shared/access/resource-policies';
import { ALARM_SET, useAlarms } from '../shared/alarm-set';
import { ALARM_ACTIONS } from '../shared/cdk-shapes';
import { pathOf, throwProblems } from '../shared/checks';
import { BOOLEAN, checkNew, NUMBER, OBJECT, optional, struct } from '../shared/shapes';
import { DeliveryBuilder } from './delivery-builder';
import { DeliveryStatusLogging, LOGGING_OPTIONS, TopicStatusLogging } from './delivery-status-logging';
import {
  type DeliveryFailureRateAlarmOptions,
  type DurableTopicProps,
  topicPropsProblems,
} from './durable-topic-props';
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

const PROPS = struct<Omit<DurableTopicProps, keyof TopicProps>>({
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
  lossActions: optional(ALARM_ACTIONS),
  deliveryFailureRateAlarm: optional(
    struct<DeliveryFailureRateAlarmOptions>({
      thresholdPercent: optional(NUMBER),
      minimumAttempts: optional(NUMBER),
    }),
  ),
  sharedDeadLetterQueue: optional(BOOLEAN),
  logDeliveryStatus: optional(BOOLEAN),
  deliveryStatusLogging: optional(LOGGING_OPTIONS),
  deliveryPolicy: optional(OBJECT),
  disableSubscriptionOverrides: optional(BOOLEAN),
});

/**
 * A topic that loses no messages. Every delivery has a dead-letter queue that is reachable and monitored, every failure
 * is logged, and an alarm fires if a message could not be dead-lettered.
 *
 * It accepts messages over TLS only, from principals whose own policy allows it, and from services of its account, such
 * as alarms, like a plain topic. With a `masterKey`, those services need a grant on the key as usual.
 *
 * It is a `Topic`. A live `Topic` in your stack can become a `DurableTopic` without being replaced. Use `deliverTo…`
 * for new deliveries. For a live subscription keep `addSubscription` and give it a dead-letter queue: with `deliverTo…`
 * it would get another logical id, and CloudFormation would delete the subscription. See docs/adopting.md in this
 * project's repository.
 *
 * The logical ids of a delivery are made from its id: **do not change it**. If you rename a delivery with its own
 * dead-letter queue, the deployment fails. If its dead-letter queue was passed, the deployment succeeds, but the
 * endpoint is no longer subscribed: CloudFormation creates the existing subscription again, and then deletes it under
 * its old logical id. docs/adopting.md says how to rename a delivery.
 *
 * By default, SNS allows 100 subscriptions for a FIFO topic, and 200 with a filter policy for any topic. The first one
 * beyond gets the warning `dead-letter-office:fifo-subscriptions-quota` or `dead-letter-office:filter-policies-quota`.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export class DurableTopic extends Topic implements IDurableTopic, IWatched {
  private readonly topicAlarms: TopicAlarms;
  private readonly logging: TopicStatusLogging;
  private readonly topicDeliveries: DeliveryBuilder;

  /** @throws one error that names each property SNS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: DurableTopicProps = {}) {
    checkNew(scope, id, props, PROPS);
    throwProblems(pathOf(scope, id), topicPropsProblems(props));
    const { logDeliveryStatus = true, deliveryStatusLogging, loggingConfigs = [], ...more } = props;
    const { deliveryPolicy, disableSubscriptionOverrides = false, sharedDeadLetterQueue = false, ...topic } = more;
    const enforceSSL = topic.enforceSSL ?? true;
    super(scope, id, { ...topic, enforceSSL });
    useAlarms(this, props.alarms);
    if (enforceSSL) allowServicesOfOwner(this);
    checkTopicPolicy(this);
    const logging = new TopicStatusLogging(this);
    const alarms = new TopicAlarms(this, props, logging);
    this.logging = logging;
    this.topicAlarms = alarms;
    this.topicDeliveries = new DeliveryBuilder(this, {
      alarms,
      logging,
      key: this.masterKey,
      disableSubscriptionOverrides,
      sharedDeadLetterQueue,
    });
    for (const config of loggingConfigs) this.addLoggingConfig(config);
    const status = { ...deliveryStatusLogging, topic: this };
    if (logDeliveryStatus) this.logging.logWith(new DeliveryStatusLogging(this, 'DeliveryStatus', status));
    if (deliveryPolicy) {
      new TopicDeliveryPolicy(this, 'DeliveryPolicy', { topic: this, deliveryPolicy, disableSubscriptionOverrides });
    }
  }

  /** The role and log groups of delivery-status logging; undefined if `logDeliveryStatus` is false. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.logging.deliveryStatus;
  }

  /** Its alarms, without those of its dead-letter queues. There are none before the first delivery. */
  public get alarms(): IAlarm[] {
    return this.topicAlarms.all;
  }

  /**
   * Fires when SNS sent a message to the dead-letter queue of a delivery; undefined before the first delivery, and with
   * `AlarmSet.ALL`, where each dead-letter queue has an alarm of its own. Queues that you pass, and deliveries with
   * `alarmActions` of their own, always have their own.
   */
  public get deadLetteredAlarm(): Alarm | undefined {
    return this.topicAlarms.deadLettered;
  }

  /**
   * Fires when SNS could not deliver to a dead-letter queue, and a message is lost; undefined before the first
   * delivery.
   */
  public get lostMessagesAlarm(): Alarm | undefined {
    return this.topicAlarms.lostMessages;
  }

  /**
   * Fires when SNS discards a message for an added subscription without a dead-letter queue. It reads the delivery log,
   * which does not cover email and SMS; undefined while every logged subscription has a dead-letter queue.
   */
  public get unkeptMessagesAlarm(): Alarm | undefined {
    return this.topicAlarms.unkept;
  }

  /**
   * In ALARM while messages of this topic are lost: while `lostMessagesAlarm` or `unkeptMessagesAlarm` is. A message in
   * a dead-letter queue is not lost. Undefined without `lossActions`, and before the first delivery.
   */
  public get losingMessagesAlarm(): CompositeAlarm | undefined {
    return this.topicAlarms.losingMessages;
  }

  /**
   * Fires when the percentage of failed attempts is too high; undefined without the property
   * `deliveryFailureRateAlarm`.
   */
  public get deliveryFailureRateAlarm(): Alarm | undefined {
    return this.topicAlarms.failureRate;
  }

  /** The dead-letter queues of all its subscriptions in this app, in any stack. */
  public get deadLetterQueues(): IQueue[] {
    return deadLetterQueuesOf(this);
  }

  /**
   * Its deliveries, in the order in which they were created, and the added subscriptions that have a dead-letter queue.
   */
  public get deliveries(): TopicDelivery[] {
    return this.topicDeliveries.all;
  }

  /**
   * Delivers to an SQS queue. The queue policy and the key policy allow this topic.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
   */
  public deliverToQueue(id: string, queue: IQueue, options: QueueDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toQueue(id, queue, options);
  }

  /**
   * Delivers to a Lambda function, which SNS invokes asynchronously. Give the function a `FunctionFailures` too: once
   * Lambda has accepted the message, SNS does not see errors of the function.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-lambda-as-subscriber.html
   */
  public deliverToFunction(id: string, handler: IFunction, options: FunctionDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toFunction(id, handler, options);
  }

  /**
   * Delivers to an HTTP or HTTPS endpoint, which must confirm the subscription first. `localhost` or a private address
   * never can, and gets the warning `dead-letter-office:endpoint-unreachable`.
   *
   * @param url an absolute URL, public, with a certificate of a known authority if it is HTTPS
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
   */
  public deliverToEndpoint(id: string, url: string, options: EndpointDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toEndpoint(id, url, options);
  }

  /**
   * Delivers to an Amazon Data Firehose stream, with a role that may write only to that stream.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-firehose-as-subscriber.html
   */
  public deliverToFirehose(id: string, stream: IDeliveryStream, options: FirehoseDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toFirehose(id, stream, options);
  }

  /**
   * Delivers to an email address, whose owner must first confirm. SNS deletes a subscription that is not confirmed
   * within two days, and discards its messages until then. CloudFormation does not wait for the confirmation.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html
   */
  public deliverToEmail(id: string, address: string, options: EmailDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toEmail(id, address, options);
  }

  /**
   * Delivers to a phone, as text messages. No confirmation is needed. `SmsDeliveryOptions` says which messages become
   * dead letters. A number without a `+` and its country code gets the warning
   * `dead-letter-office:phone-number-without-country-code`.
   *
   * @param phoneNumber in E.164, such as `+15550100`
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sms_manage.html
   */
  public deliverToSms(id: string, phoneNumber: string, options: SmsDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toSms(id, phoneNumber, options);
  }

  /**
   * Delivers to an app on a mobile device, as push notifications. No confirmation is needed.
   *
   * @param endpointArn the platform endpoint of the device: `arn:…:sns:…:endpoint/GCM/Rental/…`
   * @throws one error that names each property SNS would reject, the rule and the value
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-mobile-application-as-subscriber.html
   */
  public deliverToPush(id: string, endpointArn: string, options: PushDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toPush(id, endpointArn, options);
  }

  /**
   * Delivers through an existing relay, to its queue: see `deliverToQueue`. Messages that SNS cannot deliver there go to
   * the relay's own dead-letter queue, if the relay is in the account and Region of the topic, and neither
   * `deadLetterQueue` nor `alarmActions` is set.
   */
  public deliverToRelay(id: string, relay: HttpRelay, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toRelay(id, relay, options);
  }

  /**
   * Delivers to a fleet, which finds the endpoints of each message by its message attributes `tenant` and `type`. Messages
   * without both become dead letters of the fleet. Those that SNS cannot deliver go there too, if the fleet is in the account
   * and Region of the topic, and neither `deadLetterQueue` nor `alarmActions` is set.
   */
  public deliverToFleet(id: string, fleet: RelayFleet, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.topicDeliveries.toFleet(id, fleet, options);
  }

  /** Delivers to an endpoint through a new `HttpRelay`, by default with this topic's key and alarm actions. */
  public relayToEndpoint(id: string, url: string, options: RelayedEndpointOptions = {}): HttpRelay {
    return this.topicDeliveries.throughRelay(id, url, options);
  }

  /**
   * As on a `Topic`, with the same logical id. The subscription is checked like a delivery, with the same errors and
   * warnings. If it has a dead-letter queue, it gets the same access as a delivery.
   *
   * Without one it gets the warning `dead-letter-office:no-dead-letter-queue`. An SMS subscription, which has none with
   * aws-cdk-lib, gets `dead-letter-office:sms-without-dead-letter-queue`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public override addSubscription(topicSubscription: ITopicSubscription): Subscription {
    return this.topicDeliveries.adopt(topicSubscription, judged => super.addSubscription(judged));
  }

  /**
   * As on a `Topic`. A configuration without a role logs nothing, and gets the warning
   * `dead-letter-office:logging-without-role`.
   *
   * @throws if the success sample rate is not a whole number from 0 to 100, or the protocol already has a configuration
   */
  public override addLoggingConfig(config: LoggingConfig): void {
    this.logging.configure(config);
  }

  /**
   * The percentage of failed delivery attempts: `100 * failed / (failed + delivered)`, over 5 minutes by default.
   *
   * For HTTP/S, SNS counts every attempt including retries. For other protocols it counts only the final result of a
   * delivery. So an endpoint that answers at the third attempt has a rate of two thirds, and a queue that does so a
   * rate of 0. There is no value for a period without attempts.
   *
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
   */
  public metricDeliveryFailureRate(options?: MathExpressionOptions): MathExpression {
    return failureRate(this, options);
  }

  /**
   * Counts messages that a body filter rejected because the body is not JSON. SNS drops them: they are neither
   * delivered nor sent to a dead-letter queue. Sum over 5 minutes by default.
   */
  public metricNumberOfNotificationsFilteredOutInvalidMessageBody(options?: MetricOptions): Metric {
    return filteredForNoJson(this, options);
  }

  public dashboardSection(): DashboardSection {
    return topicSection(this, this.deliveryStatus);
  }

  /** Counts messages moved to a dead-letter queue. Sum over 5 minutes by default. */
  public metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric {
    return redriven(this, options);
  }

  /** Counts messages that could not be moved to their dead-letter queue and are lost. Sum over 5 minutes by default. */
  public metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric {
    return failedToRedrive(this, options);
  }
}
