import type { ResourceType } from '../../cloudformation/resource-type';
import type { Sns } from '../sns';
import { subscriptionResource } from './subscription';
import { topicResource } from './topic';
import { topicInlinePolicyResource, topicPolicyResource } from './topic-policy';

/** The CloudFormation resource types of SNS. */
export function snsResourceTypes(sns: Sns): readonly ResourceType[] {
  return [topicResource(sns), subscriptionResource(sns), topicPolicyResource(sns), topicInlinePolicyResource(sns)];
}
