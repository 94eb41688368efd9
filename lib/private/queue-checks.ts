import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Problem } from '../policy/problem';
import { QUEUE_LIMITS } from '../policy/queue-limits';
import { integerProblems, type Range, secondsProblems } from './checks';

/** The longest SQS keeps a message. */
export const LONGEST_RETENTION_SECONDS = QUEUE_LIMITS.retentionSeconds.max;

/** What SQS accepts of each duration, in seconds. */
const DURATIONS = {
  retentionPeriod: QUEUE_LIMITS.retentionSeconds,
  visibilityTimeout: QUEUE_LIMITS.visibilityTimeoutSeconds,
  deliveryDelay: QUEUE_LIMITS.delaySeconds,
  receiveMessageWaitTime: QUEUE_LIMITS.receiveWaitSeconds,
  dataKeyReuse: QUEUE_LIMITS.dataKeyReuseSeconds,
} as const satisfies Partial<Record<keyof QueueProps, Range>>;

const MESSAGE_SIZE = { ...QUEUE_LIMITS.messageBytes, unit: 'bytes' };

/** After how many receives SQS moves a message. */
export const RECEIVE_COUNT: Range = QUEUE_LIMITS.receiveCount;

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
