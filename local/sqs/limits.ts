import { IN_FLIGHT_MARKS, MOVE_TASK_LIMITS, QUEUE_LIMITS } from '../../policy/aws-limits';
import { type PolicyExcess, policyExcesses, RESOURCE_POLICY_LIMITS } from '../../policy/resource-policy';
import { HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';

/**
 * Quotas of SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */

/** In-flight messages of one queue: received and not yet deleted. */
export const MAX_IN_FLIGHT: number = IN_FLIGHT_MARKS.limit;

/** Size of one message with its attributes, and of one batch: 1 MiB. */
export const MAX_MESSAGE_BYTES = QUEUE_LIMITS.messageBytes.max;

/** 12 hours from the receive, including all extensions. */
export const MAX_VISIBILITY_SECONDS = QUEUE_LIMITS.visibilityTimeoutSeconds.max;

/** A queue is active, and its gauges are measured, for this long after the last call. */
export const ACTIVE_FOR_MS = 6 * HOUR_MS;

/** Minimum time between two purges of a queue, and between deleting a queue and creating one with the same name. */
export const COOL_DOWN_MS = MINUTE_MS;

/** Active message move tasks of one account. */
export const MAX_ACTIVE_MOVE_TASKS = 100;

/** The highest rate of a message move task. */
export const MAX_MOVES_PER_SECOND = MOVE_TASK_LIMITS.messagesPerSecond.max;

/** Maximum duration of a message move task. */
export const MAX_MOVE_TASK_MS = MOVE_TASK_LIMITS.durationSeconds * 1_000;

export const MAX_PERMITTED_ACTIONS = RESOURCE_POLICY_LIMITS.queue.actions;

/**
 * The recorded texts of a policy that is too large. **Assumption SQS-21:** AWS does not publish those for principals
 * and conditions. A policy with 51 principals, and one with 11 conditions, would settle it.
 */
const POLICY_EXCESSES: Readonly<Record<PolicyExcess['what'], (excess: PolicyExcess) => string>> = {
  statements: ({ count, limit }) => `${count} statements were found in the submitted policy, max allowed is ${limit}`,
  actions: ({ count, limit }) =>
    `${count} actions were found in a statement from the submitted policy, max allowed is ${limit}`,
  principals: ({ count, limit }) =>
    `${count} principals were found in a statement from the submitted policy, max allowed is ${limit}`,
  conditions: ({ count, limit }) =>
    `${count} conditions were found in a statement from the submitted policy, max allowed is ${limit}`,
  bytes: () => 'Submitted policy is over max allowed size.',
};

/**
 * Refuses a policy that is larger than SQS accepts. **Assumption SQS-22:** AWS does not publish which limit it checks
 * first, or whether spaces between the elements count. Here the statements come first, and spaces count. A policy of
 * 8,193 bytes with indentation would settle it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
 */
export function checkPolicyLimits(text: string, policy: PolicyDocument): void {
  const [excess] = policyExcesses('queue', policy, Buffer.byteLength(text));
  if (excess) throw new AwsError('OverLimit', POLICY_EXCESSES[excess.what](excess), 403);
}

/**
 * Characters of a key id, key ARN, alias or alias ARN.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
 */
export const MAX_KEY_ID_LENGTH = 2048;
