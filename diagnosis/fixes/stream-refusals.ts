import { isKnown, knownValue } from '../../template/maybe-known';
import type { Inventory, StreamFacts } from '../inventory/inventory';
import { keyOf } from '../inventory/look-ups';
import { enableKey } from './change-settings';
import type { Fix } from './fix';

/** Why a Firehose stream takes no record of SNS, whatever the role may do. */
export interface StreamRefusal {
  /** What Firehose answers. */
  readonly code: 'InvalidArgumentException' | 'InvalidKMSResourceException' | 'ResourceNotFoundException';
  /** Continues the name of the stream. */
  readonly says: string;
  readonly fix: Fix;
  /** Whether it ends by itself. */
  readonly isBriefly?: boolean;
}

const AGAIN = 'delete it, deploy it again under the same name, and then redrive the messages';

/** How to have an active stream again, by what its status is. @see `DeliveryStreamStatus`, in Firehose's API reference */
const REMEDIES: Readonly<Record<string, string>> = {
  CREATING: 'Wait until it is active, then redrive the messages.',
  CREATING_FAILED: `It never becomes active. Look up its FailureDescription (aws firehose describe-delivery-stream), ${AGAIN}.`,
  DELETING: 'Deploy it again under the same name, or unsubscribe it; then redrive the messages.',
  DELETING_FAILED: `Look up its FailureDescription (aws firehose describe-delivery-stream), ${AGAIN}.`,
};

/**
 * What the state of a stream says about its records; undefined if it takes them, as far as that is known.
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_CreateDeliveryStream.html
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecord.html
 */
export function streamRefusal(stream: StreamFacts, inventory: Inventory): StreamRefusal | undefined {
  const { status, type, keyId } = stream;
  if (isKnown(type) && type !== 'DirectPut') {
    return {
      code: 'InvalidArgumentException',
      says: `has a source of its own (${type}), and takes no records from SNS`,
      fix: { says: 'Subscribe a stream whose source is Direct PUT, or publish to its source.' },
    };
  }
  const remedy = isKnown(status) && Object.hasOwn(REMEDIES, status) ? REMEDIES[status] : undefined;
  if (remedy !== undefined) {
    return {
      code: 'ResourceNotFoundException',
      says: `is not active: its status is ${knownValue(status)}`,
      fix: { says: remedy },
      isBriefly: status === 'CREATING',
    };
  }
  const key = keyOf(knownValue(keyId), inventory, stream);
  if (key?.isEnabled !== false) return undefined;
  return {
    code: 'InvalidKMSResourceException',
    says: `is encrypted with the key ${key.name}, which is not enabled${key.state === undefined ? '' : ` (${key.state})`}`,
    fix: { says: enableKey(key).says },
  };
}
