import { Token } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DeliveryPolicy, TopicProps } from 'aws-cdk-lib/aws-sns';
import type { Problem } from '../../policy/problem';
import { absentProblems, integerProblems, type Range } from '../shared/checks';
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

/** How long a FIFO topic may archive. @see https://docs.aws.amazon.com/sns/latest/dg/message-archiving-and-replay-topic-owner.html */
const ARCHIVED: Range = { min: 1, max: 365, unit: 'days' };

const LONGEST_DISPLAY_NAME = 100;

const SUFFIX = '.fifo';
const NAME = /^[A-Za-z0-9_-]{1,256}$/;
const FIFO_NAME = /^[A-Za-z0-9_-]{1,251}\.fifo$/;

/** What only a FIFO topic has. @see https://docs.aws.amazon.com/sns/latest/dg/fifo-topics-attributes.html */
const FIFO_ONLY = ['contentBasedDeduplication', 'fifoThroughputScope', 'messageRetentionPeriodInDays'] as const;

function known(text: string | undefined): text is string {
  return text !== undefined && !Token.isUnresolved(text);
}

/** A `Topic` puts the suffix behind the name of a FIFO topic that lacks it. */
function nameProblems({ topicName, fifo }: TopicProps): Problem[] {
  if (!known(topicName)) return [];
  const name = fifo && !topicName.endsWith(SUFFIX) ? `${topicName}${SUFFIX}` : topicName;
  if ((fifo ? FIFO_NAME : NAME).test(name)) return [];
  const rule = fifo
    ? 'must be letters, digits, hyphens and underscores, 256 characters at most, .fifo at its end included'
    : 'must be 1 to 256 letters, digits, hyphens and underscores where the topic is not FIFO';
  return [{ property: 'topicName', rule, value: topicName }];
}

/** A delivery policy itself is judged by its `TopicDeliveryPolicy`. */
function overrideProblems({ deliveryPolicy, disableSubscriptionOverrides: value }: DurableTopicProps): Problem[] {
  if (!value || deliveryPolicy) return [];
  return absentProblems('disableSubscriptionOverrides', value, 'where deliveryPolicy is absent');
}

function loggingProblems({ logDeliveryStatus = true, deliveryStatusLogging }: DurableTopicProps): Problem[] {
  const given = deliveryStatusLogging && Object.keys(deliveryStatusLogging);
  return logDeliveryStatus ? [] : absentProblems('deliveryStatusLogging', given, 'where logDeliveryStatus is false');
}

/** What could never fire, or always would. */
function failureRateProblems({ deliveryFailureRateAlarm: alarm = {} }: DurableTopicProps): Problem[] {
  const { thresholdPercent, minimumAttempts } = alarm;
  return [
    ...integerProblems('deliveryFailureRateAlarm.thresholdPercent', thresholdPercent, { min: 0, max: 99 }),
    ...integerProblems('deliveryFailureRateAlarm.minimumAttempts', minimumAttempts, { min: 1, max: 1_000_000_000 }),
  ];
}

/** Everything SNS would reject of a topic's own properties. @see https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html */
export function topicPropsProblems(props: DurableTopicProps): Problem[] {
  const { displayName, signatureVersion, fifo, messageRetentionPeriodInDays } = props;
  const standing = FIFO_ONLY.filter(name => props[name] && !fifo);
  return [
    ...nameProblems(props),
    ...overrideProblems(props),
    ...loggingProblems(props),
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
