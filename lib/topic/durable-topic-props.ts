import { Token } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DeliveryPolicy, TopicProps } from 'aws-cdk-lib/aws-sns';
import type { Problem } from '../../policy/problem';
import type { AlarmSet } from '../shared/alarm-set';
import { absentProblems, integerProblems, type Range } from '../shared/checks';
import type { DeliveryStatusLoggingOptions } from './delivery-status-logging';

/** When the failure-rate alarm of a topic fires. */
export interface DeliveryFailureRateAlarmOptions {
  /**
   * The percentage of failed delivery attempts above which the alarm fires: a whole number from 0 to 99.
   *
   * @default 10
   */
  readonly thresholdPercent?: number;

  /**
   * The minimum number of attempts in five minutes. With fewer, the period does not count as failing, so that one
   * failure among two messages at night wakes no operator.
   *
   * @default 20
   */
  readonly minimumAttempts?: number;
}

/** Properties of a `DurableTopic`. */
export interface DurableTopicProps extends TopicProps {
  /**
   * Which alarms are created for this topic and the dead-letter queues and relays it creates.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms of this topic and of the dead-letter queues it creates, for example an `OpsTopic`. At
   * most 5, in the Region of the alarm. One in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Additional actions for lost messages of this topic, of any kind: for example a pager, if `alarmActions` is an email
   * address. They create the composite alarm `losingMessagesAlarm`, which notifies once and costs 0.50 US dollars a
   * month.
   *
   * @default - none, and there is no such alarm
   */
  readonly lossActions?: IAlarmAction[];

  /**
   * Creates the alarm `deliveryFailureRateAlarm`. It fires when the percentage of failed attempts is too high in each
   * of three periods of five minutes. An endpoint that is down for less than five minutes does not trigger the alarm. One
   * that stays down triggers it within sixteen minutes. The alarm costs 0.20 US dollars a month, because it evaluates two metrics.
   *
   * It is useful for HTTP/S endpoints, which SNS may retry for an hour before the first dead letter arrives. A failed
   * delivery to an AWS service either becomes a dead letter at once, which the alarm of its queue reports, or is
   * retried for 23 days, which no metric counts.
   *
   * @default - there is no such alarm
   */
  readonly deliveryFailureRateAlarm?: DeliveryFailureRateAlarmOptions;

  /**
   * Whether all deliveries that pass no `deadLetterQueue` share one dead-letter queue, instead of one for each. A relay
   * keeps its own. It is a
   * `DeadLetterQueue` with the alarm actions and the key of the topic: a topic with ten deliveries has one queue with
   * two alarms then, not ten with twenty. Changing it for a live topic moves the subscriptions to the new queue; the
   * earlier queues are retained with their messages, and their alarms are deleted.
   *
   * The price:
   *
   * - A raw delivery is refused, because its dead letter has no envelope, and nothing else names the subscription that
   *   failed. Pass a `deadLetterQueue` to it.
   * - A `Redrive` of the queue is refused once it serves several subscribers. `dlo dlq redrive` returns to each
   *   subscriber only the messages for it.
   * - Its alarm says that one of the deliveries failed. `dlo dlq why` says which.
   *
   * Not for a FIFO topic, where all dead letters of one message have one deduplication id: SQS would drop the second.
   * A delivery in another account needs a `deadLetterQueue` of its own.
   *
   * @default false
   */
  readonly sharedDeadLetterQueue?: boolean;

  /**
   * Whether SNS logs the status of each delivery, for every protocol in use that it can log.
   *
   * @default true
   */
  readonly logDeliveryStatus?: boolean;

  /**
   * How many deliveries are logged, and how long the log is stored. Not together with `logDeliveryStatus: false`.
   *
   * @default - all deliveries, for three months
   */
  readonly deliveryStatusLogging?: DeliveryStatusLoggingOptions;

  /**
   * When and how often SNS retries a failed delivery to an HTTP/S endpoint that has no policy of its own. It creates a
   * `TopicDeliveryPolicy`, which a Lambda function sets.
   *
   * @default - SNS's default: three retries, 20 seconds apart
   */
  readonly deliveryPolicy?: DeliveryPolicy;

  /**
   * Whether `deliveryPolicy` also overrides the policies of deliveries, which then get the warning
   * `dead-letter-office:delivery-policy-overridden`.
   *
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}

/**
 * How long a FIFO topic may archive messages.
 * @see https://docs.aws.amazon.com/sns/latest/dg/message-archiving-and-replay-topic-owner.html
 */
const ARCHIVED: Range = { min: 1, max: 365, unit: 'days' };

const LONGEST_DISPLAY_NAME = 100;

const SUFFIX = '.fifo';
const NAME = /^[A-Za-z0-9_-]{1,256}$/;
const FIFO_NAME = /^[A-Za-z0-9_-]{1,251}\.fifo$/;

/** Attributes of FIFO topics only. @see https://docs.aws.amazon.com/sns/latest/dg/fifo-topics-attributes.html */
const FIFO_ONLY = ['contentBasedDeduplication', 'fifoThroughputScope', 'messageRetentionPeriodInDays'] as const;

function known(text: string | undefined): text is string {
  return text !== undefined && !Token.isUnresolved(text);
}

/** `Topic` appends the suffix to the name of a FIFO topic that lacks it. */
function nameProblems({ topicName, fifo }: TopicProps): Problem[] {
  if (!known(topicName)) return [];
  const name = fifo && !topicName.endsWith(SUFFIX) ? `${topicName}${SUFFIX}` : topicName;
  if ((fifo ? FIFO_NAME : NAME).test(name)) return [];
  const rule = fifo
    ? 'must be alphanumeric characters, hyphens and underscores, 256 characters at most, .fifo at its end included'
    : 'must be 1 to 256 alphanumeric characters, hyphens and underscores where the topic is not FIFO';
  return [{ property: 'topicName', rule, value: topicName }];
}

/** The delivery policy itself is checked by `TopicDeliveryPolicy`. */
function overrideProblems({ deliveryPolicy, disableSubscriptionOverrides: value }: DurableTopicProps): Problem[] {
  if (!value || deliveryPolicy) return [];
  return absentProblems('disableSubscriptionOverrides', value, 'where deliveryPolicy is absent');
}

function loggingProblems({ logDeliveryStatus = true, deliveryStatusLogging }: DurableTopicProps): Problem[] {
  const given = deliveryStatusLogging && Object.keys(deliveryStatusLogging);
  return logDeliveryStatus ? [] : absentProblems('deliveryStatusLogging', given, 'where logDeliveryStatus is false');
}

/** Thresholds with which the alarm would never or always fire. */
function failureRateProblems({ deliveryFailureRateAlarm: alarm = {} }: DurableTopicProps): Problem[] {
  const { thresholdPercent, minimumAttempts } = alarm;
  return [
    ...integerProblems('deliveryFailureRateAlarm.thresholdPercent', thresholdPercent, { min: 0, max: 99 }),
    ...integerProblems('deliveryFailureRateAlarm.minimumAttempts', minimumAttempts, { min: 1, max: 1_000_000_000 }),
  ];
}

/**
 * SNS sends a dead letter of a FIFO topic with the deduplication id of its message, and SQS drops a second message with
 * that id within five minutes: the dead letter of the second subscription that failed would be lost.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
export function sharedQueueOfFifoProblems(value: boolean | undefined, fifo: boolean | undefined): Problem[] {
  if (!value || !fifo) return [];
  const reason = 'where fifo is true, because SQS would drop the dead letter of a second subscription as a duplicate';
  return absentProblems('sharedDeadLetterQueue', value, reason);
}

/**
 * Returns everything SNS would reject about a topic's own properties.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
 */
export function topicPropsProblems(props: DurableTopicProps): Problem[] {
  const { displayName, signatureVersion, fifo, messageRetentionPeriodInDays } = props;
  const standing = FIFO_ONLY.filter(name => props[name] && !fifo);
  return [
    ...nameProblems(props),
    ...overrideProblems(props),
    ...loggingProblems(props),
    ...sharedQueueOfFifoProblems(props.sharedDeadLetterQueue, fifo),
    ...failureRateProblems(props),
    ...standing.flatMap(property => absentProblems(property, props[property], 'where fifo is not true')),
    ...integerProblems('messageRetentionPeriodInDays', messageRetentionPeriodInDays, ARCHIVED),
    ...(known(displayName) && displayName.length > LONGEST_DISPLAY_NAME
      ? [
          {
            property: 'displayName',
            rule: `must have at most ${LONGEST_DISPLAY_NAME} characters`,
            value: displayName.length,
          },
        ]
      : []),
    ...(known(signatureVersion) && !['1', '2'].includes(signatureVersion)
      ? [{ property: 'signatureVersion', rule: 'must be 1 or 2', value: signatureVersion }]
      : []),
  ];
}
