import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import { tagsProperty } from '../../cloudformation/tags-property';
import type { PolicyDocument } from '../../kernel/access';
import { requiredPolicyProperty } from '../../policy-document';
import type { Iam } from '../iam';

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
const LONGEST_ROLE_NAME = 64;

/** Stands in for a trust policy that cannot be used, so that the rest of the template is checked too. */
const TRUSTS_NOBODY: PolicyDocument = { Version: '2012-10-17', Statement: [] };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-role.html */
export function roleResource(iam: Iam): ResourceType {
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
    else properties.problem('ManagedPolicyArns', 'must name policies the embedded AWS knows', arn);
  }
}
