import type { SSM } from '@aws-sdk/client-ssm';
import type { SdkActions } from '../../kernel/service-api';
import { changeParameterActions, tagActions } from './change-parameters';
import { readParameterActions } from './read-parameters';

/**
 * The API actions of Parameter Store.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Operations.html
 */
export const SSM_ACTIONS = {
  ...tagActions,
  ...readParameterActions,
  ...changeParameterActions,
};

export type SsmActions = SdkActions<SSM, keyof typeof SSM_ACTIONS>;
