import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import type { ResourceType } from '../cloudformation/resource-type';
import { isMembers } from '../kernel/json';
import type { Random } from '../kernel/random';
import { requiredPolicyProperty } from '../policy-document';
import { randomPassword } from './random-password';
import type { SecretsManager } from './secrets-manager';

export { SecretsManager } from './secrets-manager';
export type { SecretsManagerTraceEvent } from './trace-events';

/** The resource types of Secrets Manager. Like all unknown types, attachments to databases and rotation are refused. */
export function secretsManagerResourceTypes(secrets: SecretsManager): readonly ResourceType[] {
  return [secretResource(secrets), resourcePolicyResource(secrets)];
}

const LONGEST_NAME = 512;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html */
function secretResource(secrets: SecretsManager): ResourceType {
  return {
    type: 'AWS::SecretsManager::Secret',
    create(properties, context) {
      const Name = properties.string('Name') ?? context.physicalName(LONGEST_NAME);
      const given = properties.string('SecretString');
      const generation = properties.object('GenerateSecretString');
      if (given !== undefined && generation)
        properties.problem('GenerateSecretString', 'must not be used together with SecretString');
      const generated = generation && generatedString(properties, generation, secrets.passwordsOf(Name));
      const SecretString = given ?? generated;
      const Description = properties.string('Description');
      const KmsKeyId = properties.string('KmsKeyId');
      const Tags = tagsProperty(properties);
      const { ARN = '' } = secrets.call('CreateSecret', secrets.owner, {
        Name,
        Tags,
        ...(SecretString !== undefined && { SecretString }),
        ...(Description !== undefined && { Description }),
        ...(KmsKeyId !== undefined && { KmsKeyId }),
      });
      return { ref: ARN, attributes: { Id: ARN } };
    },
  };
}

/**
 * Creates a password, or a JSON document that contains one. **Assumption:** AWS does not publish its position: here it
 * is the last member.
 *
 * @see
 *   https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-secretsmanager-secret-generatesecretstring.html
 */
function generatedString(properties: PropertyReader, generation: PropertyReader, random: Random): string | undefined {
  const options = {
    PasswordLength: generation.number('PasswordLength'),
    ExcludeCharacters: generation.string('ExcludeCharacters'),
    ExcludeLowercase: generation.boolean('ExcludeLowercase'),
    ExcludeNumbers: generation.boolean('ExcludeNumbers'),
    ExcludePunctuation: generation.boolean('ExcludePunctuation'),
    ExcludeUppercase: generation.boolean('ExcludeUppercase'),
    IncludeSpace: generation.boolean('IncludeSpace'),
    RequireEachIncludedType: generation.boolean('RequireEachIncludedType'),
  };
  const template = generation.document('SecretStringTemplate');
  const key = generation.string('GenerateStringKey');
  if (Boolean(template) !== (key !== undefined)) {
    properties.problem('GenerateSecretString', 'must have SecretStringTemplate and GenerateStringKey, or neither');
  }
  const password = properties.attempt('GenerateSecretString', () => randomPassword(options, random));
  if (password === undefined || key === undefined || !isMembers(template)) return password;
  return JSON.stringify({ ...template, [key]: password });
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-resourcepolicy.html */
function resourcePolicyResource(secrets: SecretsManager): ResourceType {
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
