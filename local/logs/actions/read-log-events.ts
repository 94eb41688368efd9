import type { FilterLogEventsRequest } from '@aws-sdk/client-cloudwatch-logs';
import { invalidParameter, logsConstraints, resourceMissing, streamMissing } from '../errors';
import { parseFilterPattern } from '../filter/filter-pattern';
import { Row } from '../insights/row';
import { asText } from '../insights/values';
import { type EventPosition, eventId, type LogEvent, readEventId } from '../log-events';
import type { LogGroup } from '../log-group';
import { groupName, groupNamed, type LogsFamily, streamNamed } from './logs-action';
import { EVENT_OVERHEAD_BYTES } from './put-log-events';

/** A page ends at this many events, or at this many bytes. */
const MAX_PAGE_EVENTS = 10_000;
const MAX_PAGE_BYTES = 1_048_576;

/** The position of a page and its direction: `f` towards later events, `b` towards earlier ones. */
interface PageToken {
  readonly way: 'f' | 'b';
  /** The first event of a page that reads forward; the first event after a page that reads backward. */
  readonly position: EventPosition;
}

const TOKEN = /^([fb])\/(\d{56})\/s$/;

const formatToken = ({ way, position }: PageToken): string => `${way}/${eventId(position)}/s`;

function readToken(text: string): PageToken {
  const [, way, id = ''] = TOKEN.exec(text) ?? [];
  const position = readEventId(id);
  if (position && (way === 'f' || way === 'b')) return { way, position };
  throw invalidParameter('The specified nextToken is invalid.');
}

/** The position directly after an event. */
const behind = ({ atMs, sequence }: EventPosition): EventPosition => ({ atMs, sequence: sequence + 1 });

interface Page {
  readonly events: readonly LogEvent[];
  readonly isLast: boolean;
}

/**
 * Reads events until a page is full by count or by size. A page holds at least one event if the source has one. Reads
 * exactly one event more than it returns.
 */
export function fill(source: Iterable<LogEvent>, limit: number): Page {
  const events: LogEvent[] = [];
  let bytes = 0;
  for (const event of source) {
    bytes += Buffer.byteLength(event.message) + EVENT_OVERHEAD_BYTES;
    if (events.length >= limit || (events.length > 0 && bytes > MAX_PAGE_BYTES)) return { events, isLast: false };
    events.push(event);
  }
  return { events, isLast: true };
}

export function* only(source: Iterable<LogEvent>, isWanted: (event: LogEvent) => boolean): Generator<LogEvent> {
  for (const event of source) if (isWanted(event)) yield event;
}

/** The earliest `startTime` from which AWS reads backward. */
const BACKWARD_FROM_MS = Date.UTC(2024, 0, 1);

export const readLogEventActions = {
  FilterLogEvents: {
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
  },

  /** Always returns both tokens. At the end of the stream it returns the same token it was given. */
  GetLogEvents: {
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
  },

  /** Returns the event that a query result's `@ptr` points to, with all fields discovered in it. */
  GetLogRecord: {
    run: (state, { input: { logRecordPointer = '' } }) => {
      const [, id = '', log = ''] = /^(\d+) (.+)$/.exec(Buffer.from(logRecordPointer, 'base64').toString()) ?? [];
      const position = readEventId(id);
      if (!position) throw invalidParameter('The specified logRecordPointer is invalid.');
      const events = state.find(log.slice(log.indexOf(':') + 1))?.events(state.nowMs);
      const index = events?.indexOf(position) ?? 0;
      const [event] = events?.forward(index, index + 1) ?? [];
      if (!event || event.atMs !== position.atMs || event.sequence !== position.sequence) throw resourceMissing();
      const record: Record<string, string> = {};
      for (const [name, value] of new Row({ event, log }).all()) {
        const text = asText(value);
        if (text !== undefined) record[name] = text;
      }
      return {
        logRecord: { ...record, '@timestamp': String(event.atMs), '@ingestionTime': String(event.ingestedAtMs) },
      };
    },
  },
} satisfies LogsFamily;

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
