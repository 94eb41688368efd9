import type { FilterLogEventsRequest } from '@aws-sdk/client-cloudwatch-logs';
import { logsConstraints } from '../constraints';
import { invalidParameter, streamMissing } from '../errors';
import { behind, fill, formatToken, MAX_PAGE_EVENTS, only, readToken } from '../event-page';
import { parseFilterPattern } from '../filter/filter-pattern';
import { eventId, type LogEvent } from '../log-event';
import type { LogGroup } from '../log-group';
import { groupName, groupNamed, type LogsAction } from './logs-action';

/** Backward reading begins no earlier. */
const BACKWARD_FROM_MS = Date.UTC(2024, 0, 1);

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html */
export const filterLogEvents: LogsAction<'FilterLogEvents'> = {
  permission: 'logs:FilterLogEvents',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = MAX_PAGE_EVENTS, nextToken } = input;
    logsConstraints().range('limit', limit, 1, MAX_PAGE_EVENTS).check();
    const group = state.get(groupName(input));
    const isWanted = wantedBy(group, input);
    const events = group.events(state.nowMs);
    const token = nextToken ? readToken(nextToken) : undefined;
    const isForward = token ? token.way === 'f' : (input.startFromHead ?? true);
    if (!isForward && startTime < BACKWARD_FROM_MS) {
      throw invalidParameter('startFromHead can be false only with a startTime on or after 2024-01-01T00:00:00Z');
    }
    const from = Math.max(events.indexAt(startTime), isForward && token ? events.indexOf(token.position) : 0);
    const behindLast = token && !isForward ? events.indexOf(token.position) : events.size;
    const to = Math.min(events.indexAt(endTime + 1), behindLast);
    const inTurn = isForward ? events.forward(from, to) : events.backward(from, to);
    const page = fill(only(inTurn, isWanted), limit);
    const last = page.events.at(-1);
    return {
      events: page.events.map(event => ({
        eventId: eventId(event),
        timestamp: event.atMs,
        ingestionTime: event.ingestedAtMs,
        logStreamName: event.streamName,
        message: event.message,
      })),
      searchedLogStreams: [],
      ...(last &&
        !page.isLast && {
          nextToken: formatToken(isForward ? { way: 'f', position: behind(last) } : { way: 'b', position: last }),
        }),
    };
  },
};

function wantedBy(group: LogGroup, input: FilterLogEventsRequest): (event: LogEvent) => boolean {
  const { logStreamNames: names, logStreamNamePrefix: prefix = '', filterPattern = '' } = input;
  if (names && input.logStreamNamePrefix !== undefined) {
    throw invalidParameter('logStreamNames and logStreamNamePrefix are mutually exclusive parameters.');
  }
  if (names?.some(name => !group.streams.has(name))) throw streamMissing();
  const pattern = parseFilterPattern(filterPattern);
  return ({ streamName, message }) =>
    (names?.includes(streamName) ?? true) && streamName.startsWith(prefix) && pattern.matches(message);
}
