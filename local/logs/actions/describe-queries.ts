import { logsConstraints } from '../constraints';
import { logsPage } from '../paging';
import { anything, type LogsAction } from './logs-action';

const MAX_QUERIES_LISTED = 1000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeQueries.html */
export const describeQueries: LogsAction<'DescribeQueries'> = {
  permission: 'logs:DescribeQueries',
  resourceOf: anything,
  run: (state, { input: { logGroupName, status: wanted, maxResults = MAX_QUERIES_LISTED, nextToken: token } }) => {
    logsConstraints().range('maxResults', maxResults, 1, MAX_QUERIES_LISTED).check();
    const found = state.queries
      .list()
      .filter(({ status }) => wanted === undefined || status === wanted)
      .filter(
        ({ question }) => logGroupName === undefined || question.groups.some(({ name }) => name === logGroupName),
      );
    const { items, nextToken } = logsPage(found, maxResults, token);
    return {
      queries: items.map(({ id, question, status, startedAtMs }) => ({
        queryLanguage: 'CWLI',
        queryId: id,
        queryString: question.queryString,
        status,
        createTime: startedAtMs,
        logGroupName: logGroupName ?? question.groups[0]?.name,
      })),
      nextToken,
    };
  },
};
