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
