import { parseFilterPattern } from '../filter/filter-pattern';
import { logsPage } from '../paging';
import { groupNamed, type LogsAction } from './logs-action';

const MOST_EVENTS = 10_000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html */
export const filterLogEvents: LogsAction<'FilterLogEvents'> = {
  permission: 'logs:FilterLogEvents',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = MOST_EVENTS } = input;
    const matches = parseFilterPattern(input.filterPattern ?? '');
    const found = state
      .get(logGroupName)
      .events(state.context.timeline.nowMs, startTime, endTime + 1)
      .filter(({ streamName }) => input.logStreamNames?.includes(streamName) ?? true)
      .filter(({ streamName }) => streamName.startsWith(input.logStreamNamePrefix ?? ''))
      .filter(({ message }) => matches(message));
    const { items, nextToken } = logsPage(found, limit, input.nextToken);
    const from = Number(input.nextToken ?? 0);
    return {
      events: items.map(({ atMs, streamName, message }, index) => ({
        eventId: String(from + index),
        timestamp: atMs,
        ingestionTime: atMs,
        logStreamName: streamName,
        message,
      })),
      nextToken,
    };
  },
};
