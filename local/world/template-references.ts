import type { References } from '../cloudformation';
import { AwsError } from '../kernel/aws-error';
import type { SecretsManager } from '../secrets-manager';
import type { Ssm } from '../ssm';

/** What templates look up while they are deployed, by whoever deploys: an administrator. */
export function referencesTo(ssm: Ssm, secrets: SecretsManager): References {
  return {
    parameter: Name => {
      const { Parameter: { Type, Value = '' } = {} } = ssm.call('GetParameter', ssm.owner, { Name });
      if (Type !== 'SecureString') return Value;
      throw new AwsError(
        'ValidationError',
        `Parameter ${Name} is a SecureString, and only a secure reference may name one`,
      );
    },
    secret: ({ secretId: SecretId, versionStage: VersionStage, versionId: VersionId }) => {
      const asked = { SecretId, ...(VersionStage && { VersionStage }), ...(VersionId && { VersionId }) };
      const { SecretString } = secrets.call('GetSecretValue', secrets.owner, asked);
      if (SecretString !== undefined) return SecretString;
      throw new AwsError('ValidationError', `Secret ${SecretId} holds bytes, and no text`);
    },
  };
}
