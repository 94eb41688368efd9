import { IN_FLIGHT_MARKS, QUEUE_LIMITS } from '../../policy/aws-limits';

/**
 * Quotas of SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */

/** In-flight messages of one queue: received and not yet deleted. */
export const MAX_IN_FLIGHT: number = IN_FLIGHT_MARKS.limit;

/** Size of one message with its attributes, and of one batch: 1 MiB. */
export const MAX_MESSAGE_BYTES = QUEUE_LIMITS.messageBytes.max;

export const MAX_BATCH_ENTRIES = 10;

export const MAX_MESSAGE_ATTRIBUTES = 10;

/** 12 hours from the receive, including all extensions. */
export const MAX_VISIBILITY_SECONDS = QUEUE_LIMITS.visibilityTimeoutSeconds.max;

/** A queue is active, and its gauges are measured, for this long after the last call. */
export const ACTIVE_FOR_MS = 6 * 3_600_000;

/** Minimum time between two purges of a queue, and between deleting a queue and creating one with the same name. */
export const COOL_DOWN_MS = 60_000;

/** Active message move tasks of one account. */
export const MAX_ACTIVE_MOVE_TASKS = 100;

/** The highest rate of a message move task. */
export const MAX_MOVES_PER_SECOND = 500;

/** Maximum duration of a message move task. */
export const MAX_MOVE_TASK_MS = 36 * 3_600_000;

/** Actions in one permission. */
export const MAX_PERMITTED_ACTIONS = 7;

/**
 * Characters of a key id, key ARN, alias or alias ARN.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
 */
export const MAX_KEY_ID_LENGTH = 2048;
