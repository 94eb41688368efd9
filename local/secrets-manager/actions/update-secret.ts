import type { Secret } from '../secret';
import { valueGiven } from '../secrets-state';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecret.html */
export const updateSecret: SecretsManagerAction<'UpdateSecret', Secret> = {
  permission: 'secretsmanager:UpdateSecret',
  resourceOf: secretNamed,
  run: (state, { caller, input }, secret) => {
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
};
