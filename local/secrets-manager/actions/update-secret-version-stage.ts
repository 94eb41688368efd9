import { invalidParameter, valueNotFound } from '../errors';
import type { Secret, SecretVersion } from '../secret';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecretVersionStage.html */
export const updateSecretVersionStage: SecretsManagerAction<'UpdateSecretVersionStage', Secret> = {
  permission: 'secretsmanager:UpdateSecretVersionStage',
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
};

function versionWith({ versions }: Secret, id: string): SecretVersion {
  const version = versions.get(id);
  if (!version) throw valueNotFound(`VersionId: ${id}`);
  return version;
}
