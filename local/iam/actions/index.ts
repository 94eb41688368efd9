import type { ServiceActions } from '../../kernel/front-door';
import type { IamActions } from '../iam-actions';
import { getUser } from './get-user';
import type { IamState } from './iam-action';
import { listAccountAliases } from './list-account-aliases';
import { createPolicy, getPolicy, getPolicyVersion, listPolicies } from './policies';
import * as rolePolicies from './role-policies';
import * as roles from './roles';
import { simulatePrincipalPolicy } from './simulate-principal-policy';

/** Every API action by its name. */
export const IAM_ACTIONS: ServiceActions<IamState, IamActions> = {
  AttachRolePolicy: rolePolicies.attachRolePolicy,
  CreatePolicy: createPolicy,
  CreateRole: roles.createRole,
  DeleteRole: roles.deleteRole,
  DeleteRolePolicy: rolePolicies.deleteRolePolicy,
  DetachRolePolicy: rolePolicies.detachRolePolicy,
  GetPolicy: getPolicy,
  GetPolicyVersion: getPolicyVersion,
  GetRole: roles.getRole,
  GetRolePolicy: rolePolicies.getRolePolicy,
  GetUser: getUser,
  ListAccountAliases: listAccountAliases,
  ListAttachedRolePolicies: rolePolicies.listAttachedRolePolicies,
  ListPolicies: listPolicies,
  ListRolePolicies: rolePolicies.listRolePolicies,
  ListRoles: roles.listRoles,
  ListRoleTags: roles.listRoleTags,
  PutRolePolicy: rolePolicies.putRolePolicy,
  SimulatePrincipalPolicy: simulatePrincipalPolicy,
  TagRole: roles.tagRole,
  UntagRole: roles.untagRole,
  UpdateAssumeRolePolicy: roles.updateAssumeRolePolicy,
};
