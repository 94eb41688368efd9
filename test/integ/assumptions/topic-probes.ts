import {
  PublishCommand,
  RemovePermissionCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SubscribeCommand,
  TagResourceCommand,
} from '@aws-sdk/client-sns';
import { type Probe, type Probing, refusal } from './probe';

function setTopic(aws: Probing, AttributeName: string, value: unknown): Promise<string> {
  const AttributeValue = typeof value === 'string' ? value : JSON.stringify(value);
  const input = { TopicArn: aws.topicArn('Topic'), AttributeName, AttributeValue };
  return refusal(aws.aws.sns.send(new SetTopicAttributesCommand(input)));
}

const setRetries = (aws: Probing, defaultHealthyRetryPolicy: object): Promise<string> =>
  setTopic(aws, 'DeliveryPolicy', { http: { defaultHealthyRetryPolicy } });

/** A topic policy with statements that differ in their `Sid` only. */
function topicPolicy(aws: Probing, count: number, Action: string): object {
  const Resource = aws.topicArn('Topic');
  const Principal = { AWS: Resource.split(':')[4] };
  const Statement = Array.from({ length: count }, (_, i) => ({
    Sid: `S${i}`,
    Effect: 'Allow',
    Principal,
    Action,
    Resource,
  }));
  return { Version: '2012-10-17', Statement };
}

async function subscribed(aws: Probing, queue: string, Attributes: Record<string, string> = {}): Promise<string> {
  const asked = new SubscribeCommand({
    TopicArn: aws.topicArn('Topic'),
    Protocol: 'sqs',
    Endpoint: await aws.queue(queue).arn(),
    Attributes,
    ReturnSubscriptionArn: true,
  });
  return (await aws.aws.sns.send(asked)).SubscriptionArn ?? '';
}

async function setRedrivePolicy(aws: Probing, policy: object): Promise<string> {
  const SubscriptionArn = await subscribed(aws, 'Queue');
  const AttributeValue = JSON.stringify(policy);
  const input = { SubscriptionArn, AttributeName: 'RedrivePolicy', AttributeValue };
  return refusal(aws.aws.sns.send(new SetSubscriptionAttributesCommand(input)));
}

const publish = (aws: Probing, more: object) =>
  aws.aws.sns.send(new PublishCommand({ TopicArn: aws.topicArn('Topic'), Message: 'message', ...more }));

const TOPIC = { Topic: {} };

export const TOPIC_PROBES: readonly Probe[] = [
  {
    id: 'SNS-3',
    question: 'Are 60 retries of 60 s accepted, and 61?',
    assumed:
      '60: accepted; 61: InvalidParameterException: Invalid parameter: DeliveryPolicy: http.defaultHealthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together',
    topics: TOPIC,
    ask: async aws => {
      const retries = (numRetries: number) => setRetries(aws, { numRetries, minDelayTarget: 60, maxDelayTarget: 60 });
      return `60: ${await retries(60)}; 61: ${await retries(61)}`;
    },
  },
  {
    id: 'SNS-6',
    question: 'Is a retry policy without delays, or without numRetries, refused?',
    assumed:
      'without delays: InvalidParameterException: Invalid parameter: DeliveryPolicy: http.defaultHealthyRetryPolicy.minDelayTarget must be specified; without numRetries: InvalidParameterException: Invalid parameter: DeliveryPolicy: http.defaultHealthyRetryPolicy.numRetries must be specified',
    topics: TOPIC,
    ask: async aws => {
      const delays = await setRetries(aws, { numRetries: 5 });
      return `without delays: ${delays}; without numRetries: ${await setRetries(aws, { minDelayTarget: 1, maxDelayTarget: 5 })}`;
    },
  },
  {
    id: 'SNS-7',
    question: 'Is the content type text/plain; charset=UTF-8 accepted?',
    assumed: 'accepted',
    topics: TOPIC,
    ask: aws => {
      const defaultRequestPolicy = { headerContentType: 'text/plain; charset=UTF-8' };
      return setTopic(aws, 'DeliveryPolicy', { http: { defaultRequestPolicy } });
    },
  },
  {
    id: 'SNS-8',
    question: 'Is a backoffFunction in upper case accepted?',
    assumed:
      'InvalidParameterException: Invalid parameter: DeliveryPolicy: the value [EXPONENTIAL] is not a valid backoff function',
    topics: TOPIC,
    ask: aws =>
      setRetries(aws, { numRetries: 3, minDelayTarget: 20, maxDelayTarget: 20, backoffFunction: 'EXPONENTIAL' }),
  },
  {
    id: 'SNS-26',
    question: 'Does RemovePermission succeed for a label that does not exist?',
    assumed: 'accepted',
    topics: TOPIC,
    ask: aws => {
      const TopicArn = aws.topicArn('Topic');
      return refusal(aws.aws.sns.send(new RemovePermissionCommand({ TopicArn, Label: 'absent' })));
    },
  },
  {
    id: 'SNS-27',
    question: 'Is Publish with a topic and a target refused?',
    assumed:
      'InvalidParameterException: Invalid parameter: TopicArn or TargetArn Reason: only one of them may be given',
    topics: TOPIC,
    ask: aws => refusal(publish(aws, { TargetArn: aws.topicArn('Topic') })),
  },
  {
    id: 'SNS-34',
    question: "Is a subscription's redrive policy with an unknown member refused?",
    assumed: 'InvalidParameterException: Invalid parameter: RedrivePolicy: Unexpected JSON member: maxReceiveCount',
    topics: TOPIC,
    queues: { Dead: {}, Queue: {} },
    ask: async aws => setRedrivePolicy(aws, { deadLetterTargetArn: await aws.queue('Dead').arn(), maxReceiveCount: 3 }),
  },
  {
    id: 'SNS-35',
    question: 'May a subscription of a standard topic have a FIFO dead-letter queue?',
    assumed:
      'InvalidParameterException: Invalid parameter: RedrivePolicy: must not use a FIFO queue as DLQ for a Subscription to a Standard Topic.',
    topics: TOPIC,
    queues: { Dead: { fifo: true }, Queue: {} },
    ask: async aws => setRedrivePolicy(aws, { deadLetterTargetArn: await aws.queue('Dead').arn() }),
  },
  {
    id: 'SNS-36',
    question: 'The text for ContentBasedDeduplication of a standard topic',
    assumed:
      'InvalidParameterException: Invalid parameter: ContentBasedDeduplication: only FIFO topics have this attribute',
    topics: TOPIC,
    ask: aws => setTopic(aws, 'ContentBasedDeduplication', 'true'),
  },
  {
    id: 'SNS-37',
    question: 'Is an empty member under MessageStructure json refused?',
    assumed: 'InvalidParameterException: Invalid parameter: Empty message',
    topics: TOPIC,
    ask: aws => refusal(publish(aws, { MessageStructure: 'json', Message: JSON.stringify({ default: 'x', sqs: '' }) })),
  },
  {
    id: 'SNS-38',
    question: 'Where does a message with the control character U+0001 arrive?',
    assumed: 'in an envelope: "a\\u0001b"; raw: "nothing"',
    topics: TOPIC,
    queues: { Envelope: { openToTopics: true }, Raw: { openToTopics: true } },
    ask: async aws => {
      await subscribed(aws, 'Envelope');
      await subscribed(aws, 'Raw', { RawMessageDelivery: 'true' });
      // A new subscription takes a moment to receive messages.
      await aws.aws.pass(10);
      const answer = await refusal(publish(aws, { Message: 'a\u0001b' }));
      if (answer !== 'accepted') return answer;
      const { Body } = (await aws.queue('Envelope').receive(0, 30)) ?? {};
      const message: unknown = Body === undefined ? Body : JSON.parse(Body).Message;
      const raw = (await aws.queue('Raw').receive(0, 10))?.Body;
      return `in an envelope: ${JSON.stringify(message ?? 'nothing')}; raw: ${JSON.stringify(raw ?? 'nothing')}`;
    },
  },
  {
    id: 'SNS-40',
    question: 'By how much do the sequence numbers of a FIFO topic grow across groups?',
    assumed: 'by 1 and 1',
    topics: { Topic: { fifo: true } },
    ask: async aws => {
      const numbers: bigint[] = [];
      for (const MessageGroupId of ['a', 'b', 'a']) {
        const { SequenceNumber = '0' } = await publish(aws, {
          MessageGroupId,
          MessageDeduplicationId: `${numbers.length}`,
        });
        numbers.push(BigInt(SequenceNumber));
      }
      const [one = 0n, two = 0n, three = 0n] = numbers;
      return `by ${two - one} and ${three - two}`;
    },
  },
  {
    id: 'SNS-42',
    question: 'Is a topic policy with SNS:Get* refused?',
    assumed: 'InvalidParameterException: Invalid parameter: Policy statement action out of service scope!',
    topics: TOPIC,
    ask: aws => setTopic(aws, 'Policy', topicPolicy(aws, 1, 'SNS:Get*')),
  },
  {
    id: 'SNS-43',
    question: 'The texts for a tag that starts with aws:, and for one of 257 characters',
    assumed:
      'InvalidParameterException: Invalid parameter: Tags Reason: Tag keys cannot begin with aws:, which AWS reserves; got aws:x.; InvalidParameterException: Invalid parameter: Tags Reason: Tag values must be between 0 and 256 characters in length.',
    topics: TOPIC,
    ask: async aws => {
      const tag = (Key: string, Value: string) =>
        refusal(
          aws.aws.sns.send(new TagResourceCommand({ ResourceArn: aws.topicArn('Topic'), Tags: [{ Key, Value }] })),
        );
      return `${await tag('aws:x', '1')}; ${await tag('x', 'v'.repeat(257))}`;
    },
  },
  {
    id: 'SNS-49',
    question: 'The error for a topic policy of 101 statements',
    assumed: 'InvalidParameterException: Invalid parameter: Policy has 101 statements, but SNS accepts at most 100',
    topics: TOPIC,
    ask: aws => setTopic(aws, 'Policy', topicPolicy(aws, 101, 'SNS:Publish')),
  },
];
