import { invalidRequest, valueNotFound } from '../errors';
import { CURRENT, type Secret, type SecretVersion } from '../secret';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html */
export const getSecretValue: SecretsManagerAction<'GetSecretValue', Secret> = {
  permission: 'secretsmanager:GetSecretValue',
  resourceOf: secretNamed,
  run: (state, { caller, input: { VersionId, VersionStage } }, secret) => {
    const version = versionOf(secret, VersionId, VersionStage);
    state.checkKey(secret.arn, version.keyId, ['kms:Decrypt'], caller);
    version.accessedAtMs = state.nowMs;
    const { id, text, bytes, stages, createdAtMs } = version;
    return {
      ...naming(secret),
      VersionId: id,
      ...(text !== undefined && { SecretString: text }),
      ...(bytes && { SecretBinary: bytes }),
      VersionStages: [...stages],
      CreatedDate: new Date(createdAtMs),
    };
  },
};

function versionOf(secret: Secret, id: string | undefined, stage: string | undefined): SecretVersion {
  const found = id === undefined ? secret.withStage(stage ?? CURRENT) : secret.versions.get(id);
  if (!found) throw valueNotFound(id === undefined ? `staging label: ${stage ?? CURRENT}` : `VersionId: ${id}`);
  if (id === undefined || stage === undefined || found.stages.has(stage)) return found;
  throw invalidRequest('You provided a VersionStage that is not associated to the provided VersionId.');
}
