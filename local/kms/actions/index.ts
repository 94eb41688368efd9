import type { ServiceActions } from '../../kernel/service-api';
import type { Kms } from '../kms';
import { createAlias, deleteAlias, listAliases, updateAlias } from './aliases';
import { decrypt, encrypt, generateDataKey, generateDataKeyWithoutPlaintext } from './cryptography';
import * as keys from './keys';
import { createKey } from './keys';
import type { KmsActions } from './kms-action';

/** Every API action by its name. */
export const KMS_ACTIONS: ServiceActions<Kms, KmsActions> = {
  CancelKeyDeletion: keys.cancelKeyDeletion,
  CreateAlias: createAlias,
  CreateKey: createKey,
  Decrypt: decrypt,
  DeleteAlias: deleteAlias,
  DescribeKey: keys.describeKey,
  DisableKey: keys.disableKey,
  DisableKeyRotation: keys.disableKeyRotation,
  EnableKey: keys.enableKey,
  EnableKeyRotation: keys.enableKeyRotation,
  Encrypt: encrypt,
  GenerateDataKey: generateDataKey,
  GenerateDataKeyWithoutPlaintext: generateDataKeyWithoutPlaintext,
  GetKeyPolicy: keys.getKeyPolicy,
  GetKeyRotationStatus: keys.getKeyRotationStatus,
  ListAliases: listAliases,
  ListKeyPolicies: keys.listKeyPolicies,
  ListKeys: keys.listKeys,
  ListResourceTags: keys.listResourceTags,
  PutKeyPolicy: keys.putKeyPolicy,
  ScheduleKeyDeletion: keys.scheduleKeyDeletion,
  TagResource: keys.tagResource,
  UntagResource: keys.untagResource,
  UpdateAlias: updateAlias,
  UpdateKeyDescription: keys.updateKeyDescription,
};
