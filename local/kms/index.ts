import { tagsProperty } from '../cloudformation/property-reader';
import type { ResourceType } from '../cloudformation/resource-type';
import { policyProperty } from '../policy-document';
import { ROTATION_DAYS } from './key';
import type { Kms } from './kms';

export { Kms } from './kms';
export type { KmsTraceEvent } from './trace-events';

/** Every resource type of KMS. */
export function kmsResourceTypes(kms: Kms): ResourceType[] {
  return [keyResource(kms), aliasResource(kms)];
}

/** The only kind of key that services can use, and so the only kind there is here: property, and the value it may have. */
const ONLY_VALUES: readonly (readonly [property: string, value: string])[] = [
  ['KeySpec', 'SYMMETRIC_DEFAULT'],
  ['KeyUsage', 'ENCRYPT_DECRYPT'],
  ['MultiRegion', 'false'],
  ['Origin', 'AWS_KMS'],
];

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html */
function keyResource(kms: Kms): ResourceType {
  return {
    type: 'AWS::KMS::Key',
    create(properties) {
      const policy = policyProperty(properties, 'KeyPolicy', 'resource');
      const enabled = properties.boolean('Enabled') ?? true;
      const bypassPolicyLockoutSafetyCheck = properties.boolean('BypassPolicyLockoutSafetyCheck') ?? false;
      for (const [property, only] of ONLY_VALUES) {
        const value = properties.string(property);
        if (value !== undefined && value !== only) properties.problem(property, `must be ${only} here`, value);
      }
      const description = properties.string('Description') ?? '';
      const isRotated = properties.boolean('EnableKeyRotation') ?? false;
      const periodDays = properties.number('RotationPeriodInDays') ?? ROTATION_DAYS;
      const tags = tagsProperty(properties);
      properties.withoutEffect('PendingWindowInDays');
      const key = kms.createKey({
        enabled,
        bypassPolicyLockoutSafetyCheck,
        description,
        tags,
        ...(policy ? { policy } : {}),
        ...(isRotated ? { rotationPeriodDays: periodDays } : {}),
      });
      return { ref: key.keyId, attributes: { Arn: key.arn, KeyId: key.keyId } };
    },
  };
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-alias.html */
function aliasResource(kms: Kms): ResourceType {
  return {
    type: 'AWS::KMS::Alias',
    create(properties) {
      const aliasName = properties.requiredString('AliasName');
      kms.createAlias(aliasName, properties.requiredString('TargetKeyId'));
      return { ref: aliasName, attributes: {} };
    },
  };
}
