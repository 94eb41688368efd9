import type { RedriveQueue } from '../../../diagnosis/manual-redrive/hand-facts';
import { parseObject } from '../../../policy/members';
import { depthsIn } from '../letters/each-letter';
import type { NamedQueue } from '../the-queue';

/** A queue as a plan reads it, from all that SQS tells of it. */
export function handQueueOf({ url, arn, name, isFifo, attributes }: NamedQueue): RedriveQueue {
  const { deadLetterTargetArn, maxReceiveCount } = parseObject(attributes['RedrivePolicy']) ?? {};
  const { KmsMasterKeyId: keyId } = attributes;
  return {
    url,
    arn,
    name,
    isFifo,
    depth: depthsIn(attributes),
    retentionSeconds: Number(attributes['MessageRetentionPeriod']),
    visibilityTimeoutSeconds: Number(attributes['VisibilityTimeout']),
    maximumMessageBytes: Number(attributes['MaximumMessageSize']),
    ...(typeof deadLetterTargetArn === 'string' && { deadLetterTargetArn }),
    ...(maxReceiveCount !== undefined && { maxReceiveCount: Number(maxReceiveCount) }),
    ...(keyId !== undefined && { keyId }),
  };
}
