import type {
  AttachRolePolicyRequest,
  CreatePolicyRequest,
  CreatePolicyResponse,
  CreateRoleRequest,
  CreateRoleResponse,
  DeleteRolePolicyRequest,
  DeleteRoleRequest,
  DetachRolePolicyRequest,
  GetPolicyRequest,
  GetPolicyResponse,
  GetPolicyVersionRequest,
  GetPolicyVersionResponse,
  GetRolePolicyRequest,
  GetRolePolicyResponse,
  GetRoleRequest,
  GetRoleResponse,
  GetUserRequest,
  GetUserResponse,
  ListAccountAliasesRequest,
  ListAccountAliasesResponse,
  ListAttachedRolePoliciesRequest,
  ListAttachedRolePoliciesResponse,
  ListPoliciesRequest,
  ListPoliciesResponse,
  ListRolePoliciesRequest,
  ListRolePoliciesResponse,
  ListRolesRequest,
  ListRolesResponse,
  ListRoleTagsRequest,
  ListRoleTagsResponse,
  PutRolePolicyRequest,
  SimulatePolicyResponse,
  SimulatePrincipalPolicyRequest,
  TagRoleRequest,
  UntagRoleRequest,
  UpdateAssumeRolePolicyRequest,
} from '@aws-sdk/client-iam';
import type { Action } from '../kernel/api';

/** The actions of IAM, by AWS's names: those on roles and their policies. There are no users and no groups here. */
export type IamActions = {
  readonly AttachRolePolicy: Action<AttachRolePolicyRequest, void>;
  readonly CreatePolicy: Action<CreatePolicyRequest, CreatePolicyResponse>;
  readonly CreateRole: Action<CreateRoleRequest, CreateRoleResponse>;
  readonly DeleteRole: Action<DeleteRoleRequest, void>;
  readonly DeleteRolePolicy: Action<DeleteRolePolicyRequest, void>;
  readonly DetachRolePolicy: Action<DetachRolePolicyRequest, void>;
  readonly GetPolicy: Action<GetPolicyRequest, GetPolicyResponse>;
  readonly GetPolicyVersion: Action<GetPolicyVersionRequest, GetPolicyVersionResponse>;
  readonly GetRole: Action<GetRoleRequest, GetRoleResponse>;
  readonly GetRolePolicy: Action<GetRolePolicyRequest, GetRolePolicyResponse>;
  readonly GetUser: Action<GetUserRequest, GetUserResponse>;
  readonly ListAccountAliases: Action<ListAccountAliasesRequest, ListAccountAliasesResponse>;
  readonly ListAttachedRolePolicies: Action<ListAttachedRolePoliciesRequest, ListAttachedRolePoliciesResponse>;
  readonly ListPolicies: Action<ListPoliciesRequest, ListPoliciesResponse>;
  readonly ListRolePolicies: Action<ListRolePoliciesRequest, ListRolePoliciesResponse>;
  readonly ListRoles: Action<ListRolesRequest, ListRolesResponse>;
  readonly ListRoleTags: Action<ListRoleTagsRequest, ListRoleTagsResponse>;
  readonly PutRolePolicy: Action<PutRolePolicyRequest, void>;
  readonly SimulatePrincipalPolicy: Action<SimulatePrincipalPolicyRequest, SimulatePolicyResponse>;
  readonly TagRole: Action<TagRoleRequest, void>;
  readonly UntagRole: Action<UntagRoleRequest, void>;
  readonly UpdateAssumeRolePolicy: Action<UpdateAssumeRolePolicyRequest, void>;
};

export type IamActionName = keyof IamActions;
