import type { DescribeSecretResponse, Filter } from '@aws-sdk/client-secrets-manager';
import { DAY_MS } from '../../kernel/clock';
import { invalidParameter, type Secret } from '../secret';
import { anySecretNamed, naming, type SecretsManagerAction, secretsPage } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html */
export const describeSecret: SecretsManagerAction<'DescribeSecret', Secret> = {
  permission: 'secretsmanager:DescribeSecret',
  resourceOf: anySecretNamed,
  run: (_state, _call, secret) => ({ ...described(secret), VersionIdsToStages: stagesOf(secret) }),
};

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

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_ListSecrets.html */
export const listSecrets: SecretsManagerAction<'ListSecrets'> = {
  permission: 'secretsmanager:ListSecrets',
  resourceOf: () => ({ arn: '*' }),
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
};

/** The values of a filter are prefixes, and one must match. A prefix that begins with `!` must not match. */
function compile({ Key, Values = [] }: Filter): (secret: Secret) => boolean {
  const compared = Key !== undefined && Object.hasOwn(COMPARED, Key) ? COMPARED[Key] : undefined;
  if (!compared) throw invalidParameter(`Filters: Key must be one of ${Object.keys(COMPARED).join(', ')}, got ${Key}`);
  return secret => {
    const begins = (prefix: string) => compared(secret).some(value => value.startsWith(prefix));
    return Values.some(value => (value.startsWith('!') ? !begins(value.slice(1)) : begins(value)));
  };
}

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_ListSecretVersionIds.html */
export const listSecretVersionIds: SecretsManagerAction<'ListSecretVersionIds', Secret> = {
  permission: 'secretsmanager:ListSecretVersionIds',
  resourceOf: anySecretNamed,
  run: (_state, { input }, secret) => {
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
};
