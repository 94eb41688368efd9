import { logsConstraints } from '../constraints';
import { logsPage, MAX_LISTED } from '../paging';
import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeSubscriptionFilters.html */
export const describeSubscriptionFilters: LogsAction<'DescribeSubscriptionFilters'> = {
  permission: 'logs:DescribeSubscriptionFilters',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', filterNamePrefix = '', limit, nextToken: token } }) => {
    logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
    const found = [...state.get(logGroupName).subscriptionFilters.values()]
      .filter(({ subscription }) => subscription.filterName.startsWith(filterNamePrefix))
      .sort((a, b) => (a.subscription.filterName < b.subscription.filterName ? -1 : 1));
    const { items, nextToken } = logsPage(found, limit, token);
    return {
      subscriptionFilters: items.map(({ subscription, createdAtMs }) => ({
        ...subscription,
        creationTime: createdAtMs,
      })),
      nextToken,
    };
  },
};
