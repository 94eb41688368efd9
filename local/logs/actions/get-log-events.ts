import { logsConstraints } from '../constraints';
import { behind, fill, formatToken, MAX_PAGE_EVENTS, readToken } from '../event-page';
import type { EventPosition } from '../log-event';
import { groupName, type LogsAction, streamNamed } from './logs-action';

/**
 * Both tokens always come back: at the end of the stream the same one that was given.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
 */
export const getLogEvents: LogsAction<'GetLogEvents'> = {
  permission: 'logs:GetLogEvents',
  resourceOf: streamNamed,
  run: (state, { input }) => {
    const { startTime = 0, endTime = Number.POSITIVE_INFINITY, limit = MAX_PAGE_EVENTS, nextToken } = input;
    logsConstraints().range('limit', limit, 1, MAX_PAGE_EVENTS).check();
    const name = groupName(input);
    state.get(name).events(state.nowMs);
    const { events } = state.stream(name, input.logStreamName ?? '');
    const from = events.indexAt(startTime);
    const to = Math.max(from, events.indexAt(endTime));
    const token = nextToken ? readToken(nextToken) : undefined;
    const isForward = token ? token.way === 'f' : (input.startFromHead ?? false);
    const at = token ? Math.min(Math.max(events.indexOf(token.position), from), to) : isForward ? from : to;
    const page = isForward
      ? fill(events.forward(at, to), limit).events
      : [...fill(events.backward(from, at), limit).events].reverse();
    const here: EventPosition = token?.position ?? { atMs: startTime, sequence: 0 };
    const [first, last] = [page[0] ?? here, page.at(-1)];
    return {
      events: page.map(({ atMs, message, ingestedAtMs }) => ({
        timestamp: atMs,
        message,
        ingestionTime: ingestedAtMs,
      })),
      nextForwardToken: formatToken({ way: 'f', position: last ? behind(last) : here }),
      nextBackwardToken: formatToken({ way: 'b', position: first }),
    };
  },
};
