import { CfnResource, type Duration, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  type CfnQueue,
  DeduplicationScope,
  FifoThroughputLimit,
  type IQueue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { QUEUE_LIMITS, QUEUE_NAMES } from '../../policy/aws-limits';
import type { Problem } from '../../policy/problem';
import { arnProblems } from '../shared/addresses';
import {
  absentProblems,
  integerProblems,
  knownSeconds,
  mismatchProblems,
  type Range,
  secondsProblems,
  warn,
} from '../shared/checks';

export const LONGEST_RETENTION_SECONDS = QUEUE_LIMITS.retentionSeconds.max;

/** The durations that SQS accepts, in seconds. */
const DURATIONS = {
  retentionPeriod: QUEUE_LIMITS.retentionSeconds,
  visibilityTimeout: QUEUE_LIMITS.visibilityTimeoutSeconds,
  deliveryDelay: QUEUE_LIMITS.delaySeconds,
  receiveMessageWaitTime: QUEUE_LIMITS.receiveWaitSeconds,
  dataKeyReuse: QUEUE_LIMITS.dataKeyReuseSeconds,
} as const satisfies Partial<Record<keyof QueueProps, Range>>;

const MESSAGE_SIZE = { ...QUEUE_LIMITS.messageBytes, unit: 'bytes' };

export const RECEIVE_COUNT: Range = QUEUE_LIMITS.receiveCount;

/** The default encryption of a queue: with the key if there is one, otherwise with a key of SQS. */
export function encryptionFor(key: IKey | undefined): QueueEncryption {
  return key ? QueueEncryption.KMS : QueueEncryption.SQS_MANAGED;
}

/**
 * Attributes of FIFO queues only.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
const FIFO_ONLY = ['contentBasedDeduplication', 'deduplicationScope', 'fifoThroughputLimit'] as const;

/** Whether the properties describe a FIFO queue: `fifo` decides, and without it the name or a FIFO attribute does. */
export function isFifo(props: QueueProps): boolean {
  const { fifo, queueName = '' } = props;
  return (
    fifo ?? (FIFO_ONLY.some(name => props[name]) || (!Token.isUnresolved(queueName) && queueName.endsWith('.fifo')))
  );
}

/** What SQS would reject about a name; nothing if it is absent or not known before deployment. */
function queueNameProblems(property: string, name: string | undefined, fifo: boolean): Problem[] {
  if (name === undefined || Token.isUnresolved(name)) return [];
  if ((fifo ? QUEUE_NAMES.fifo : QUEUE_NAMES.standard).test(name)) return [];
  const rule = fifo
    ? 'must be alphanumeric characters, hyphens and underscores and .fifo at its end, 80 characters at most'
    : 'must be 1 to 80 alphanumeric characters, hyphens and underscores where the queue is not FIFO';
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

/** A policy without a permission that names queues is a `byQueue` policy. */
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

/** Encryption settings that `Queue` rejects in combination, or ignores. */
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

/** Returns everything SQS would reject about a queue's own properties. */
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

/** A problem if a queue was imported with the ARN of something else. */
export function queueArnProblems(property: string, { queueArn }: IQueue): Problem[] {
  return arnProblems(property, queueArn, { service: 'sqs', noun: 'an SQS queue' });
}

/** KMS finds keys only in their own Region. @see https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html */
export function keyPlaceProblems(scope: IConstruct, { encryptionMasterKey: key }: QueueProps): Problem[] {
  if (!key) return [];
  const rule = 'must be in the Region of the queue,';
  return mismatchProblems('encryptionMasterKey', rule, Stack.of(scope).region, key.env.region);
}

export function deadLetterNameProblems(props: QueueProps, name: string | undefined): Problem[] {
  return queueNameProblems('deadLetterQueueName', name, isFifo(props));
}

/**
 * AWS controls the policy of the AWS-managed key.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 */
export function managedKeyProblems(property: string, queue: IQueue, service: string): Problem[] {
  if (queue.encryptionType !== QueueEncryption.KMS_MANAGED) return [];
  const rule = `must not be KMS_MANAGED, because its key policy cannot allow ${service}`;
  return [{ property, rule, value: 'KMS_MANAGED' }];
}

/**
 * The CloudFormation defaults of a queue.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html
 */
export const QUEUE_DEFAULTS = { retentionSeconds: 345_600, visibilityTimeoutSeconds: 30 } as const;

/** The queue resource of `queue`; undefined for an imported queue. */
export function ownedQueue(queue: IQueue): CfnQueue | undefined {
  const child = queue.node.defaultChild;
  const owned = child && CfnResource.isCfnResource(child) && child.cfnResourceType === 'AWS::SQS::Queue';
  return owned ? (child as CfnQueue) : undefined;
}

/**
 * The name that the user gave a queue of this app; undefined if CloudFormation generates it, it is a token, or the
 * queue is imported. Alarms of an imported queue must not be named after it, because the owner and every other importer
 * would use the same names.
 */
export function ownName(queue: IQueue): string | undefined {
  const name = ownedQueue(queue)?.queueName;
  return Token.isUnresolved(name) ? undefined : name;
}

/** The queue's ARN built from its name, without a reference to the queue; undefined if its name is not known. */
export function namedArn(queue: IQueue): string | undefined {
  const resource = ownName(queue) ?? queue.queueName;
  if (Token.isUnresolved(resource)) return undefined;
  return Stack.of(queue).formatArn({ service: 'sqs', resource });
}

/** How long the queue stores a message, in seconds; undefined if it is not known before deployment. */
export function retentionSeconds(queue: IQueue): number | undefined {
  const resource = ownedQueue(queue);
  if (!resource) return undefined;
  const seconds = resource.messageRetentionPeriod ?? QUEUE_DEFAULTS.retentionSeconds;
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

/** How soon operators must handle a dead letter. */
interface Attention {
  /** How long the queue stores a message; undefined if it is not known before deployment. */
  readonly keptSeconds: number | undefined;
  readonly timeToRespondSeconds: number;
  /** How long messages may wait before the unattended alarm fires; undefined if there is none. */
  readonly unattendedSeconds: number | undefined;
}

/** Warns about a dead-letter queue whose messages expire before the alarms require a reaction. */
export function warnOfShortKeeping(queue: IQueue, attention: Attention): void {
  const { keptSeconds, timeToRespondSeconds, unattendedSeconds = 0 } = attention;
  if (keptSeconds === undefined) return;
  const late = [
    ...(keptSeconds < timeToRespondSeconds ? [`timeToRespond is ${timeToRespondSeconds} s`] : []),
    ...(keptSeconds <= unattendedSeconds ? [`unattendedAfter is ${unattendedSeconds} s`] : []),
  ];
  if (late.length === 0) return;
  const message = `It keeps dead letters for ${keptSeconds} s, and ${late.join(' and ')}: they expire before an operator needs to react. Keep them for longer.`;
  warn(queue, 'dead-letters-kept-too-short', message);
}

/** Warns about an alarm threshold that no message reaches, because it expires first. */
export function warnOfUnreachableAge(queue: IQueue, thresholdSeconds: number | undefined): void {
  const keptSeconds = retentionSeconds(queue);
  if (thresholdSeconds === undefined || keptSeconds === undefined || thresholdSeconds < keptSeconds) return;
  const message = `The age alarm fires above ${thresholdSeconds} s, but messages expire after ${keptSeconds} s, so it never fires. Lower ageAlarmThreshold, or keep messages for longer.`;
  warn(queue, 'age-alarm-never-fires', message);
}

/**
 * Warns about messages that expire before their last receive, and so are never moved. @param receives the maximum
 * receive count
 */
export function warnOfExpiryBeforeMove(queue: IQueue, receives: number): void {
  const keptSeconds = retentionSeconds(queue);
  const visibleSeconds = ownedQueue(queue)?.visibilityTimeout ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  if (keptSeconds === undefined || Token.isUnresolved(receives) || Token.isUnresolved(visibleSeconds)) return;
  const neededSeconds = receives * visibleSeconds;
  if (neededSeconds < keptSeconds) return;
  const message = `${receives} receives with a visibility timeout of ${visibleSeconds} s take ${neededSeconds} s, but messages expire after ${keptSeconds} s. A message that always fails expires and never reaches the dead-letter queue. Lower the receive count or the visibility timeout, or keep messages for longer.`;
  warn(queue, 'expires-before-last-receive', message);
}

/** Warns about durations that an alarm needs as numbers and that are not known before deployment. */
export function warnOfUnknownDuration(queue: IQueue, durations: Readonly<Record<string, Duration | undefined>>): void {
  const unknown = Object.entries(durations).filter(([, duration]) => duration?.isUnresolved());
  for (const [property] of unknown) {
    const message = `${property} is a token, which is not known before deployment, so the default is used: pass a number.`;
    warn(queue, 'duration-not-known', message);
  }
}

/** Warns about a key of another account, without which readers of the dead letters cannot decrypt them. */
export function warnOfForeignKey(scope: Construct, queue: IQueue): void {
  const { encryptionMasterKey: key } = queue;
  if (!key || Token.compareStrings(key.env.account, queue.env.account) !== TokenComparison.DIFFERENT) return;
  const message = `${queue.node.path} is encrypted with a key of account ${key.env.account}. Unless that account allows account ${queue.env.account} to use kms:Decrypt, no principal here can read or redrive its messages. Use a key of the queue's own account.`;
  warn(scope, 'key-of-another-account', message);
}

/** The queues of relays and fleets, with what an error about raw delivery says of their owner. */
const RELAY_QUEUES = new WeakMap<IQueue, string>();

export function registerRelayQueue(queue: IQueue, owner = 'an HttpRelay: set it on the relay'): void {
  RELAY_QUEUES.set(queue, owner);
}

/** Whether a queue is the queue of a relay or a fleet. Its owner retries and monitors the messages in it. */
export function isRelayQueue(queue: IQueue): boolean {
  return RELAY_QUEUES.has(queue);
}

/**
 * A problem if SNS would deliver messages without the envelope. The relay cannot read those and sends them to the
 * dead-letter queue.
 */
export function envelopeProblems(queue: IQueue | undefined, rawMessageDelivery: boolean | undefined): Problem[] {
  const owner = queue && RELAY_QUEUES.get(queue);
  if (owner === undefined || !rawMessageDelivery) return [];
  return absentProblems('rawMessageDelivery', rawMessageDelivery, `where the queue is that of ${owner}`);
}
