import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  changeTags,
  type ExistingResource,
  type PutResource,
  putType,
  type ResourceType,
} from '../cloudformation/resource-type';
import type { PolicyDocument } from '../kernel/access';
import { accessDenied, RequestChecks, ServiceApi, type ServiceContext } from '../kernel/service-api';
import { requiredPolicyProperty } from '../policy-document/policy';
import { IAM_ACTIONS, type IamActions } from './actions';
import type { IamState } from './actions/iam-action';
import { type Iam, unknownPolicyRule } from './iam';
import type { Role } from './role';
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
export class IamApi extends ServiceApi<IamState, IamActions> {
  constructor(context: IamApiContext, iam: Iam) {
    const { place } = context;
    const checks = new RequestChecks('iam', context, accessDenied(place, 'AccessDenied', 403));
    super(checks, IAM_ACTIONS, { place, iam });
  }
}

export function iamResourceTypes(iam: Iam): ResourceType[] {
  return [roleResource(iam), policyResource(iam), managedPolicyResource(iam)];
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
const LONGEST_ROLE_NAME = 64;

/** Replaces an invalid trust policy, so that the rest of the template is checked too. */
const TRUSTS_NOBODY: PolicyDocument = { Version: '2012-10-17', Statement: [] };

function roleResource(iam: Iam): ResourceType {
  const read = (properties: PropertyReader, context: CreateContext) => ({
    roleName: properties.string('RoleName') ?? context.physicalName(LONGEST_ROLE_NAME),
    trustPolicy: requiredPolicyProperty(properties, 'AssumeRolePolicyDocument', 'trust') ?? TRUSTS_NOBODY,
    path: properties.string('Path'),
    description: properties.string('Description'),
    maxSessionSeconds: properties.number('MaxSessionDuration'),
  });
  return {
    type: 'AWS::IAM::Role',
    create(properties, context) {
      const wanted = read(properties, context);
      const tags = tagsProperty(properties);
      const role = iam.createRole(wanted);
      properties.attempt('Tags', () => role.tags.put(tags));
      putPolicies(iam, role, properties);
      return { ref: role.name, attributes: { Arn: role.arn, RoleId: role.id } };
    },
    update(properties, context, existing) {
      const role = iam.role(existing.ref);
      const { trustPolicy, description, maxSessionSeconds } = read(properties, context);
      if (JSON.stringify(trustPolicy) !== JSON.stringify(role.trustPolicy)) {
        iam.updateAssumeRolePolicy(role.name, trustPolicy);
      }
      iam.updateRole(role.name, description, maxSessionSeconds);
      changeTags(
        tagsProperty(properties),
        existing,
        tags => role.tags.put(tags),
        keys => role.tags.remove(keys),
      );
      const { managed, inline } = putPolicies(iam, role, properties);
      removePolicies(iam, role, existing.properties, { managed, inline });
      return { ref: role.name, attributes: existing.attributes };
    },
    delete({ ref, properties }) {
      removePolicies(iam, iam.role(ref), properties, { managed: [], inline: [] });
      iam.deleteRole(ref);
    },
  };
}

interface PolicyNames {
  /** The ARNs of managed policies. */
  readonly managed: readonly string[];
  readonly inline: readonly string[];
}

/** A managed policy whose document is unknown makes decisions about the role unknown. */
function noteUnknown(iam: Iam, properties: PropertyReader, property: string, arn: string): void {
  if (!iam.hasManagedPolicy(arn)) properties.notSimulated(property, unknownPolicyRule(arn), arn);
}

function putPolicies(iam: Iam, role: Role, properties: PropertyReader): PolicyNames {
  const { name, attachedPolicyArns } = role;
  const managed = properties.strings('ManagedPolicyArns') ?? [];
  for (const arn of managed) {
    noteUnknown(iam, properties, 'ManagedPolicyArns', arn);
    if (!attachedPolicyArns.includes(arn)) iam.attach(role, arn);
  }
  const boundary = properties.string('PermissionsBoundary');
  if (boundary !== undefined) noteUnknown(iam, properties, 'PermissionsBoundary', boundary);
  iam.limit(role, boundary);
  const inline = properties.objects('Policies').map(policy => {
    const policyName = policy.requiredString('PolicyName');
    const document = requiredPolicyProperty(policy, 'PolicyDocument', 'identity');
    if (document) iam.putRolePolicy(name, policyName, document);
    return policyName;
  });
  return { managed, inline };
}

/** Removes the policies that the template had, except those to keep, unless they were removed by hand. */
function removePolicies(iam: Iam, role: Role, before: PropertyReader, keep: PolicyNames): void {
  const { name, attachedPolicyArns, inlinePolicies } = role;
  for (const arn of before.strings('ManagedPolicyArns') ?? []) {
    if (!keep.managed.includes(arn) && attachedPolicyArns.includes(arn)) iam.detachRolePolicy(name, arn);
  }
  for (const policyName of before.objects('Policies').map(policy => policy.requiredString('PolicyName'))) {
    if (!keep.inline.includes(policyName) && inlinePolicies.has(policyName)) iam.deleteRolePolicy(name, policyName);
  }
}

/**
 * An inline policy for roles. Users and groups are not simulated, so a policy for them fails the deployment.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-policy.html
 */
function policyResource(iam: Iam): ResourceType {
  const remove = ({ properties }: ExistingResource, isKept: (role: string, policy: string) => boolean): void => {
    const policyName = properties.requiredString('PolicyName');
    for (const role of properties.strings('Roles') ?? []) {
      if (isKept(role, policyName)) continue;
      if (iam.findRoleNamed(role)?.inlinePolicies.has(policyName)) iam.deleteRolePolicy(role, policyName);
    }
  };
  const put: PutResource = (properties, context, existing) => {
    const policyName = properties.requiredString('PolicyName');
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'identity');
    const roles = properties.strings('Roles') ?? [];
    if (roles.length === 0) properties.notSimulated('Roles', 'must name at least one role');
    if (document) for (const role of roles) iam.putRolePolicy(role, policyName, document);
    if (existing) remove(existing, (role, policy) => policy === policyName && roles.includes(role));
    const id = context.physicalName();
    return { ref: id, attributes: { Id: id } };
  };
  return putType('AWS::IAM::Policy', put, existing => remove(existing, () => false));
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html */
const LONGEST_POLICY_NAME = 128;

/** Replaces an invalid policy, so that the rest of the template is checked too. */
const ALLOWS_NOTHING: PolicyDocument = { Version: '2012-10-17', Statement: [] };

function managedPolicyResource(iam: Iam): ResourceType {
  const read = (properties: PropertyReader, context: CreateContext) => ({
    policyName: properties.string('ManagedPolicyName') ?? context.physicalName(LONGEST_POLICY_NAME),
    document: requiredPolicyProperty(properties, 'PolicyDocument', 'identity') ?? ALLOWS_NOTHING,
    path: properties.string('Path'),
    roles: properties.strings('Roles') ?? [],
    description: properties.string('Description'),
  });
  const detach = (arn: string, roles: readonly string[]): void => {
    for (const role of roles) {
      if (iam.findRoleNamed(role)?.attachedPolicyArns.includes(arn)) iam.detachRolePolicy(role, arn);
    }
  };
  return {
    type: 'AWS::IAM::ManagedPolicy',
    create(properties, context) {
      const { roles, ...wanted } = read(properties, context);
      const arn = iam.createPolicy(wanted);
      for (const role of roles) iam.attachRolePolicy(role, arn);
      return { ref: arn, attributes: { PolicyArn: arn } };
    },
    update(properties, context, { ref: arn, attributes, properties: before }) {
      const { roles, document } = read(properties, context);
      iam.createPolicyVersion(arn, document);
      for (const role of roles) iam.attachRolePolicy(role, arn);
      detach(
        arn,
        (before.strings('Roles') ?? []).filter(role => !roles.includes(role)),
      );
      return { ref: arn, attributes };
    },
    delete({ ref: arn, properties }) {
      detach(arn, properties.strings('Roles') ?? []);
      iam.deletePolicy(arn);
    },
  };
}
