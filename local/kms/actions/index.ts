import type { ServiceActions } from '../../kernel/service-api';
import type { KmsState } from '../kms-state';
import * as aliases from './aliases';
import * as cryptography from './cryptography';
import * as keys from './keys';
import type { KmsActions } from './kms-action';

/** Every API action by its name. */
export const KMS_ACTIONS: ServiceActions<KmsState, KmsActions> = {
  CancelKeyDeletion: keys.cancelKeyDeletion,
  CreateAlias: aliases.createAlias,
  CreateKey: keys.createKey,
  Decrypt: cryptography.decrypt,
  DeleteAlias: aliases.deleteAlias,
  DescribeKey: keys.describeKey,
  DisableKey: keys.disableKey,
  DisableKeyRotation: keys.disableKeyRotation,
  EnableKey: keys.enableKey,
  EnableKeyRotation: keys.enableKeyRotation,
  Encrypt: cryptography.encrypt,
  GenerateDataKey: cryptography.generateDataKey,
  GenerateDataKeyWithoutPlaintext: cryptography.generateDataKeyWithoutPlaintext,
  GetKeyPolicy: keys.getKeyPolicy,
  GetKeyRotationStatus: keys.getKeyRotationStatus,
  ListAliases: aliases.listAliases,
  ListKeyPolicies: keys.listKeyPolicies,
  ListKeys: keys.listKeys,
  ListResourceTags: keys.listResourceTags,
  PutKeyPolicy: keys.putKeyPolicy,
  ScheduleKeyDeletion: keys.scheduleKeyDeletion,
  TagResource: keys.tagResource,
  UntagResource: keys.untagResource,
  UpdateAlias: aliases.updateAlias,
  UpdateKeyDescription: keys.updateKeyDescription,
};
