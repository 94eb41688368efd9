import { constrainName, logsConstraints } from '../constraints';
import { streamExists } from '../errors';
import { type LogsAction, streamNamed } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogStream.html */
export const createLogStream: LogsAction<'CreateLogStream'> = {
  permission: 'logs:CreateLogStream',
  resourceOf: streamNamed,
  run: (state, { input }) => {
    const { logStreamName: name = '' } = input;
    constrainName(logsConstraints(), 'logStreamName', input.logStreamName).check();
    const group = state.get(input.logGroupName ?? '');
    if (group.streams.has(name)) throw streamExists();
    group.addStream(name, state.nowMs);
    return {};
  },
};
