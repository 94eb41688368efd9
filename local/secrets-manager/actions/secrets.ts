import type { DescribeSecretResponse, Filter } from '@aws-sdk/client-secrets-manager';
import { DAY_MS } from '../../../policy/time-units';
import type { PolicyDocument } from '../../kernel/access';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import { checkTags } from '../../kernel/tags';
import { readPolicyText } from '../../policy-document/policy';
import { invalidParameter, invalidRequest, SECRET_TAGS, type Secret } from '../secret';
import { valueGiven } from '../secrets-state';
import { anySecretNamed, naming, type SecretsManagerFamily, secretNamed, secretsPage } from './secrets-manager-action';

const NAME = /^[\w/+=.@!-]{1,512}$/;

const WINDOW_DAYS = { min: 7, max: 30 };

/** The values that a filter compares, by its key. */
const COMPARED: Readonly<Record<string, (secret: Secret) => readonly string[]>> = {
  name: ({ name }) => [name],
  description: ({ description }) => (description === undefined ? [] : [description]),
  'tag-key': ({ tags }) => tags.keys,
  'tag-value': ({ tags }) => tags.values,
  'owning-service': () => [],
  'primary-region': () => [],
  all: ({ name, description = '', tags }) => [name, ...description.split(/\s+/), ...tags.keys, ...tags.values],
};

export const secretActions = {
  CreateSecret: {
    resourceOf: (state, { Name = '' }) => ({ arn: state.nextArn(Name) }),
    run: (state, { caller, input }) => {
      const { Name = '', Description, KmsKeyId, Tags = [], ClientRequestToken, AddReplicaRegions = [] } = input;
      if (!NAME.test(Name)) {
        throw new AwsError(
          'ValidationException',
          'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
        );
      }
      if (AddReplicaRegions.length > 0) throw notImplemented('replicas of secrets');
      checkTags(Tags, SECRET_TAGS);
      const value = valueGiven(input.SecretString, input.SecretBinary);
      const existing = state.find(Name);
      if (existing?.deletion) {
        throw invalidRequest(
          "You can't create this secret because a secret with this name is already scheduled for deletion.",
        );
      }
      if (existing) {
        throw new AwsError(
          'ResourceExistsException',
          `The operation failed because the secret ${Name} already exists.`,
        );
      }
      if (value) state.checkMayEncrypt(state.nextArn(Name), KmsKeyId, caller);
      const secret = state.create(Name);
      secret.description = Description;
      secret.keyId = KmsKeyId;
      secret.tags.put(Tags);
      if (!value) return naming(secret);
      return { ...naming(secret), VersionId: state.putValue(secret, value, ClientRequestToken).id };
    },
  },

  UpdateSecret: {
    resourceOf: secretNamed,
    run: (state, { caller, input }, secret: Secret) => {
      const { Description, KmsKeyId, ClientRequestToken } = input;
      const value = valueGiven(input.SecretString, input.SecretBinary);
      const keyId = KmsKeyId ?? secret.keyId;
      if (value || KmsKeyId !== undefined) state.checkMayEncrypt(secret.arn, keyId, caller);
      secret.keyId = keyId;
      secret.description = Description ?? secret.description;
      secret.changedAtMs = state.nowMs;
      state.context.trace.record({ type: 'secretsmanager.secret-updated', secretArn: secret.arn });
      if (!value) return naming(secret);
      return { ...naming(secret), VersionId: state.putValue(secret, value, ClientRequestToken).id };
    },
  },

  DeleteSecret: {
    resourceOf: secretNamed,
    run: (state, { input }, secret: Secret) => {
      const { RecoveryWindowInDays, ForceDeleteWithoutRecovery = false } = input;
      const { min, max } = WINDOW_DAYS;
      if (ForceDeleteWithoutRecovery && RecoveryWindowInDays !== undefined) {
        throw invalidParameter("You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
      }
      const days = RecoveryWindowInDays ?? max;
      if (!(days >= min && days <= max)) {
        throw invalidParameter(`The RecoveryWindowInDays value must be between ${min} and ${max} days (inclusive).`);
      }
      if (ForceDeleteWithoutRecovery) {
        state.delete(secret);
        return { ...naming(secret), DeletionDate: new Date(state.nowMs) };
      }
      const dueAtMs = state.nowMs + days * DAY_MS;
      const deletion = { markedAtMs: state.nowMs, dueAtMs };
      secret.deletion = deletion;
      const { timeline, trace } = state.context;
      trace.record({ type: 'secretsmanager.deletion-scheduled', secretArn: secret.arn, deletionAtMs: dueAtMs });
      timeline.inBackground(dueAtMs, () => {
        // The secret was restored, or restored and deleted again, if this is no longer its deletion.
        if (secret.deletion === deletion) state.delete(secret);
      });
      return { ...naming(secret), DeletionDate: new Date(dueAtMs) };
    },
  },

  RestoreSecret: {
    resourceOf: anySecretNamed,
    run: ({ context }, _call, secret: Secret) => {
      secret.deletion = undefined;
      context.trace.record({ type: 'secretsmanager.secret-restored', secretArn: secret.arn });
      return naming(secret);
    },
  },

  DescribeSecret: {
    resourceOf: anySecretNamed,
    run: (_state, _call, secret: Secret) => ({ ...described(secret), VersionIdsToStages: stagesOf(secret) }),
  },

  ListSecrets: {
    run: (state, { input }) => {
      const { IncludePlannedDeletion = false, Filters = [], SortOrder = 'desc' } = input;
      const tests = Filters.map(compile);
      const wanted = state
        .all()
        .filter(({ deletion }) => IncludePlannedDeletion || !deletion)
        .filter(secret => tests.every(passes => passes(secret)));
      const { items, nextToken } = secretsPage(SortOrder === 'asc' ? wanted : [...wanted].reverse(), input);
      return {
        SecretList: items.map(secret => ({ ...described(secret), SecretVersionsToStages: stagesOf(secret) })),
        ...(nextToken !== undefined && { NextToken: nextToken }),
      };
    },
  },

  ListSecretVersionIds: {
    resourceOf: anySecretNamed,
    run: (_state, { input }, secret: Secret) => {
      const wanted = [...secret.versions.values()].filter(({ stages }) => input.IncludeDeprecated || stages.size > 0);
      const { items, nextToken } = secretsPage(wanted, input);
      return {
        ...naming(secret),
        Versions: items.map(({ id, stages, createdAtMs, keyId }) => ({
          VersionId: id,
          VersionStages: [...stages],
          CreatedDate: new Date(createdAtMs),
          KmsKeyIds: [keyId],
        })),
        ...(nextToken !== undefined && { NextToken: nextToken }),
      };
    },
  },
} satisfies SecretsManagerFamily;

/** Describes a secret without its versions. As on AWS, the last access is a date without a time. */
function described(secret: Secret): Omit<DescribeSecretResponse, 'VersionIdsToStages'> {
  const { description, keyId, tags, createdAtMs, changedAtMs, accessedAtMs, deletion } = secret;
  return {
    ...naming(secret),
    ...(description !== undefined && { Description: description }),
    ...(keyId !== undefined && { KmsKeyId: keyId }),
    LastChangedDate: new Date(changedAtMs),
    ...(accessedAtMs !== undefined && {
      LastAccessedDate: new Date(Math.floor(accessedAtMs / DAY_MS) * DAY_MS),
    }),
    ...(deletion && { DeletedDate: new Date(deletion.markedAtMs) }),
    Tags: tags.list(),
    CreatedDate: new Date(createdAtMs),
  };
}

/** The staging labels of each version that has any. */
function stagesOf({ versions }: Secret): Record<string, string[]> {
  const labelled = [...versions.values()].filter(({ stages }) => stages.size > 0);
  return Object.fromEntries(labelled.map(({ id, stages }) => [id, [...stages]]));
}

/** The values of a filter are prefixes, and one must match. A prefix that begins with `!` must not match. */
function compile({ Key, Values = [] }: Filter): (secret: Secret) => boolean {
  const compared = Key !== undefined && Object.hasOwn(COMPARED, Key) ? COMPARED[Key] : undefined;
  if (!compared) throw invalidParameter(`Filters: Key must be one of ${Object.keys(COMPARED).join(', ')}, got ${Key}`);
  return secret => {
    const begins = (prefix: string) => compared(secret).some(value => value.startsWith(prefix));
    return Values.some(value => (value.startsWith('!') ? !begins(value.slice(1)) : begins(value)));
  };
}

export const policyAndTagActions = {
  GetResourcePolicy: {
    resourceOf: secretNamed,
    run: (_state, _call, secret) => ({
      ...naming(secret),
      ...(secret.policy && { ResourcePolicy: JSON.stringify(secret.policy) }),
    }),
  },

  PutResourcePolicy: {
    resourceOf: secretNamed,
    run: ({ context }, { input: { ResourcePolicy = '', BlockPublicPolicy = false } }, secret) => {
      const policy = readPolicyText(ResourcePolicy, 'resource', malformed);
      if (BlockPublicPolicy && isPublic(policy)) {
        throw new AwsError(
          'PublicPolicyException',
          'The BlockPublicPolicy parameter is set to true, and the resource policy did not prevent broad access to the secret.',
        );
      }
      secret.policy = policy;
      context.trace.record({ type: 'secretsmanager.policy-put', secretArn: secret.arn });
      return naming(secret);
    },
  },

  DeleteResourcePolicy: {
    resourceOf: secretNamed,
    run: ({ context }, _call, secret) => {
      secret.policy = undefined;
      context.trace.record({ type: 'secretsmanager.policy-deleted', secretArn: secret.arn });
      return naming(secret);
    },
  },

  TagResource: {
    resourceOf: secretNamed,
    run: (_state, { input: { Tags = [] } }, { tags }) => {
      tags.put(Tags);
    },
  },

  UntagResource: {
    resourceOf: secretNamed,
    run: (_state, { input: { TagKeys = [] } }, { tags }) => {
      tags.remove(TagKeys);
    },
  },
} satisfies SecretsManagerFamily<Secret>;

function malformed(problem = 'it is not a policy document'): AwsError {
  return new AwsError('MalformedPolicyDocumentException', `This resource policy cannot be used: ${problem}.`);
}

/**
 * Whether a policy allows something to everyone without a condition. **Assumption SECRETS-1:** AWS does not publish its
 * check, which also analyzes conditions.
 */
function isPublic({ Statement }: PolicyDocument): boolean {
  const statements: readonly unknown[] = Array.isArray(Statement) ? Statement : [Statement];
  return statements.some(statement => {
    if (!isObject(statement) || statement['Effect'] !== 'Allow' || statement['Condition'] !== undefined) return false;
    const principal = statement['Principal'];
    const named: unknown = isObject(principal) ? principal['AWS'] : principal;
    return Array.isArray(named) ? named.includes('*') : named === '*';
  });
}
