import type { Secret } from '../secret';
import { anySecretNamed, naming, type SecretsManagerAction, secretsPage } from './secrets-manager-action';

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
