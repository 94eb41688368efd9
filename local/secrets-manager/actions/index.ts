import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { SdkActions } from '../../kernel/service-api';
import { getRandomPassword } from '../random-password';
import { secretValueActions } from './secret-values';
import { policyAndTagActions, secretActions } from './secrets';

/**
 * The API actions of Secrets Manager that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html
 */
export const SECRETS_MANAGER_ACTIONS = {
  ...secretActions,
  ...policyAndTagActions,
  GetRandomPassword: getRandomPassword,
  ...secretValueActions,
};

export type SecretsManagerActions = SdkActions<SecretsManager, keyof typeof SECRETS_MANAGER_ACTIONS>;
