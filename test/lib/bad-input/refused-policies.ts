import { Duration, type Stack } from 'aws-cdk-lib';
import { type CfnSubscriptionProps, type DeliveryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { TopicDeliveryPolicy } from '../../../lib';
import { arn, ONE_PLACE, OTHER_REGION_ENV, OURS, plainSubscription, type Refused, URL } from './refused';
import { endpoint } from './refused-deliveries';

/** What SNS rejects of a delivery policy: every rule has its own test in test/policy. */
const POLICIES: readonly [DeliveryPolicy, string, Partial<CfnSubscriptionProps>['deliveryPolicy']][] = [
  [
    { healthyRetryPolicy: { numRetries: 101 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
    { healthyRetryPolicy: { numRetries: 101, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 1.5 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be a whole number, got 1.5',
    { healthyRetryPolicy: { numRetries: 1.5, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { minDelayTarget: Duration.seconds(21) } },
    'deliveryPolicy.healthyRetryPolicy.minDelayTarget must be less than or equal to maxDelayTarget (20, the default), got 21',
    { healthyRetryPolicy: { numRetries: 3, minDelayTarget: 21, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 2, numMinDelayRetries: 3 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries (3 + 0 + 0 = 3), got 2',
    { healthyRetryPolicy: { numRetries: 2, numMinDelayRetries: 3, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numNoDelayRetries: 5 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries (0 + 5 + 0 = 5), got 3 (the default)',
    { healthyRetryPolicy: { numRetries: 3, numNoDelayRetries: 5, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 100, minDelayTarget: Duration.hours(1), maxDelayTarget: Duration.hours(1) } },
    'deliveryPolicy.healthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together, got 360000',
    { healthyRetryPolicy: { numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 3_600 } },
  ],
  [
    { throttlePolicy: { maxReceivesPerSecond: 0 } },
    'deliveryPolicy.throttlePolicy.maxReceivesPerSecond must be greater than or equal to 1, got 0',
    { throttlePolicy: { maxReceivesPerSecond: 0 } },
  ],
];

const policyOf = (deliveryPolicy: DeliveryPolicy) => (stack: Stack) =>
  new TopicDeliveryPolicy(stack, 'It', { topic: new Topic(stack, 'Topic'), deliveryPolicy });

const NO_TOPIC_POLICY = 'CloudFormation has no such thing';
const CSV = { requestPolicy: { headerContentType: 'text/csv' } };
const CONTENT_TYPE = 'deliveryPolicy.requestPolicy.headerContentType must be one of application/json, text/plain';

export const REFUSED_POLICIES: readonly Refused[] = [
  ...POLICIES.flatMap(([deliveryPolicy, line, plain]): Refused[] => [
    endpoint(URL, { deliveryPolicy }, line, plainSubscription({ deliveryPolicy: plain })),
    {
      what: `TopicDeliveryPolicy ${line}`,
      act: policyOf(deliveryPolicy),
      line,
      aws: NO_TOPIC_POLICY,
    },
  ]),
  endpoint(
    URL,
    { deliveryPolicy: {} },
    'deliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, got {}',
    plainSubscription({ deliveryPolicy: {} }),
  ),
  endpoint(
    URL,
    { deliveryPolicy: CSV },
    `${CONTENT_TYPE} while raw message delivery is off, got "text/csv"`,
    plainSubscription({ deliveryPolicy: CSV }),
  ),
  {
    what: 'TopicDeliveryPolicy of a content type for raw messages alone',
    act: policyOf(CSV),
    line: `${CONTENT_TYPE} at a topic, got "text/csv"`,
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy that says nothing',
    act: policyOf({}),
    line: 'deliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, disableSubscriptionOverrides, got {}',
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy with a switch that is neither true nor false',
    act: stack =>
      new TopicDeliveryPolicy(stack, 'It', {
        topic: new Topic(stack, 'Topic'),
        disableSubscriptionOverrides: 'yes' as unknown as boolean,
        deliveryPolicy: { throttlePolicy: { maxReceivesPerSecond: 1 } },
      }),
    line: 'disableSubscriptionOverrides must be true or false, got "yes"',
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy of a topic that has one',
    act: stack => {
      const it = new Topic(stack, 'Topic');
      const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 1 } };
      new TopicDeliveryPolicy(stack, 'One', { topic: it, deliveryPolicy });
      return new TopicDeliveryPolicy(stack, 'Other', { topic: it, deliveryPolicy });
    },
    line: 'topic must have no other TopicDeliveryPolicy, for one would undo the other, got "Stack/One"',
    aws: OURS,
  },
  {
    what: 'TopicDeliveryPolicy of a topic in another Region',
    act: stack => {
      const it = Topic.fromTopicArn(stack, 'Topic', arn('sns', 'orders', OTHER_REGION_ENV));
      const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 1 } };
      return new TopicDeliveryPolicy(stack, 'It', { topic: it, deliveryPolicy });
    },
    line: 'topic must be in the Region of the stack, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
];
