import type { ResourceType } from '../../cloudformation/resource-type';
import type { PolicyDocument } from '../../kernel/access';
import { requiredPolicyProperty } from '../../policy-document';
import type { Iam } from '../iam';

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html */
const LONGEST_POLICY_NAME = 128;

/** Stands in for a policy that cannot be used, so that the rest of the template is checked too. */
const ALLOWS_NOTHING: PolicyDocument = { Version: '2012-10-17', Statement: [] };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-managedpolicy.html */
export function managedPolicyResource(iam: Iam): ResourceType {
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
