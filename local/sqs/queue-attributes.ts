import { readPolicyText } from '../iam/policy';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { unsupported } from './errors';
import { MAX_MESSAGE_BYTES, MAX_VISIBILITY_SECONDS } from './limits';
import { type RedriveAllowPolicy, type RedrivePolicy, readRedriveAllowPolicy, readRedrivePolicy } from './redrive';

/** The attributes of a queue as its owner set them, by AWS's names. */
export type AttributeMap = Readonly<Record<string, string>>;

/**
 * The attributes that are whole numbers.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export const NUMBER_ATTRIBUTES = {
  DelaySeconds: { min: 0, max: 900, byDefault: 0 },
  MaximumMessageSize: { min: 1024, max: MAX_MESSAGE_BYTES, byDefault: MAX_MESSAGE_BYTES },
  MessageRetentionPeriod: { min: 60, max: 1_209_600, byDefault: 345_600 },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: 20, byDefault: 0 },
  VisibilityTimeout: { min: 0, max: MAX_VISIBILITY_SECONDS, byDefault: 30 },
  KmsDataKeyReusePeriodSeconds: { min: 60, max: 86_400, byDefault: 300 },
} as const;

const OTHER_ATTRIBUTES = ['Policy', 'RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'SqsManagedSseEnabled'];
const FIFO_ATTRIBUTES = ['FifoQueue', 'ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit'];

type NumberAttribute = keyof typeof NUMBER_ATTRIBUTES;

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
}

const isNumberAttribute = (name: string): name is NumberAttribute => Object.hasOwn(NUMBER_ATTRIBUTES, name);

/** Can an owner set an attribute of this name, on a queue of any kind? */
export function isAttributeName(name: string): boolean {
  return isNumberAttribute(name) || OTHER_ATTRIBUTES.includes(name) || FIFO_ATTRIBUTES.includes(name);
}

/** The attributes after `changes`: an empty text takes an attribute away. */
export function changed(attributes: AttributeMap, changes: AttributeMap): AttributeMap {
  const result = new Map(Object.entries(attributes));
  for (const [name, value] of Object.entries(changes)) {
    if (value === '' && !isNumberAttribute(name)) result.delete(name);
    else result.set(name, value);
  }
  if (changes['KmsMasterKeyId']) result.delete('SqsManagedSseEnabled');
  if (changes['SqsManagedSseEnabled'] === 'true') result.delete('KmsMasterKeyId');
  return Object.fromEntries(result);
}

/** @throws AwsError the first attribute AWS would refuse, in its words */
export function checkAttributes(changes: AttributeMap): void {
  for (const [name, value] of Object.entries(changes)) {
    if (FIFO_ATTRIBUTES.includes(name)) checkFifo(name, value);
    else if (isNumberAttribute(name)) checkNumber(name, value);
    else if (!OTHER_ATTRIBUTES.includes(name)) throw new AwsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  }
  if (changes['SqsManagedSseEnabled'] !== undefined) checkManagedEncryption(changes);
  settingsOf(changes);
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
    policy: policy ? readPolicyText(policy, 'resource', problem => invalidAttribute('Policy', problem)) : undefined,
    redrivePolicy: readRedrivePolicy(attributes['RedrivePolicy']),
    redriveAllowPolicy: readRedriveAllowPolicy(attributes['RedriveAllowPolicy']),
  };
}

function checkFifo(name: string, value: string): void {
  if (name === 'FifoQueue' && value === 'false') return;
  throw unsupported(`FIFO queues yet (attribute ${name})`);
}

function checkNumber(name: NumberAttribute, value: string): void {
  const { min, max } = NUMBER_ATTRIBUTES[name];
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw invalidAttribute(name);
}

function checkManagedEncryption(changes: AttributeMap): void {
  const value = changes['SqsManagedSseEnabled'];
  if (value !== 'true' && value !== 'false') throw invalidAttribute('SqsManagedSseEnabled');
  if (value === 'true' && changes['KmsMasterKeyId']) {
    throw new AwsError(
      'InvalidAttributeValue',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  }
}

/** Refuses a policy that cannot be evaluated, rather than to decide by half of it. */
/** @param why in our own words, where there is more to say than AWS says */
function invalidAttribute(name: string, why?: string): AwsError {
  const text = `Invalid value for the parameter ${name}.`;
  return new AwsError('InvalidAttributeValue', why === undefined ? text : `${text} (${why})`);
}
