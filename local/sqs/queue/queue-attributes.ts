import { QUEUE_LIMITS } from '../../../policy/aws-limits';
import type { PolicyDocument } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import { keyBreaches, TAG_RULES, type TagBreach, type TagRules } from '../../kernel/tags';
import { readPolicyText } from '../../policy-document/policy';
import { invalidParameterValue } from '../errors';
import { checkPolicyLimits, MAX_KEY_ID_LENGTH } from '../limits';
import {
  type RedriveAllowPolicy,
  type RedrivePolicy,
  readRedriveAllowPolicy,
  readRedrivePolicy,
} from './redrive-policy';

export type AttributeMap = Readonly<Record<string, string>>;

export type DeduplicationScope = 'queue' | 'messageGroup';

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
 * The attributes that only FIFO queues have, with their values (the default first) and the recorded error of a standard
 * queue.
 * On AWS a FIFO queue accepts 300 calls of each action per second, or more with `perMessageGroupId`, and refuses others
 * with `ThrottlingException`. The simulation refuses none. Virtual time stands still while work runs, so calls that AWS
 * would spread over seconds happen at one instant. A scenario that tests throttling sets a fault.
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/troubleshooting-fifo-throttling-issues.html
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

export interface FifoSettings {
  /** Whether a message without a deduplication id gets the SHA-256 digest of its body as one. */
  readonly contentBasedDeduplication: boolean;
  readonly deduplicationScope: DeduplicationScope;
}

export interface QueueSettings {
  readonly delaySeconds: number;
  readonly maximumMessageBytes: number;
  readonly retentionSeconds: number;
  readonly receiveWaitSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly kmsMasterKeyId: string | undefined;
  readonly policy: PolicyDocument | undefined;
  readonly redrivePolicy: RedrivePolicy | undefined;
  readonly redriveAllowPolicy: RedriveAllowPolicy | undefined;
  readonly fifo: FifoSettings | undefined;
}

const isNumberAttribute = (name: string): name is NumberAttribute => Object.hasOwn(NUMBER_ATTRIBUTES, name);
const isFifoAttribute = (name: string): name is FifoAttribute => Object.hasOwn(FIFO_ATTRIBUTES, name);

export function isAttributeName(name: string, type: QueueType): boolean {
  return isNumberAttribute(name) || OTHER_ATTRIBUTES.includes(name) || (type === 'FIFO' && isFifoAttribute(name));
}

export function typeOf(attributes: AttributeMap): QueueType {
  return attributes['FifoQueue'] === 'true' ? 'FIFO' : 'standard';
}

/**
 * Returns attributes in the form in which SQS shows them. Recorded: AWS accepts `True` for `true`.
 * **Assumption SQS-1:** SQS shows `true`, and numbers without leading zeros.
 */
export function normalized(attributes: AttributeMap): AttributeMap {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, canonical(name, value)]));
}

function canonical(name: string, value: string): string {
  if (BOOLEANS.includes(name)) return value.toLowerCase();
  return isNumberAttribute(name) && DIGITS.test(value) ? String(Number(value)) : value;
}

/** Returns the attributes after `changes`. An empty text removes an attribute. */
export function changed(attributes: AttributeMap, changes: AttributeMap): AttributeMap {
  const result = new Map(Object.entries(attributes));
  for (const [name, value] of Object.entries(changes)) {
    if (value === '' && !isNumberAttribute(name)) result.delete(name);
    else result.set(name, value);
  }
  // Recorded: it stays `false` when the key is removed again.
  if (changes['KmsMasterKeyId']) result.set('SqsManagedSseEnabled', 'false');
  if (changes['SqsManagedSseEnabled'] === 'true') result.delete('KmsMasterKeyId');
  return Object.fromEntries(result);
}

/**
 * @param type of the queue
 * @returns the attributes as SQS shows them. **Assumption SQS-2:** A redrive policy and a redrive-allow policy are
 * shown in normalized form, with `maxReceiveCount` as a number
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

/** @param why follows AWS's own sentence */
function invalidAttribute(name: string, why?: string): AwsError {
  const text = `Invalid value for the parameter ${name}.`;
  return new AwsError('InvalidAttributeValue', why === undefined ? text : `${text} ${why}`);
}

/** Returns the settings, with the defaults of AWS for missing attributes. */
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
    policy: policy ? readQueuePolicy(policy) : undefined,
    redrivePolicy: readRedrivePolicy(attributes['RedrivePolicy']),
    redriveAllowPolicy: readRedriveAllowPolicy(attributes['RedriveAllowPolicy']),
    fifo: typeOf(attributes) === 'FIFO' ? fifoSettingsOf(attributes) : undefined,
  };
}

/** @throws AwsError for a policy that cannot be used, or that is larger than SQS accepts */
function readQueuePolicy(text: string): PolicyDocument {
  const policy = readPolicyText(text, 'resource', problem => invalidAttribute('Policy', problem && `(${problem})`));
  checkPolicyLimits(text, policy);
  return policy;
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
    // The code is recorded, including its prefix.
    throw new AwsError(
      'InvalidAttributeName',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  }
}

/**
 * The tags of a queue. The texts for too many tags and for a key of the wrong length are recorded.
 * **Assumption SQS-5:** AWS does not publish this text in the other cases.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html
 */
export function queueTags(queueName: string): TagRules {
  return { restrictsCharacters: true, refuse: breaches => refuse(breaches, queueName) };
}

export function checkTagKey(key: string): void {
  const breaches = keyBreaches(key);
  if (breaches.length > 0) throw refuse(breaches);
}

/** SQS reports the first broken rule. */
function refuse([first]: readonly TagBreach[], queueName = ''): AwsError {
  if (!first || first.rule === 'most') return invalidParameterValue(`Too many tags added for queue ${queueName}.`);
  return invalidParameterValue(TAG_RULES[first.rule](first.text));
}
