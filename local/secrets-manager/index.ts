import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  changeTags,
  type PutResource,
  putType,
  type ResourceType,
} from '../cloudformation/resource-type';
import type { Caller } from '../kernel/caller';
import { isObject } from '../kernel/json';
import type { Random } from '../kernel/random';
import { accessDenied, type InputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import { requiredPolicyProperty } from '../policy-document/policy';
import { SECRETS_MANAGER_ACTIONS, type SecretsManagerActions } from './actions';
import { randomPassword } from './random-password';
import { SecretsState } from './secrets-state';
import type { SecretsManagerContext } from './trace-events';

export type { SecretsManagerTraceEvent } from './trace-events';

/**
 * AWS Secrets Manager, without rotation and replicas.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/Welcome.html
 */
export class SecretsManager extends ServiceApi<SecretsState, SecretsManagerActions> {
  constructor(private readonly context: SecretsManagerContext) {
    const checks = new RequestChecks(
      'secretsmanager',
      context,
      accessDenied(context.place, 'AccessDeniedException', 400),
    );
    super(checks, SECRETS_MANAGER_ACTIONS, new SecretsState(context));
  }

  /** Reads a secret. A caller without permission does not learn whether it exists. */
  read(caller: Caller, asked: InputOf<SecretsManagerActions['GetSecretValue']>) {
    const { SecretId = '' } = asked;
    if (!this.state.find(SecretId)) {
      const resource = { arn: this.state.nextArn(SecretId) };
      this.checks.checkAll('GetSecretValue', 'secretsmanager:GetSecretValue', caller, resource);
    }
    return this.call('GetSecretValue', caller, asked);
  }

  /** A random stream for the generated values of one secret, independent of other secrets. */
  passwordsOf(secretName: string): Random {
    return this.context.random.stream(`password/${secretName}`);
  }
}

/** The resource types of Secrets Manager. Like all unknown types, attachments to databases and rotation are refused. */
export function secretsManagerResourceTypes(secrets: SecretsManager): readonly ResourceType[] {
  return [secretResource(secrets), resourcePolicyResource(secrets)];
}

const LONGEST_NAME = 512;

function secretResource(secrets: SecretsManager): ResourceType {
  const { owner } = secrets;
  const read = (properties: PropertyReader, context: CreateContext) => {
    const Name = properties.string('Name') ?? context.physicalName(LONGEST_NAME);
    const text = properties.string('SecretString');
    const generation = properties.object('GenerateSecretString');
    if (text !== undefined && generation)
      properties.problem('GenerateSecretString', 'must not be used together with SecretString');
    const [Description, KmsKeyId] = [properties.string('Description'), properties.string('KmsKeyId')];
    const described = {
      ...(Description !== undefined && { Description }),
      ...(KmsKeyId !== undefined && { KmsKeyId }),
    };
    return { Name, text, generation, described };
  };
  return {
    type: 'AWS::SecretsManager::Secret',
    create(properties, context) {
      const { Name, text, generation, described } = read(properties, context);
      const generated = generation && generatedString(properties, generation, secrets.passwordsOf(Name));
      const SecretString = text ?? generated;
      const Tags = tagsProperty(properties);
      const value = { ...(SecretString !== undefined && { SecretString }) };
      const { ARN = '' } = secrets.call('CreateSecret', owner, { Name, Tags, ...value, ...described });
      return { ref: ARN, attributes: { Id: ARN } };
    },
    update(properties, context, existing) {
      const { ref: SecretId, attributes } = existing;
      const { Name, text, generation, described } = read(properties, context);
      const before = existing.properties.document('GenerateSecretString');
      // A password is generated again only if the template describes another one.
      const isOther = JSON.stringify(before) !== JSON.stringify(properties.document('GenerateSecretString'));
      const generated = generation && generatedString(properties, generation, secrets.passwordsOf(Name));
      const isSameText = text === existing.properties.string('SecretString');
      const SecretString = isSameText ? (isOther ? generated : undefined) : (text ?? generated);
      const value = { ...(SecretString !== undefined && { SecretString }) };
      secrets.call('UpdateSecret', owner, { SecretId, ...value, ...described });
      changeTags(
        tagsProperty(properties),
        existing,
        Tags => secrets.call('TagResource', owner, { SecretId, Tags }),
        TagKeys => secrets.call('UntagResource', owner, { SecretId, TagKeys }),
      );
      return { ref: SecretId, attributes };
    },
    // CloudFormation does not keep a secret for a recovery window.
    delete: ({ ref: SecretId }) => {
      secrets.call('DeleteSecret', owner, { SecretId, ForceDeleteWithoutRecovery: true });
    },
  };
}

/**
 * Creates a password, or a JSON document that contains one. **Assumption SECRETS-2:** AWS does not publish its
 * position: here it is the last member.
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
  if (password === undefined || key === undefined || !isObject(template)) return password;
  return JSON.stringify({ ...template, [key]: password });
}

function resourcePolicyResource(secrets: SecretsManager): ResourceType {
  const put: PutResource = properties => {
    const SecretId = properties.requiredString('SecretId');
    const policy = requiredPolicyProperty(properties, 'ResourcePolicy', 'resource');
    const BlockPublicPolicy = properties.boolean('BlockPublicPolicy') ?? false;
    if (policy) {
      const ResourcePolicy = JSON.stringify(policy);
      secrets.call('PutResourcePolicy', secrets.owner, { SecretId, ResourcePolicy, BlockPublicPolicy });
    }
    return { ref: SecretId, attributes: { Id: SecretId } };
  };
  return putType('AWS::SecretsManager::ResourcePolicy', put, ({ ref: SecretId }) =>
    secrets.call('DeleteResourcePolicy', secrets.owner, { SecretId }),
  );
}
