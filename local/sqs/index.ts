import type { ResourceType } from '../cloudformation/resource-type';
import { queueResourceType } from './resources/queue';
import { queueInlinePolicyResourceType, queuePolicyResourceType } from './resources/queue-policy';
import type { Sqs } from './sqs';

export type { SqsActions } from './actions';
export { Sqs } from './sqs';
export type { SqsTraceEvent } from './trace-events';

/** The CloudFormation resource types of SQS. */
export function sqsResourceTypes(sqs: Sqs): readonly ResourceType[] {
  return [queueResourceType(sqs), queuePolicyResourceType(sqs), queueInlinePolicyResourceType(sqs)];
}
