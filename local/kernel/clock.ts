import { isoInstant, isoInstantMs } from '../../policy/instants';

export { isoInstant, isoInstantMs };

/** Reads the time of the embedded AWS, which moves only when due work runs. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Formats an instant without its milliseconds, which are cut off: `2026-01-02T03:04:05Z`. */
export function isoSeconds(atMs: number): string {
  return isoInstant(atMs).replace(/\.\d{3}Z$/, 'Z');
}

/** The last instant that a JavaScript `Date` can hold, in milliseconds: 100 million days after the Unix epoch. */
export const LAST_INSTANT_MS = 8.64e15;

/** Parses an instant like `isoInstantMs`, but reads a time without a zone as UTC, whatever the machine's zone is. */
export function utcInstantMs(text: string): number | undefined {
  return isoInstantMs(text) ?? isoInstantMs(`${text}Z`);
}
