import type { IAM } from '@aws-sdk/client-iam';
import type { SdkActions } from '../../kernel/service-api';
import { getUser, listAccountAliases } from './account';
import { createPolicy, getPolicy, getPolicyVersion, listPolicies } from './policies';
import * as roles from './roles';
import { simulatePrincipalPolicy } from './simulate-principal-policy';

/**
 * The API actions of IAM that the embedded AWS implements, on roles and their policies. Users and groups are not
 * simulated.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_Operations.html
 */
export const IAM_ACTIONS = {
  AttachRolePolicy: roles.attachRolePolicy,
  CreatePolicy: createPolicy,
  CreateRole: roles.createRole,
  DeleteRole: roles.deleteRole,
  DeleteRolePolicy: roles.deleteRolePolicy,
  DetachRolePolicy: roles.detachRolePolicy,
  GetPolicy: getPolicy,
  GetPolicyVersion: getPolicyVersion,
  GetRole: roles.getRole,
  GetRolePolicy: roles.getRolePolicy,
  GetUser: getUser,
  ListAccountAliases: listAccountAliases,
  ListAttachedRolePolicies: roles.listAttachedRolePolicies,
  ListPolicies: listPolicies,
  ListRolePolicies: roles.listRolePolicies,
  ListRoles: roles.listRoles,
  ListRoleTags: roles.listRoleTags,
  PutRolePolicy: roles.putRolePolicy,
  SimulatePrincipalPolicy: simulatePrincipalPolicy,
  TagRole: roles.tagRole,
  UntagRole: roles.untagRole,
  UpdateAssumeRolePolicy: roles.updateAssumeRolePolicy,
};

export type IamActionName = keyof typeof IAM_ACTIONS;

/** The signatures of the implemented actions. */
export type IamActions = SdkActions<IAM, IamActionName>;
