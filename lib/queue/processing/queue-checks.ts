import { Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  type IQueue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { QUEUE_LIMITS, QUEUE_NAMES } from '../../../policy/limits/queue-limits';
import type { Problem } from '../../../policy/problem';
import {
  absentProblems,
  integerProblems,
  knownSeconds,
  mismatchProblems,
  type Range,
  secondsProblems,
} from '../../shared/checks';
import { arnProblems } from '../../topic/deliveries/addresses';

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

/** What only a FIFO queue has. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html */
const FIFO_ONLY = ['contentBasedDeduplication', 'deduplicationScope', 'fifoThroughputLimit'] as const;

/** A `Queue` is FIFO where anything says so, unless `fifo` says otherwise. */
export function isFifo(props: QueueProps): boolean {
  const { fifo, queueName = '' } = props;
  return (
    fifo ?? (FIFO_ONLY.some(name => props[name]) || (!Token.isUnresolved(queueName) && queueName.endsWith('.fifo')))
  );
}

/** What SQS would reject of a name; none where it is absent or not known before deployment. */
function queueNameProblems(property: string, name: string | undefined, fifo: boolean): Problem[] {
  if (name === undefined || Token.isUnresolved(name)) return [];
  if ((fifo ? QUEUE_NAMES.fifo : QUEUE_NAMES.standard).test(name)) return [];
  const rule = fifo
    ? 'must be letters, digits, hyphens and underscores and .fifo at its end, 80 characters at most'
    : 'must be 1 to 80 letters, digits, hyphens and underscores where the queue is not FIFO';
  return [{ property, rule, value: name }];
}

function fifoProblems(props: QueueProps): Problem[] {
  const { deduplicationScope: scope, fifoThroughputLimit: limit } = props;
  const standing = isFifo(props) ? [] : FIFO_ONLY.filter(name => props[name]);
  const perGroup = limit === FifoThroughputLimit.PER_MESSAGE_GROUP_ID;
  const perQueue = !Token.isUnresolved(scope) && scope !== DeduplicationScope.MESSAGE_GROUP;
  const rule = 'must be perQueue where deduplicationScope is not messageGroup';
  return [
    ...standing.flatMap(property => absentProblems(property, props[property], 'where fifo is false')),
    ...(perGroup && perQueue ? [{ property: 'fifoThroughputLimit', rule, value: limit }] : []),
  ];
}

/** A policy without a permission is by queue where it names some. */
function allowPolicyProblems({ redriveAllowPolicy: policy }: QueueProps): Problem[] {
  if (!policy) return [];
  const { redrivePermission: permission, sourceQueues } = policy;
  const property = 'redriveAllowPolicy.sourceQueues';
  const value = sourceQueues?.length ?? 0;
  if (permission === RedrivePermission.ALLOW_ALL || permission === RedrivePermission.DENY_ALL) {
    return absentProblems(property, sourceQueues?.length, 'where redrivePermission is allowAll or denyAll');
  }
  const { min, max } = QUEUE_LIMITS.sourceQueues;
  const byQueue = sourceQueues !== undefined || permission === RedrivePermission.BY_QUEUE;
  const rule = `must be ${min} to ${max} queues, or absent and redrivePermission allowAll`;
  return byQueue && (value < min || value > max) ? [{ property, rule, value }] : [];
}

/** What a `Queue` refuses of a key beside the other ways to encrypt, and what it drops where there is none. */
function encryptionProblems({ encryption, encryptionMasterKey: key, dataKeyReuse }: QueueProps): Problem[] {
  const isKeyless = !key && encryption !== QueueEncryption.KMS && encryption !== QueueEncryption.KMS_MANAGED;
  const reuse = dataKeyReuse && (knownSeconds(dataKeyReuse) ?? 'a token');
  return [
    ...(encryption === QueueEncryption.SQS_MANAGED
      ? absentProblems('encryptionMasterKey', key?.node.path, 'where encryption is SQS_MANAGED')
      : []),
    ...(isKeyless ? absentProblems('dataKeyReuse', reuse, 'where no key of KMS encrypts the queue') : []),
  ];
}

/** Everything SQS would reject of a queue's own properties. */
export function queuePropsProblems(props: QueueProps): Problem[] {
  const durations = Object.entries(DURATIONS) as [keyof typeof DURATIONS, Range][];
  return [
    ...durations.flatMap(([name, range]) => secondsProblems(name, props[name], range)),
    ...integerProblems('maxMessageSizeBytes', props.maxMessageSizeBytes, MESSAGE_SIZE),
    ...integerProblems('deadLetterQueue.maxReceiveCount', props.deadLetterQueue?.maxReceiveCount, RECEIVE_COUNT),
    ...queueNameProblems('queueName', props.queueName, isFifo(props)),
    ...fifoProblems(props),
    ...encryptionProblems(props),
    ...allowPolicyProblems(props),
  ];
}

/** A queue that was imported by an ARN of something else. */
export function queueArnProblems(property: string, { queueArn }: IQueue): Problem[] {
  return arnProblems(property, queueArn, { service: 'sqs', noun: 'an SQS queue' });
}

/** KMS knows only the keys of its own Region. @see https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html */
export function keyPlaceProblems(scope: IConstruct, { encryptionMasterKey: key }: QueueProps): Problem[] {
  if (!key) return [];
  const rule = 'must be in the Region of the queue,';
  return mismatchProblems('encryptionMasterKey', rule, Stack.of(scope).region, key.env.region);
}

/** What SQS would reject of the name of the dead-letter queue made for a queue, which is of the queue's own type. */
export function deadLetterNameProblems(props: QueueProps, name: string | undefined): Problem[] {
  return queueNameProblems('deadLetterQueueName', name, isFifo(props));
}

/** The AWS-managed key's policy is AWS's own. @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
export function managedKeyProblems(property: string, queue: IQueue, service: string): Problem[] {
  if (queue.encryptionType !== QueueEncryption.KMS_MANAGED) return [];
  const rule = `must not be KMS_MANAGED, for its key policy cannot let ${service} in`;
  return [{ property, rule, value: 'KMS_MANAGED' }];
}
