import type { Filter } from '@aws-sdk/client-secrets-manager';
import { invalidParameter } from '../errors';
import type { Secret } from '../secret';
import { described, stagesOf } from './describe-secret';
import { type SecretsManagerAction, secretsPage } from './secrets-manager-action';

/** What a filter compares, by its key. */
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

/** Values are beginnings, of which one must fit; a `!` before one means that it must not. */
function compile({ Key, Values = [] }: Filter): (secret: Secret) => boolean {
  const compared = Key !== undefined && Object.hasOwn(COMPARED, Key) ? COMPARED[Key] : undefined;
  if (!compared) throw invalidParameter(`Filters: Key must be one of ${Object.keys(COMPARED).join(', ')}, got ${Key}`);
  return secret => {
    const begins = (prefix: string) => compared(secret).some(value => value.startsWith(prefix));
    return Values.some(value => (value.startsWith('!') ? !begins(value.slice(1)) : begins(value)));
  };
}
