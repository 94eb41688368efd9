import { Token } from 'aws-cdk-lib';
import type { TopicProps } from 'aws-cdk-lib/aws-sns';
import type { Problem } from '../../policy/problem';
import { absentProblems, integerProblems, type Range } from '../shared/checks';
import type { DurableTopicProps } from './durable-topic-props';

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
