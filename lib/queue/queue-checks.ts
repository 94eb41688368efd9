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

/** What a template says of a queue unless it says otherwise. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html */
export const QUEUE_DEFAULTS = { retentionSeconds: 345_600, visibilityTimeoutSeconds: 30 } as const;

/** The queue resource behind `queue`, or undefined where it was created elsewhere. */
export function ownedQueue(queue: IQueue): CfnQueue | undefined {
  const child = queue.node.defaultChild;
  const owned = child && CfnResource.isCfnResource(child) && child.cfnResourceType === 'AWS::SQS::Queue';
  return owned ? (child as CfnQueue) : undefined;
}

/**
 * The name the user gave a queue that is made here; undefined where CloudFormation makes one up, a token hides it, or the
 * queue was created elsewhere: what is named after such a queue has the name its owner's has, and every other importer's.
 */
export function ownName(queue: IQueue): string | undefined {
  const name = ownedQueue(queue)?.queueName;
  return Token.isUnresolved(name) ? undefined : name;
}

/** The queue's ARN made from its name, without a reference to the queue itself; undefined while its name is not known. */
export function namedArn(queue: IQueue): string | undefined {
  const resource = ownName(queue) ?? queue.queueName;
  if (Token.isUnresolved(resource)) return undefined;
  return Stack.of(queue).formatArn({ service: 'sqs', resource });
}

/** Seconds the queue keeps a message, or undefined where that is not known before deployment. */
export function retentionSeconds(queue: IQueue): number | undefined {
  const resource = ownedQueue(queue);
  if (!resource) return undefined;
  const seconds = resource.messageRetentionPeriod ?? QUEUE_DEFAULTS.retentionSeconds;
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

/** How soon after a dead letter comes somebody is to see to it. */
interface Attention {
  /** How long the queue keeps a message, or undefined where that is not known before deployment. */
  readonly keptSeconds: number | undefined;
  readonly timeToRespondSeconds: number;
  /** How long letters may lie before an alarm speaks of them again, or undefined where none does. */
  readonly unattendedSeconds: number | undefined;
}

/** Warns of a dead-letter queue that throws its letters away before anybody was to see to them. */
export function warnOfShortKeeping(queue: IQueue, attention: Attention): void {
  const { keptSeconds, timeToRespondSeconds, unattendedSeconds = 0 } = attention;
  if (keptSeconds === undefined) return;
  const late = [
    ...(keptSeconds < timeToRespondSeconds ? [`timeToRespond is ${timeToRespondSeconds} s`] : []),
    ...(keptSeconds <= unattendedSeconds ? [`unattendedAfter is ${unattendedSeconds} s`] : []),
  ];
  if (late.length === 0) return;
  const message = `It keeps dead letters for ${keptSeconds} s, and ${late.join(' and ')}: they are gone before anybody need look. Keep them for longer.`;
  warn(queue, 'dead-letters-kept-too-short', message);
}

/** Warns of an age no message reaches, because it expires first. */
export function warnOfUnreachableAge(queue: IQueue, thresholdSeconds: number | undefined): void {
  const keptSeconds = retentionSeconds(queue);
  if (thresholdSeconds === undefined || keptSeconds === undefined || thresholdSeconds < keptSeconds) return;
  const message = `The age alarm fires above ${thresholdSeconds} s, and a message is kept for ${keptSeconds} s: it expires, and no alarm has fired. Lower ageAlarmThreshold, or keep messages for longer.`;
  warn(queue, 'age-alarm-never-fires', message);
}

/** Warns of a message that expires between its receives, and so is never moved. @param receives after so many it is */
export function warnOfExpiryBeforeMove(queue: IQueue, receives: number): void {
  const keptSeconds = retentionSeconds(queue);
  const visibleSeconds = ownedQueue(queue)?.visibilityTimeout ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  if (keptSeconds === undefined || Token.isUnresolved(receives) || Token.isUnresolved(visibleSeconds)) return;
  const neededSeconds = receives * visibleSeconds;
  if (neededSeconds < keptSeconds) return;
  const message = `${receives} receives with a visibility timeout of ${visibleSeconds} s take ${neededSeconds} s, and a message is kept for ${keptSeconds} s: what always fails expires, and is never a dead letter. Lower one of both, or keep messages for longer.`;
  warn(queue, 'expires-before-last-receive', message);
}

/** Warns of durations that were stated, and that no alarm can have: what is not known before deployment. */
export function warnOfUnknownDuration(queue: IQueue, durations: Readonly<Record<string, Duration | undefined>>): void {
  const unknown = Object.entries(durations).filter(([, duration]) => duration?.isUnresolved());
  for (const [property] of unknown) {
    const message = `${property} is a token, not known before deployment, and the default counts in its place: state a number.`;
    warn(queue, 'duration-not-known', message);
  }
}

/** Warns of a key that only another account's owner can open to those who are to read the dead letters. */
export function warnOfForeignKey(scope: Construct, queue: IQueue): void {
  const { encryptionMasterKey: key } = queue;
  if (!key || Token.compareStrings(key.env.account, queue.env.account) !== TokenComparison.DIFFERENT) return;
  const message = `${queue.node.path} is encrypted with a key of account ${key.env.account}: unless that account lets account ${queue.env.account} use kms:Decrypt, nobody here can read or redrive what is in it. Use a key of the queue's own account.`;
  warn(scope, 'key-of-another-account', message);
}

const RELAY_QUEUES = new WeakSet<IQueue>();

export function rememberRelayQueue(queue: IQueue): void {
  RELAY_QUEUES.add(queue);
}

/** Whether a queue is one a relay delivers from: what waits there is tried again, and watched by the relay. */
export function isRelayQueue(queue: IQueue): boolean {
  return RELAY_QUEUES.has(queue);
}

/** What SNS would deliver and the relay could not read: it needs the envelope, and makes the message itself dead. */
export function envelopeProblems(queue: IQueue | undefined, rawMessageDelivery: boolean | undefined): Problem[] {
  if (!queue || !isRelayQueue(queue) || !rawMessageDelivery) return [];
  return absentProblems(
    'rawMessageDelivery',
    rawMessageDelivery,
    'where the queue is that of an HttpRelay: ask the relay for it',
  );
}
