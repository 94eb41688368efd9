import type { LogStream as Described } from '@aws-sdk/client-cloudwatch-logs';
import { constrainName, invalidParameter, logsConstraints, logsPage, MAX_LISTED, streamExists } from '../errors';
import type { LogStream } from '../log-events';
import { logStreamArn } from '../ports';
import { groupName, groupNamed, type LogsAction, streamNamed } from './logs-action';

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

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteLogStream.html */
export const deleteLogStream: LogsAction<'DeleteLogStream'> = {
  permission: 'logs:DeleteLogStream',
  resourceOf: streamNamed,
  run: (state, { input: { logGroupName = '', logStreamName = '' } }) => {
    state.get(logGroupName).deleteStream(state.stream(logGroupName, logStreamName));
    return {};
  },
};

const byName = (a: LogStream, b: LogStream): number => (a.name < b.name ? -1 : 1);

const byLastEvent = (a: LogStream, b: LogStream): number =>
  (a.events.last?.atMs ?? 0) - (b.events.last?.atMs ?? 0) || byName(a, b);

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogStreams.html */
export const describeLogStreams: LogsAction<'DescribeLogStreams'> = {
  permission: 'logs:DescribeLogStreams',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logStreamNamePrefix, orderBy = 'LogStreamName', descending = false, limit, nextToken: token } = input;
    logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
    if (orderBy === 'LastEventTime' && logStreamNamePrefix !== undefined) {
      throw invalidParameter('Cannot order by LastEventTime with a logStreamNamePrefix.');
    }
    const group = state.get(groupName(input));
    group.events(state.nowMs);
    const found = [...group.streams.values()]
      .filter(({ name }) => name.startsWith(logStreamNamePrefix ?? ''))
      .sort(orderBy === 'LastEventTime' ? byLastEvent : byName);
    const { items, nextToken } = logsPage(descending ? found.reverse() : found, limit, token);
    const arnOf = (name: string) => logStreamArn(state.context.place, group.name, name);
    return { logStreams: items.map(stream => describe(stream, arnOf(stream.name))), nextToken };
  },
};

function describe({ name, createdAtMs, events, lastIngestedAtMs }: LogStream, arn: string): Described {
  return {
    logStreamName: name,
    creationTime: createdAtMs,
    ...(events.first && { firstEventTimestamp: events.first.atMs }),
    ...(events.last && { lastEventTimestamp: events.last.atMs }),
    ...(lastIngestedAtMs !== undefined && { lastIngestionTime: lastIngestedAtMs }),
    arn,
    // AWS has always returned 0 since 2019.
    storedBytes: 0,
  };
}
