/** Where an event stands among all events of its group: by its time, then by when it came. */
export interface EventPosition {
  /** Milliseconds since the Unix epoch, as whoever wrote the event says. */
  readonly atMs: number;
  /** 1 for the first event the service took in. */
  readonly sequence: number;
}

/** An event as it is written. */
export interface Entry {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly message: string;
}

/** One line of a log. */
export interface LogEvent extends EventPosition {
  /** When it came, in milliseconds since the Unix epoch. */
  readonly ingestedAtMs: number;
  readonly streamName: string;
  readonly message: string;
}

const TIME_DIGITS = 16;
const ID_DIGITS = 56;
const ID = /^\d{56}$/;

/** AWS's form of an event's id: 56 digits, in the order of the events. */
export function eventId({ atMs, sequence }: EventPosition): string {
  return String(atMs).padStart(TIME_DIGITS, '0') + String(sequence).padStart(ID_DIGITS - TIME_DIGITS, '0');
}

/** The position an id stands for, undefined when the text is no id. */
export function readEventId(id: string): EventPosition | undefined {
  if (!ID.test(id)) return undefined;
  return { atMs: Number(id.slice(0, TIME_DIGITS)), sequence: Number(id.slice(TIME_DIGITS)) };
}

const isBefore = (a: EventPosition, b: EventPosition): boolean =>
  a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs;

/** Events in the order of their time. Most come in that order, so adding one is cheap. */
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
   * Takes events in. However many come late, those that are later than the first of them are moved once.
   *
   * @param events in the order of their time
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

  /** The index of the first event at or after a position. */
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

  /** The index of the first event at or after an instant. */
  indexAt(atMs: number): number {
    return this.indexOf({ atMs, sequence: 0 });
  }

  /** The events from one index up to, but not including, another, the first of them first. */
  *forward(from: number, to: number): Generator<LogEvent> {
    for (let i = from; i < to; i += 1) {
      const event = this.kept[i];
      if (event) yield event;
    }
  }

  /** The same, the last of them first. */
  *backward(from: number, to: number): Generator<LogEvent> {
    for (let i = to - 1; i >= from; i -= 1) {
      const event = this.kept[i];
      if (event) yield event;
    }
  }

  /** Everything from `fromMs` up to, but not including, `toMs`. */
  between(fromMs: number, toMs: number): readonly LogEvent[] {
    return this.kept.slice(this.indexAt(fromMs), this.indexAt(toMs));
  }

  /** Forgets everything before an instant, and answers what that was. */
  forgetBefore(atMs: number): readonly LogEvent[] {
    const { first } = this;
    return first && first.atMs < atMs ? this.kept.splice(0, this.indexAt(atMs)) : [];
  }
}

/** The events of one source. */
export class LogStream {
  readonly events = new EventList();
  /** Undefined for one that never got any. */
  lastIngestedAtMs: number | undefined;

  constructor(
    readonly name: string,
    readonly createdAtMs: number,
  ) {}
}
