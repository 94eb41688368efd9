import type { ResourceType } from '../../cloudformation/resource-type';
import type { Iam } from '../iam';
import { managedPolicyResource } from './managed-policy';
import { policyResource } from './policy';
import { roleResource } from './role';

/** Every resource type of IAM. */
export function iamResourceTypes(iam: Iam): ResourceType[] {
  return [roleResource(iam), policyResource(iam), managedPolicyResource(iam)];
}
