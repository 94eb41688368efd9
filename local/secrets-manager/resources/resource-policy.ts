import type { ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../policy-document';
import type { SecretsManager } from '../secrets-manager';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-resourcepolicy.html */
export function resourcePolicyResource(secrets: SecretsManager): ResourceType {
  return {
    type: 'AWS::SecretsManager::ResourcePolicy',
    create(properties) {
      const SecretId = properties.requiredString('SecretId');
      const policy = requiredPolicyProperty(properties, 'ResourcePolicy', 'resource');
      const BlockPublicPolicy = properties.boolean('BlockPublicPolicy') ?? false;
      if (policy) {
        const ResourcePolicy = JSON.stringify(policy);
        secrets.call('PutResourcePolicy', secrets.owner, { SecretId, ResourcePolicy, BlockPublicPolicy });
      }
      return { ref: SecretId, attributes: { Id: SecretId } };
    },
  };
}
