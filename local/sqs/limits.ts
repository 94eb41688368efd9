import { QUEUE_LIMITS } from '../../policy/aws-limits';

/**
 * Quotas of SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */

/** Messages of one queue that may be received and not yet deleted. */
export const MAX_IN_FLIGHT = 120_000;

/** One message with its attributes, and one batch in all: 1 MiB. */
export const MAX_MESSAGE_BYTES = QUEUE_LIMITS.messageBytes.max;

export const MAX_BATCH_ENTRIES = 10;

export const MAX_MESSAGE_ATTRIBUTES = 10;

/** 12 hours, from the receive on, however often it is extended. */
export const MAX_VISIBILITY_SECONDS = QUEUE_LIMITS.visibilityTimeoutSeconds.max;

/** A queue counts as active, and its gauges are sampled, for so long after the last call. */
export const ACTIVE_FOR_MS = 6 * 3_600_000;

/** Between two purges of one queue, and between deleting a queue and creating one of the same name. */
export const COOL_DOWN_MS = 60_000;

/** Message move tasks of one account that may be active at a time. */
export const MAX_ACTIVE_MOVE_TASKS = 100;

/** The highest rate of a message move task. */
export const MAX_MOVES_PER_SECOND = 500;

/** A message move task runs for so long at most. */
export const MAX_MOVE_TASK_MS = 36 * 3_600_000;

/** Actions that one permission may grant. */
export const MAX_PERMITTED_ACTIONS = 7;

/**
 * Characters of a key's id, ARN, alias or alias ARN.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
 */
export const MAX_KEY_ID_LENGTH = 2048;
