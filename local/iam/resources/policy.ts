import type { ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../policy-document';
import type { Iam } from '../iam';

/**
 * An inline policy for roles. Users and groups do not exist here, so a policy for them fails the deploy.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-policy.html
 */
export function policyResource(iam: Iam): ResourceType {
  return {
    type: 'AWS::IAM::Policy',
    create(properties, context) {
      const policyName = properties.requiredString('PolicyName');
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'identity');
      const roles = properties.strings('Roles') ?? [];
      if (roles.length === 0) properties.problem('Roles', 'must name at least one role');
      if (document) for (const role of roles) iam.putRolePolicy(role, policyName, document);
      const id = context.physicalName();
      return { ref: id, attributes: { Id: id } };
    },
  };
}
