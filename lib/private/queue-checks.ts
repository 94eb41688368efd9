import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Problem } from '../policy/problem';
import { integerProblems, type Range, secondsProblems } from './checks';

/** The longest SQS keeps a message: 14 days. */
export const LONGEST_RETENTION_SECONDS = 1_209_600;

/** What SQS accepts of each duration, in seconds. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
const DURATIONS = {
  retentionPeriod: { min: 60, max: LONGEST_RETENTION_SECONDS },
  visibilityTimeout: { min: 0, max: 43_200 },
  deliveryDelay: { min: 0, max: 900 },
  receiveMessageWaitTime: { min: 0, max: 20 },
  dataKeyReuse: { min: 60, max: 86_400 },
} as const satisfies Partial<Record<keyof QueueProps, Range>>;

const MESSAGE_SIZE = { min: 1_024, max: 1_048_576, unit: 'bytes' };

/** SQS moves a message after 1 to 1,000 receives. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
export const RECEIVE_COUNT: Range = { min: 1, max: 1_000 };

/** How a queue is encrypted when nobody says: with the key if there is one, and in any case. */
export function encryptionFor(key: IKey | undefined): QueueEncryption {
  return key ? QueueEncryption.KMS : QueueEncryption.SQS_MANAGED;
}

/** Everything SQS would reject of a queue's own properties. */
export function queuePropsProblems(props: QueueProps): Problem[] {
  const durations = Object.entries(DURATIONS) as [keyof typeof DURATIONS, Range][];
  return [
    ...durations.flatMap(([name, range]) => secondsProblems(name, props[name], range)),
    ...integerProblems('maxMessageSizeBytes', props.maxMessageSizeBytes, MESSAGE_SIZE),
    ...integerProblems('deadLetterQueue.maxReceiveCount', props.deadLetterQueue?.maxReceiveCount, RECEIVE_COUNT),
  ];
}

/** The AWS-managed key's policy is AWS's own. @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
export function managedKeyProblems(property: string, queue: IQueue, service: string): Problem[] {
  if (queue.encryptionType !== QueueEncryption.KMS_MANAGED) return [];
  const rule = `must not be KMS_MANAGED, for its key policy cannot let ${service} in`;
  return [{ property, rule, value: 'KMS_MANAGED' }];
}
