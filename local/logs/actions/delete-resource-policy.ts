import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteResourcePolicy.html */
export const deleteResourcePolicy: LogsAction<'DeleteResourcePolicy'> = {
  permission: 'logs:DeleteResourcePolicy',
  resourceOf: anything,
  run: (state, { input: { policyName = '' } }) => {
    state.resourcePolicies.delete(policyName);
    return {};
  },
};
