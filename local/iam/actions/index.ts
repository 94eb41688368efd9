import type { IAM } from '@aws-sdk/client-iam';
import type { SdkActions } from '../../kernel/service-api';
import { accountActions } from './account';
import { policyActions } from './policies';
import { roleActions } from './roles';

/**
 * The API actions of IAM that the embedded AWS implements, on roles and their policies. Users and groups are not
 * simulated.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_Operations.html
 */
export const IAM_ACTIONS = {
  ...roleActions,
  ...policyActions,
  ...accountActions,
};

export type IamActions = SdkActions<IAM, keyof typeof IAM_ACTIONS>;
