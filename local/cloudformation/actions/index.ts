import type { CloudFormation } from '@aws-sdk/client-cloudformation';
import type { SdkActions } from '../../kernel/service-api';
import { changeSetActions } from './change-sets';
import { changeStackActions } from './change-stacks';
import { stackActions } from './stacks';

/**
 * The API actions of CloudFormation that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
 */
export const CLOUD_FORMATION_ACTIONS = {
  ...changeSetActions,
  ...changeStackActions,
  ...stackActions,
};

export type CloudFormationActions = SdkActions<CloudFormation, keyof typeof CLOUD_FORMATION_ACTIONS>;
