import type { Caller } from '../kernel/caller';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  type ServiceActions,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';
import { getUser, listAccountAliases } from './actions/account';
import type { IamActionName, IamActions, IamState } from './actions/iam-action';
import { createPolicy, getPolicy, getPolicyVersion, listPolicies } from './actions/policies';
import * as rolePolicies from './actions/roles';
import * as roles from './actions/roles';
import { simulatePrincipalPolicy } from './actions/simulate-principal-policy';
import type { Iam } from './iam';
import type { IamTraceEvent } from './trace-events';

type IamApiContext = Pick<ServiceContext<IamTraceEvent>, 'place' | 'access' | 'faults' | 'trace'>;

/**
 * The API of IAM for clients. The services of the embedded AWS use `Iam` directly, so faults do not affect their
 * decisions.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/welcome.html
 */
export class IamApi implements Api<IamActions> {
  private readonly api: ServiceApi<IamState, IamActions>;

  constructor(context: IamApiContext, iam: Iam) {
    const { place } = context;
    const checks = new RequestChecks('iam', context, accessDenied(place, 'AccessDenied', 403));
    this.api = new ServiceApi(checks, IAM_ACTIONS, { place, iam });
  }

  call<Name extends IamActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<IamActions[Name]>,
  ): OutputOf<IamActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }
}

/** Every API action by its name. */
const IAM_ACTIONS: ServiceActions<IamState, IamActions> = {
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
