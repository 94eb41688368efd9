import { QUEUE_LIMITS } from '../../policy/aws-limits';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { keyBreaches, TAG_RULES, type TagBreach, type TagRules } from '../kernel/tags';
import { readPolicyText } from '../policy-document';
import type { DeduplicationScope } from './deduplication';
import { invalidParameterValue } from './errors';
import { MAX_KEY_ID_LENGTH } from './limits';
import {
  type RedriveAllowPolicy,
  type RedrivePolicy,
  readRedriveAllowPolicy,
  readRedrivePolicy,
} from './redrive-policy';

/** The attributes of a queue as its owner set them, by AWS's names. */
export type AttributeMap = Readonly<Record<string, string>>;

export type QueueType = 'standard' | 'FIFO';

/**
 * The attributes that are whole numbers.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export const NUMBER_ATTRIBUTES = {
  DelaySeconds: { ...QUEUE_LIMITS.delaySeconds, byDefault: 0 },
  MaximumMessageSize: { ...QUEUE_LIMITS.messageBytes, byDefault: QUEUE_LIMITS.messageBytes.max },
  MessageRetentionPeriod: { ...QUEUE_LIMITS.retentionSeconds, byDefault: 345_600 },
  ReceiveMessageWaitTimeSeconds: { ...QUEUE_LIMITS.receiveWaitSeconds, byDefault: 0 },
  VisibilityTimeout: { ...QUEUE_LIMITS.visibilityTimeoutSeconds, byDefault: 30 },
  KmsDataKeyReusePeriodSeconds: { ...QUEUE_LIMITS.dataKeyReuseSeconds, byDefault: 300 },
} as const;

const onlyOnFifo = (name: string): string => `You can specify the ${name} only when FifoQueue is set to true.`;
const unknown = (name: string): string => `Unknown Attribute ${name}.`;

/**
 * The attributes that only FIFO queues have, with their values, the default first, and how AWS refuses them on a standard
 * queue (recorded).
 *
 * On AWS a FIFO queue takes 300 calls of each action a second, or more with `perMessageGroupId`, and refuses others with
 * `ThrottlingException`. Our choice: none is refused. Time stands still while work runs here, so that calls AWS would
 * spread over seconds come at one instant; a scenario that is about throttling sets a fault.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/troubleshooting-fifo-throttling-issues.html
 */
export const FIFO_ATTRIBUTES = {
  FifoQueue: { values: ['true', 'false'], refused: unknown },
  ContentBasedDeduplication: { values: ['false', 'true'], refused: unknown },
  DeduplicationScope: { values: ['queue', 'messageGroup'], refused: onlyOnFifo },
  FifoThroughputLimit: { values: ['perQueue', 'perMessageGroupId'], refused: onlyOnFifo },
} as const;

const OTHER_ATTRIBUTES = ['Policy', 'RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'SqsManagedSseEnabled'];
const DIGITS = /^\d+$/;
const BOOLEANS = ['FifoQueue', 'ContentBasedDeduplication', 'SqsManagedSseEnabled'];

type NumberAttribute = keyof typeof NUMBER_ATTRIBUTES;
type FifoAttribute = keyof typeof FIFO_ATTRIBUTES;

/** What only a FIFO queue does by its attributes. */
export interface FifoSettings {
  /** A message without a deduplication id has the SHA-256 digest of its body for one. */
  readonly contentBasedDeduplication: boolean;
  readonly deduplicationScope: DeduplicationScope;
}

/** What a queue does by its attributes. */
export interface QueueSettings {
  readonly delaySeconds: number;
  readonly maximumMessageBytes: number;
  readonly retentionSeconds: number;
  readonly receiveWaitSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  /** The customer's key, for a queue encrypted by KMS. */
  readonly kmsMasterKeyId: string | undefined;
  readonly policy: PolicyDocument | undefined;
  readonly redrivePolicy: RedrivePolicy | undefined;
  readonly redriveAllowPolicy: RedriveAllowPolicy | undefined;
  readonly fifo: FifoSettings | undefined;
}

const isNumberAttribute = (name: string): name is NumberAttribute => Object.hasOwn(NUMBER_ATTRIBUTES, name);
const isFifoAttribute = (name: string): name is FifoAttribute => Object.hasOwn(FIFO_ATTRIBUTES, name);

/** Can an owner set an attribute of this name on a queue of this type? */
export function isAttributeName(name: string, type: QueueType): boolean {
  return isNumberAttribute(name) || OTHER_ATTRIBUTES.includes(name) || (type === 'FIFO' && isFifoAttribute(name));
}

export function typeOf(attributes: AttributeMap): QueueType {
  return attributes['FifoQueue'] === 'true' ? 'FIFO' : 'standard';
}

/** AWS takes `True` for `true` (recorded). Our choice: it is told as `true`, and a number without leading zeros. */
export function normalized(attributes: AttributeMap): AttributeMap {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, canonical(name, value)]));
}

function canonical(name: string, value: string): string {
  if (BOOLEANS.includes(name)) return value.toLowerCase();
  return isNumberAttribute(name) && DIGITS.test(value) ? String(Number(value)) : value;
}

/** The attributes after `changes`: an empty text takes an attribute away. */
export function changed(attributes: AttributeMap, changes: AttributeMap): AttributeMap {
  const result = new Map(Object.entries(attributes));
  for (const [name, value] of Object.entries(changes)) {
    if (value === '' && !isNumberAttribute(name)) result.delete(name);
    else result.set(name, value);
  }
  // It stays so when the key is taken away again (recorded).
  if (changes['KmsMasterKeyId']) result.set('SqsManagedSseEnabled', 'false');
  if (changes['SqsManagedSseEnabled'] === 'true') result.delete('KmsMasterKeyId');
  return Object.fromEntries(result);
}

/**
 * @param type of the queue that has them, or is to have them
 * @returns the attributes as the queue is to tell them. Our choice: of a redrive policy and a redrive-allow policy what they
 * say, a `maxReceiveCount` as a number, and not how they were written
 * @throws AwsError the first attribute AWS would refuse by itself, in its words
 */
export function checkAttributes(changes: AttributeMap, type: QueueType): AttributeMap {
  for (const [name, value] of Object.entries(changes)) {
    if (isFifoAttribute(name)) checkFifo(name, value, type);
    else if (isNumberAttribute(name)) checkNumber(name, value);
    else if (!OTHER_ATTRIBUTES.includes(name)) throw unknownAttribute(name);
  }
  if (changes['SqsManagedSseEnabled'] !== undefined) checkManagedEncryption(changes);
  if ((changes['KmsMasterKeyId']?.length ?? 0) > MAX_KEY_ID_LENGTH) throw invalidAttribute('KmsMasterKeyId');
  const { redrivePolicy, redriveAllowPolicy } = settingsOf(changes);
  return {
    ...changes,
    ...(redrivePolicy && { RedrivePolicy: JSON.stringify(redrivePolicy) }),
    ...(redriveAllowPolicy && { RedriveAllowPolicy: JSON.stringify(redriveAllowPolicy) }),
  };
}

/** @throws AwsError when attributes do not go together, in AWS's words */
export function checkTogether(attributes: AttributeMap): void {
  const isHighThroughput = attributes['FifoThroughputLimit'] === 'perMessageGroupId';
  if (isHighThroughput && attributes['DeduplicationScope'] !== 'messageGroup') {
    const rule = 'To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup.';
    throw invalidAttribute('FifoThroughputLimit', `Reason: ${rule}`);
  }
}

export function unknownAttribute(name: string): AwsError {
  return new AwsError('InvalidAttributeName', unknown(name));
}

/** @param why what follows AWS's own sentence */
function invalidAttribute(name: string, why?: string): AwsError {
  const text = `Invalid value for the parameter ${name}.`;
  return new AwsError('InvalidAttributeValue', why === undefined ? text : `${text} ${why}`);
}

/** What the attributes say, with AWS's defaults for what they leave out. */
export function settingsOf(attributes: AttributeMap): QueueSettings {
  const policy = attributes['Policy'];
  const number = (name: NumberAttribute): number => Number(attributes[name] ?? NUMBER_ATTRIBUTES[name].byDefault);
  return {
    delaySeconds: number('DelaySeconds'),
    maximumMessageBytes: number('MaximumMessageSize'),
    retentionSeconds: number('MessageRetentionPeriod'),
    receiveWaitSeconds: number('ReceiveMessageWaitTimeSeconds'),
    visibilityTimeoutSeconds: number('VisibilityTimeout'),
    kmsMasterKeyId: attributes['KmsMasterKeyId'] || undefined,
    policy: policy
      ? readPolicyText(policy, 'resource', problem => invalidAttribute('Policy', problem && `(${problem})`))
      : undefined,
    redrivePolicy: readRedrivePolicy(attributes['RedrivePolicy']),
    redriveAllowPolicy: readRedriveAllowPolicy(attributes['RedriveAllowPolicy']),
    fifo: typeOf(attributes) === 'FIFO' ? fifoSettingsOf(attributes) : undefined,
  };
}

function fifoSettingsOf(attributes: AttributeMap): FifoSettings {
  return {
    contentBasedDeduplication: attributes['ContentBasedDeduplication'] === 'true',
    deduplicationScope: attributes['DeduplicationScope'] === 'messageGroup' ? 'messageGroup' : 'queue',
  };
}

function checkFifo(name: FifoAttribute, value: string, type: QueueType): void {
  const { values, refused } = FIFO_ATTRIBUTES[name];
  if (type === 'standard') throw new AwsError('InvalidAttributeName', refused(name));
  const allowed: readonly string[] = values;
  if (!allowed.includes(value)) throw invalidAttribute(name);
  if (name === 'FifoQueue' && value === 'false') {
    throw invalidAttribute(name, 'Reason: Modifying queue type is not supported.');
  }
}

function checkNumber(name: NumberAttribute, value: string): void {
  const { min, max } = NUMBER_ATTRIBUTES[name];
  const number = DIGITS.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw invalidAttribute(name);
}

function checkManagedEncryption(changes: AttributeMap): void {
  const value = changes['SqsManagedSseEnabled'];
  if (value !== 'true' && value !== 'false') throw invalidAttribute('SqsManagedSseEnabled');
  if (value === 'true' && changes['KmsMasterKeyId']) {
    // The code is recorded, name and all.
    throw new AwsError(
      'InvalidAttributeName',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  }
}

/**
 * The tags of a queue. On record are the texts for too many tags and for a key of the wrong length; the others are ours.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html
 */
export function queueTags(queueName: string): TagRules {
  return { restrictsCharacters: true, refuse: breaches => refuse(breaches, queueName) };
}

/** @throws AwsError when no tag can have the key */
export function checkTagKey(key: string): void {
  const breaches = keyBreaches(key);
  if (breaches.length > 0) throw refuse(breaches);
}

/** SQS tells the first rule that is broken. */
function refuse([first]: readonly TagBreach[], queueName = ''): AwsError {
  if (!first || first.rule === 'most') return invalidParameterValue(`Too many tags added for queue ${queueName}.`);
  return invalidParameterValue(TAG_RULES[first.rule](first.text));
}
