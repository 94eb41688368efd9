import { notImplemented } from '../../kernel/aws-error';
import { CURRENT, invalidParameter, invalidRequest, type Secret, type SecretVersion, valueNotFound } from '../secret';
import { valueGiven } from '../secrets-state';
import { naming, type SecretsManagerFamily, secretNamed } from './secrets-manager-action';

export const secretValueActions = {
  GetSecretValue: {
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
  },

  PutSecretValue: {
    resourceOf: secretNamed,
    run: (state, { caller, input }, secret) => {
      const { ClientRequestToken, VersionStages, RotationToken } = input;
      if (RotationToken !== undefined) throw notImplemented('the rotation of secrets');
      const value = valueGiven(input.SecretString, input.SecretBinary);
      if (!value) throw invalidRequest('You must provide either SecretString or SecretBinary.');
      state.checkMayEncrypt(secret.arn, secret.keyId, caller);
      const version = state.putValue(secret, value, ClientRequestToken, VersionStages);
      return { ...naming(secret), VersionId: version.id, VersionStages: [...version.stages] };
    },
  },

  UpdateSecretVersionStage: {
    resourceOf: secretNamed,
    run: (state, { input }, secret) => {
      const { VersionStage: stage = '', RemoveFromVersionId: fromId, MoveToVersionId: toId } = input;
      const from = fromId === undefined ? undefined : versionWith(secret, fromId);
      const to = toId === undefined ? undefined : versionWith(secret, toId);
      const holder = secret.withStage(stage);
      if (from && !from.stages.has(stage)) {
        throw invalidParameter(`The staging label ${stage} is not attached to version ${from.id}.`);
      }
      if (holder && !from && to && holder !== to) {
        throw invalidParameter(
          `The parameter RemoveFromVersionId can't be empty. Staging label ${stage} is currently attached to version ` +
            `${holder.id}, so you must explicitly reference that version in RemoveFromVersionId.`,
        );
      }
      if (to) secret.putStage(stage, to);
      else from?.stages.delete(stage);
      secret.changedAtMs = state.nowMs;
      state.context.trace.record({
        type: 'secretsmanager.stage-moved',
        secretArn: secret.arn,
        stage,
        ...(from && { fromVersionId: from.id }),
        ...(to && { toVersionId: to.id }),
      });
      return naming(secret);
    },
  },
} satisfies SecretsManagerFamily<Secret>;

function versionOf(secret: Secret, id: string | undefined, stage: string | undefined): SecretVersion {
  const found = id === undefined ? secret.withStage(stage ?? CURRENT) : secret.versions.get(id);
  if (!found) throw valueNotFound(id === undefined ? `staging label: ${stage ?? CURRENT}` : `VersionId: ${id}`);
  if (id === undefined || stage === undefined || found.stages.has(stage)) return found;
  throw invalidRequest('You provided a VersionStage that is not associated to the provided VersionId.');
}

function versionWith({ versions }: Secret, id: string): SecretVersion {
  const version = versions.get(id);
  if (!version) throw valueNotFound(`VersionId: ${id}`);
  return version;
}
