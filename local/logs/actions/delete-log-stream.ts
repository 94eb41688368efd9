import { type LogsAction, streamNamed } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteLogStream.html */
export const deleteLogStream: LogsAction<'DeleteLogStream'> = {
  permission: 'logs:DeleteLogStream',
  resourceOf: streamNamed,
  run: (state, { input: { logGroupName = '', logStreamName = '' } }) => {
    state.get(logGroupName).deleteStream(state.stream(logGroupName, logStreamName));
    return {};
  },
};
