import type { HandQueue } from '../../../diagnosis/manual-redrive/hand-facts';
import { objectOf } from '../../../policy/members';
import { depthsIn } from '../letters/each-letter';
import type { TheQueue } from '../the-queue';

/** A queue as a plan reads it, from all that SQS tells of it. */
export function handQueueOf({ url, arn, name, isFifo, attributes }: TheQueue): HandQueue {
  const { deadLetterTargetArn, maxReceiveCount } = objectOf(attributes['RedrivePolicy']) ?? {};
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
