import { logsConstraints } from '../constraints';
import { logsPage } from '../paging';
import { anything, type LogsAction } from './logs-action';

const MAX_DEFINITIONS_LISTED = 1000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeQueryDefinitions.html */
export const describeQueryDefinitions: LogsAction<'DescribeQueryDefinitions'> = {
  permission: 'logs:DescribeQueryDefinitions',
  resourceOf: anything,
  run: (
    state,
    { input: { queryDefinitionNamePrefix = '', maxResults = MAX_DEFINITIONS_LISTED, nextToken: token } },
  ) => {
    logsConstraints().range('maxResults', maxResults, 1, MAX_DEFINITIONS_LISTED).check();
    const found = state.queryDefinitions.list(queryDefinitionNamePrefix);
    const { items, nextToken } = logsPage(found, maxResults, token);
    return { queryDefinitions: items, nextToken };
  },
};
