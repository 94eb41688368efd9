import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DeliveryPolicy, TopicProps } from 'aws-cdk-lib/aws-sns';
import type { DeliveryStatusLoggingOptions } from './delivery-status-logging';

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
