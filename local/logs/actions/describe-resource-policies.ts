import { logsConstraints } from '../constraints';
import { logsPage, MAX_LISTED } from '../paging';
import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeResourcePolicies.html */
export const describeResourcePolicies: LogsAction<'DescribeResourcePolicies'> = {
  permission: 'logs:DescribeResourcePolicies',
  resourceOf: anything,
  run: (state, { input: { limit, nextToken: token } }) => {
    logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
    const { items, nextToken } = logsPage(state.resourcePolicies.list(), limit, token);
    return { resourcePolicies: items, nextToken };
  },
};
