import type { ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../policy-document';
import type { Logs } from '../logs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-resourcepolicy.html */
export const resourcePolicyResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::ResourcePolicy',
  create(properties) {
    const policyName = properties.requiredString('PolicyName');
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    if (document && properties.allProblems().length === 0) {
      logs.call('PutResourcePolicy', logs.owner, { policyName, policyDocument: JSON.stringify(document) });
    }
    return { ref: policyName, attributes: {} };
  },
});
