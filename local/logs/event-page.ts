import { EVENT_OVERHEAD_BYTES } from './batch-rules';
import { invalidParameter } from './errors';
import { type EventPosition, eventId, type LogEvent, readEventId } from './log-event';

/** At most so many events, and so many bytes of them, are answered at once. */
export const MAX_PAGE_EVENTS = 10_000;
const MAX_PAGE_BYTES = 1_048_576;

/** Where a page begins, and which way it goes from there: `f` towards later events, `b` towards earlier ones. */
export interface PageToken {
  readonly way: 'f' | 'b';
  /** The first event of a page going forward; the first event after a page going backward. */
  readonly position: EventPosition;
}

const TOKEN = /^([fb])\/(\d{56})\/s$/;

export const formatToken = ({ way, position }: PageToken): string => `${way}/${eventId(position)}/s`;

/** @throws AwsError for what no page has given */
export function readToken(text: string): PageToken {
  const [, way, id = ''] = TOKEN.exec(text) ?? [];
  const position = readEventId(id);
  if (position && (way === 'f' || way === 'b')) return { way, position };
  throw invalidParameter('The specified nextToken is invalid.');
}

/** The position right behind an event. */
export const behind = ({ atMs, sequence }: EventPosition): EventPosition => ({ atMs, sequence: sequence + 1 });

/** Events that are answered at once. */
export interface Page {
  readonly events: readonly LogEvent[];
  /** Whether the source has nothing after them. */
  readonly isLast: boolean;
}

/**
 * Takes events from a source until a page is full: by number or by size, but never without a single one. It asks for one
 * event more than it takes, and for no other.
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

/** Those of a source that are wanted, one by one. */
export function* only(source: Iterable<LogEvent>, isWanted: (event: LogEvent) => boolean): Generator<LogEvent> {
  for (const event of source) if (isWanted(event)) yield event;
}
