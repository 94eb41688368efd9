import type { ResourceType } from '../../cloudformation/resource-type';
import type { Sqs } from '../sqs';
import { queueResourceType } from './queue';
import { queueInlinePolicyResourceType } from './queue-inline-policy';
import { queuePolicyResourceType } from './queue-policy';

/** The CloudFormation resource types of SQS. */
export function sqsResourceTypes(sqs: Sqs): readonly ResourceType[] {
  return [queueResourceType(sqs), queuePolicyResourceType(sqs), queueInlinePolicyResourceType(sqs)];
}
