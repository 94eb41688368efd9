import type { DescribeSecretResponse } from '@aws-sdk/client-secrets-manager';
import type { Secret } from '../secret';
import { anySecretNamed, naming, type SecretsManagerAction } from './secrets-manager-action';

const MILLISECONDS_A_DAY = 86_400_000;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html */
export const describeSecret: SecretsManagerAction<'DescribeSecret', Secret> = {
  permission: 'secretsmanager:DescribeSecret',
  resourceOf: anySecretNamed,
  run: (_state, _call, secret) => ({ ...described(secret), VersionIdsToStages: stagesOf(secret) }),
};

/** What is told of a secret beside its versions. The day it was last read on, not the moment, as on AWS. */
export function described(secret: Secret): Omit<DescribeSecretResponse, 'VersionIdsToStages'> {
  const { description, keyId, tags, createdAtMs, changedAtMs, accessedAtMs, deletion } = secret;
  return {
    ...naming(secret),
    ...(description !== undefined && { Description: description }),
    ...(keyId !== undefined && { KmsKeyId: keyId }),
    LastChangedDate: new Date(changedAtMs),
    ...(accessedAtMs !== undefined && {
      LastAccessedDate: new Date(Math.floor(accessedAtMs / MILLISECONDS_A_DAY) * MILLISECONDS_A_DAY),
    }),
    ...(deletion && { DeletedDate: new Date(deletion.markedAtMs) }),
    Tags: tags.list(),
    CreatedDate: new Date(createdAtMs),
  };
}

/** The labels of each version that has any. */
export function stagesOf({ versions }: Secret): Record<string, string[]> {
  const labelled = [...versions.values()].filter(({ stages }) => stages.size > 0);
  return Object.fromEntries(labelled.map(({ id, stages }) => [id, [...stages]]));
}
