import { filterMissing } from '../errors';
import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteSubscriptionFilter.html */
export const deleteSubscriptionFilter: LogsAction<'DeleteSubscriptionFilter'> = {
  permission: 'logs:DeleteSubscriptionFilter',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', filterName = '' } }) => {
    if (!state.get(logGroupName).subscriptionFilters.delete(filterName)) throw filterMissing('subscription');
    return {};
  },
};
