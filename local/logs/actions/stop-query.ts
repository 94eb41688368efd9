import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_StopQuery.html */
export const stopQuery: LogsAction<'StopQuery'> = {
  permission: 'logs:StopQuery',
  resourceOf: anything,
  run: (state, { input: { queryId = '' } }) => {
    state.queries.stop(queryId);
    return { success: true };
  },
};
