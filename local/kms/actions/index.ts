import type { KMS } from '@aws-sdk/client-kms';
import type { SdkActions } from '../../kernel/service-api';
import { cryptographyActions } from './cryptography';
import { keyActions } from './keys';

/**
 * The API actions of KMS that the embedded AWS implements: on symmetric keys, without grants.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
 */
export const KMS_ACTIONS = {
  ...keyActions,
  ...cryptographyActions,
};

export type KmsActions = SdkActions<KMS, keyof typeof KMS_ACTIONS>;
