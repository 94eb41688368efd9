import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetQueryResults.html */
export const getQueryResults: LogsAction<'GetQueryResults'> = {
  permission: 'logs:GetQueryResults',
  resourceOf: anything,
  run: (state, { input: { queryId = '' } }) => {
    const { status, result, question } = state.queries.get(queryId);
    return {
      queryLanguage: 'CWLI',
      status,
      results: result?.rows.map(row => [...row]) ?? [],
      statistics: {
        recordsMatched: result?.matched ?? 0,
        recordsScanned: result?.scanned ?? 0,
        bytesScanned: result?.bytes ?? 0,
        estimatedRecordsSkipped: 0,
        estimatedBytesSkipped: 0,
        logGroupsScanned: result ? question.groups.length : 0,
      },
    };
  },
};
