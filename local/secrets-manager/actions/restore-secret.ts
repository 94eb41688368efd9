import type { Secret } from '../secret';
import { anySecretNamed, naming, type SecretsManagerAction } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RestoreSecret.html */
export const restoreSecret: SecretsManagerAction<'RestoreSecret', Secret> = {
  permission: 'secretsmanager:RestoreSecret',
  resourceOf: anySecretNamed,
  run: ({ context }, _call, secret) => {
    secret.deletion = undefined;
    context.trace.record({ type: 'secretsmanager.secret-restored', secretArn: secret.arn });
    return naming(secret);
  },
};
