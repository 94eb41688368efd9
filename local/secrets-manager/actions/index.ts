import type { ServiceActions } from '../../kernel/service-api';
import { getRandomPassword } from '../random-password';
import type { SecretsState } from '../secrets-state';
import { describeSecret, listSecrets, listSecretVersionIds } from './describe-secrets';
import {
  deleteResourcePolicy,
  getResourcePolicy,
  putResourcePolicy,
  tagResource,
  untagResource,
} from './policy-and-tags';
import { createSecret, deleteSecret, restoreSecret, updateSecret } from './secret-lifecycle';
import { getSecretValue, putSecretValue, updateSecretVersionStage } from './secret-values';
import type { SecretsManagerActions } from './secrets-manager-action';

/** Every API action by its name. */
export const SECRETS_MANAGER_ACTIONS: ServiceActions<SecretsState, SecretsManagerActions> = {
  CreateSecret: createSecret,
  DeleteResourcePolicy: deleteResourcePolicy,
  DeleteSecret: deleteSecret,
  DescribeSecret: describeSecret,
  GetRandomPassword: getRandomPassword,
  GetResourcePolicy: getResourcePolicy,
  GetSecretValue: getSecretValue,
  ListSecrets: listSecrets,
  ListSecretVersionIds: listSecretVersionIds,
  PutResourcePolicy: putResourcePolicy,
  PutSecretValue: putSecretValue,
  RestoreSecret: restoreSecret,
  TagResource: tagResource,
  UntagResource: untagResource,
  UpdateSecret: updateSecret,
  UpdateSecretVersionStage: updateSecretVersionStage,
};
