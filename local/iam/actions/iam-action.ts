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
import { AwsError } from '../../kernel/aws-error';
import { pageOf } from '../../kernel/page';
import { arnIn, type Place } from '../../kernel/place';
import {
  type Action,
  type InputOf,
  MissingResource,
  type OutputOf,
  type Resource,
  type ServiceAction,
} from '../../kernel/service-api';
import type { Iam } from '../iam';
import type { Role } from '../role';

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

/** What the actions of IAM work on. */
export interface IamState {
  readonly place: Place;
  readonly iam: Iam;
}

/** One API action: who may call it, what it is about, and what it does. */
export type IamAction<Name extends IamActionName, Target extends Resource = Resource> = ServiceAction<
  IamState,
  InputOf<IamActions[Name]>,
  OutputOf<IamActions[Name]>,
  Target
>;

export interface RoleTarget extends Resource {
  readonly role: Role;
}

/** An action on one role that is there. */
export function onRole<Name extends IamActionName>(
  name: Name,
  run: (state: IamState, role: Role, input: InputOf<IamActions[Name]>) => OutputOf<IamActions[Name]>,
): ServiceAction<
  IamState,
  InputOf<IamActions[Name]> & { readonly RoleName: string | undefined },
  OutputOf<IamActions[Name]>,
  RoleTarget
> {
  return {
    permission: `iam:${name}`,
    resourceOf: ({ iam, place }, { RoleName = '' }) => {
      const role = iam.allRoles().find(it => it.name === RoleName);
      if (role) return { arn: role.arn, role };
      return new MissingResource(
        iamArn(place, `role/${RoleName}`),
        noSuchEntity(`The role with name ${RoleName} cannot be found.`),
      );
    },
    run: (state, { input }, { role }) => run(state, role, input),
  };
}

export function iamArn(place: Place, resource: string): string {
  return arnIn({ ...place, region: '' }, 'iam', resource);
}

export function noSuchEntity(text: string): AwsError {
  return new AwsError('NoSuchEntity', text, 404);
}

/** Policies come and go on this wire as RFC 3986 has them. */
export function encodedPolicy(document: unknown): string {
  return encodeURIComponent(JSON.stringify(document)).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const PAGE_SIZE = 100;
const MOST = 1000;

/** A page as IAM words it: `IsTruncated`, and a marker where there is more. */
export function iamPage<Item>(
  all: readonly Item[],
  { MaxItems: size = PAGE_SIZE, Marker }: { MaxItems?: number | undefined; Marker?: string | undefined },
): { readonly items: Item[]; readonly more: { readonly IsTruncated: boolean; readonly Marker?: string } } {
  if (!(Number.isInteger(size) && size >= 1 && size <= MOST)) {
    throw new AwsError('ValidationError', `MaxItems must be a whole number from 1 to ${MOST}, got ${size}`);
  }
  const { items, nextToken } = pageOf(all, size, Marker, () => new AwsError('ValidationError', 'Invalid Marker.'));
  return {
    items,
    more: { IsTruncated: nextToken !== undefined, ...(nextToken !== undefined && { Marker: nextToken }) },
  };
}

/** @throws AwsError `MalformedPolicyDocument` */
export function malformedPolicy(problem = 'This policy contains invalid Json'): AwsError {
  return new AwsError('MalformedPolicyDocument', problem);
}
