/** The position of an event among all events of its group: ordered by time, then by arrival. */
export interface EventPosition {
  /** The timestamp the writer gave, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Counts the events the service has received: 1 for the first. */
  readonly sequence: number;
}

/** An event before it is stored. */
export interface NewEvent {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly message: string;
}

export interface LogEvent extends EventPosition {
  /** When the event arrived, in milliseconds since the Unix epoch. */
  readonly ingestedAtMs: number;
  readonly streamName: string;
  readonly message: string;
}

const TIME_DIGITS = 16;
const ID_DIGITS = 56;
const ID = /^\d{56}$/;

/** Formats an event id as AWS does: 56 digits that sort in the order of the events. */
export function eventId({ atMs, sequence }: EventPosition): string {
  return String(atMs).padStart(TIME_DIGITS, '0') + String(sequence).padStart(ID_DIGITS - TIME_DIGITS, '0');
}

/** Returns the position that an id encodes, or undefined when the text is not an id. */
export function readEventId(id: string): EventPosition | undefined {
  if (!ID.test(id)) return undefined;
  return { atMs: Number(id.slice(0, TIME_DIGITS)), sequence: Number(id.slice(TIME_DIGITS)) };
}

const isBefore = (a: EventPosition, b: EventPosition): boolean =>
  a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs;

/** Events sorted by time. Most arrive in that order, so adding one is cheap. */
export class EventList {
  private readonly kept: LogEvent[] = [];

  get size(): number {
    return this.kept.length;
  }

  get first(): LogEvent | undefined {
    return this.kept[0];
  }

  get last(): LogEvent | undefined {
    return this.kept.at(-1);
  }

  /**
   * Inserts events. Stored events that are later than the first of them are moved once, however many arrive late.
   *
   * @param events sorted by time
   */
  add(events: readonly LogEvent[]): void {
    const [first] = events;
    if (!first) return;
    const { last } = this;
    const later = last && isBefore(first, last) ? this.kept.splice(this.indexOf(first)) : [];
    let i = 0;
    for (const event of events) {
      for (let next = later[i]; next && isBefore(next, event); next = later[i]) {
        this.kept.push(next);
        i += 1;
      }
      this.kept.push(event);
    }
    for (const event of later.slice(i)) this.kept.push(event);
  }

  indexOf(position: EventPosition): number {
    let low = 0;
    let high = this.kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = this.kept[middle];
      if (event && isBefore(event, position)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the first event at or after an instant. */
  indexAt(atMs: number): number {
    return this.indexOf({ atMs, sequence: 0 });
  }

  /** Yields the events from one index up to, but not including, another, oldest first. */
  *forward(from: number, to: number): Generator<LogEvent> {
    for (let i = from; i < to; i += 1) {
      const event = this.kept[i];
      if (event) yield event;
    }
  }

  /** Yields the events from one index up to, but not including, another, newest first. */
  *backward(from: number, to: number): Generator<LogEvent> {
    for (let i = to - 1; i >= from; i -= 1) {
      const event = this.kept[i];
      if (event) yield event;
    }
  }

  /** Returns the events from `fromMs` up to, but not including, `toMs`. */
  between(fromMs: number, toMs: number): readonly LogEvent[] {
    return this.kept.slice(this.indexAt(fromMs), this.indexAt(toMs));
  }

  /** Removes and returns the events before an instant. */
  forgetBefore(atMs: number): readonly LogEvent[] {
    const { first } = this;
    return first && first.atMs < atMs ? this.kept.splice(0, this.indexAt(atMs)) : [];
  }
}

export class LogStream {
  readonly events = new EventList();
  /** Undefined when the stream has never received an event. */
  lastIngestedAtMs: number | undefined;

  constructor(
    readonly name: string,
    readonly createdAtMs: number,
  ) {}
}
