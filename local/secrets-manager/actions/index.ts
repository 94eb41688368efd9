import type { ServiceActions } from '../../kernel/front-door';
import type { SecretsManagerActions } from '../secrets-manager-actions';
import type { SecretsState } from '../secrets-state';
import { createSecret } from './create-secret';
import { deleteSecret } from './delete-secret';
import { describeSecret } from './describe-secret';
import { getRandomPassword } from './get-random-password';
import { getSecretValue } from './get-secret-value';
import { listSecretVersionIds } from './list-secret-version-ids';
import { listSecrets } from './list-secrets';
import { putSecretValue } from './put-secret-value';
import { deleteResourcePolicy, getResourcePolicy, putResourcePolicy } from './resource-policy';
import { restoreSecret } from './restore-secret';
import { tagResource, untagResource } from './tags';
import { updateSecret } from './update-secret';
import { updateSecretVersionStage } from './update-secret-version-stage';

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
