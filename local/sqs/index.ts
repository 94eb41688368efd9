import type { ResourceType } from '../cloudformation/resource-type';
import { queueInlinePolicyResourceType, queuePolicyResourceType, queueResourceType } from './resources';
import type { Sqs } from './sqs';

export type { SqsActions } from './actions';
export { Sqs } from './sqs';
export type { SqsTraceEvent } from './trace-events';

export function sqsResourceTypes(sqs: Sqs): readonly ResourceType[] {
  return [queueResourceType(sqs), queuePolicyResourceType(sqs), queueInlinePolicyResourceType(sqs)];
}
