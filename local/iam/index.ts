import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import type { ResourceType } from '../cloudformation/resource-type';
import type { PolicyDocument } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';
import { requiredPolicyProperty } from '../policy-document';
import { IAM_ACTIONS, type IamActionName, type IamActions } from './actions';
import type { IamState } from './actions/iam-action';
import type { Iam } from './iam';
import type { IamTraceEvent } from './trace-events';

export { type CreateRoleInput, Iam, Identities } from './iam';
export type { IamTraceEvent } from './trace-events';

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
    this.api = new ServiceApi<IamState, IamActions>(checks, IAM_ACTIONS, { place, iam });
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

/** Every resource type of IAM. */
export function iamResourceTypes(iam: Iam): ResourceType[] {
  return [roleResource(iam), policyResource(iam), managedPolicyResource(iam)];
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
const LONGEST_ROLE_NAME = 64;

/** Replaces an invalid trust policy, so that the rest of the template is checked too. */
const TRUSTS_NOBODY: PolicyDocument = { Version: '2012-10-17', Statement: [] };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-role.html */
function roleResource(iam: Iam): ResourceType {
  return {
    type: 'AWS::IAM::Role',
    create(properties, context) {
      const roleName = properties.string('RoleName') ?? context.physicalName(LONGEST_ROLE_NAME);
      const trustPolicy = requiredPolicyProperty(properties, 'AssumeRolePolicyDocument', 'trust') ?? TRUSTS_NOBODY;
      const path = properties.string('Path');
      const description = properties.string('Description');
      const maxSessionSeconds = properties.number('MaxSessionDuration');
      const tags = tagsProperty(properties);
      const role = iam.createRole({
        roleName,
        trustPolicy,
        ...(path === undefined ? {} : { path }),
        ...(description === undefined ? {} : { description }),
        ...(maxSessionSeconds === undefined ? {} : { maxSessionSeconds }),
      });
      properties.attempt('Tags', () => role.tags.put(tags));
      attachPolicies(iam, roleName, properties);
      for (const inline of properties.objects('Policies')) {
        const policyName = inline.requiredString('PolicyName');
        const document = requiredPolicyProperty(inline, 'PolicyDocument', 'identity');
        if (document) iam.putRolePolicy(roleName, policyName, document);
      }
      return { ref: roleName, attributes: { Arn: role.arn, RoleId: role.id } };
    },
  };
}

function attachPolicies(iam: Iam, roleName: string, properties: PropertyReader): void {
  for (const arn of properties.strings('ManagedPolicyArns') ?? []) {
    if (iam.hasManagedPolicy(arn)) iam.attachRolePolicy(roleName, arn);
    else
      properties.notSimulated('ManagedPolicyArns', 'must name managed policies that the embedded AWS implements', arn);
  }
}

/**
 * An inline policy for roles. Users and groups are not simulated, so a policy for them fails the deployment.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-policy.html
 */
function policyResource(iam: Iam): ResourceType {
  return {
    type: 'AWS::IAM::Policy',
    create(properties, context) {
      const policyName = properties.requiredString('PolicyName');
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'identity');
      const roles = properties.strings('Roles') ?? [];
      if (roles.length === 0) properties.notSimulated('Roles', 'must name at least one role');
      if (document) for (const role of roles) iam.putRolePolicy(role, policyName, document);
      const id = context.physicalName();
      return { ref: id, attributes: { Id: id } };
    },
  };
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html */
const LONGEST_POLICY_NAME = 128;

/** Replaces an invalid policy, so that the rest of the template is checked too. */
const ALLOWS_NOTHING: PolicyDocument = { Version: '2012-10-17', Statement: [] };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-managedpolicy.html */
function managedPolicyResource(iam: Iam): ResourceType {
  return {
    type: 'AWS::IAM::ManagedPolicy',
    create(properties, context) {
      const policyName = properties.string('ManagedPolicyName') ?? context.physicalName(LONGEST_POLICY_NAME);
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'identity') ?? ALLOWS_NOTHING;
      const path = properties.string('Path');
      const roles = properties.strings('Roles') ?? [];
      const description = properties.string('Description');
      const arn = iam.createPolicy({
        policyName,
        document,
        ...(path === undefined ? {} : { path }),
        ...(description === undefined ? {} : { description }),
      });
      for (const role of roles) iam.attachRolePolicy(role, arn);
      return { ref: arn, attributes: { PolicyArn: arn } };
    },
  };
}
