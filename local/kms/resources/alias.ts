import type { ResourceType } from '../../cloudformation/resource-type';
import type { Kms } from '../kms';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-alias.html */
export function aliasResource(kms: Kms): ResourceType {
  return {
    type: 'AWS::KMS::Alias',
    create(properties) {
      const aliasName = properties.requiredString('AliasName');
      kms.createAlias(aliasName, properties.requiredString('TargetKeyId'));
      return { ref: aliasName, attributes: {} };
    },
  };
}
