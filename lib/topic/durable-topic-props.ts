import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DeliveryPolicy, TopicProps } from 'aws-cdk-lib/aws-sns';
import type { DeliveryStatusLoggingOptions } from './delivery-status-logging';

/** When a topic counts as failing to deliver. */
export interface DeliveryFailureRateAlarmOptions {
  /**
   * How many of a hundred attempts to deliver may fail: a whole number from 0 to 99.
   *
   * @default 10
   */
  readonly thresholdPercent?: number;

  /**
   * How many attempts, failed or not, five minutes must have had to count at all, so that one failure among two messages
   * at night wakes nobody.
   *
   * @default 20
   */
  readonly minimumAttempts?: number;
}

/** Properties of a `DurableTopic`. */
export interface DurableTopicProps extends TopicProps {
  /**
   * Who is told when an alarm of this topic, or of a dead-letter queue it makes, fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Who is told beside `alarmActions`, once, when messages of this topic are lost, by whichever way: a pager, where the
   * others are a mailbox. It makes the composite alarm `losingMessagesAlarm`, which costs 0.50 US dollars a month.
   *
   * @default - nobody, and there is no such alarm
   */
  readonly lossActions?: IAlarmAction[];

  /**
   * Makes the alarm `deliveryFailureRateAlarm`. It fires when more than a part of the attempts to deliver failed in each
   * of three times five minutes: an endpoint that is away for less than five does not make it fire, one that is down does
   * within sixteen. It costs 0.20 US dollars a month, for it watches two metrics.
   *
   * It is for endpoints, whose deliveries SNS may try again for an hour before the first dead letter arrives. What is
   * delivered to AWS's own services either becomes a dead letter at once, of which its queue's alarm tells, or is tried
   * for 23 days, which no metric counts.
   *
   * @default - there is no such alarm
   */
  readonly deliveryFailureRateAlarm?: DeliveryFailureRateAlarmOptions;

  /**
   * Whether SNS logs what became of each delivery, for every protocol in use that it can log.
   *
   * @default true
   */
  readonly logDeliveryStatus?: boolean;

  /**
   * How much it logs, and for how long that is kept. Not together with a `logDeliveryStatus` that is false.
   *
   * @default - every delivery, for three months
   */
  readonly deliveryStatusLogging?: DeliveryStatusLoggingOptions;

  /**
   * When and how often a failed delivery to an HTTP/S endpoint is tried again, where the delivery has no policy of its
   * own. It becomes a `TopicDeliveryPolicy`, which a function of ours sets.
   *
   * @default - SNS's own: three retries, 20 seconds apart
   */
  readonly deliveryPolicy?: DeliveryPolicy;

  /**
   * Whether `deliveryPolicy` stands even where a delivery has a policy of its own, which then gets the warning
   * `dead-letter-office:delivery-policy-overridden`.
   *
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}
