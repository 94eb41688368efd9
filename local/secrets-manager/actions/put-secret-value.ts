import { notImplemented } from '../../kernel/aws-error';
import { invalidRequest } from '../errors';
import type { Secret } from '../secret';
import { valueGiven } from '../secrets-state';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html */
export const putSecretValue: SecretsManagerAction<'PutSecretValue', Secret> = {
  permission: 'secretsmanager:PutSecretValue',
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
};
