/** Reads the time of the embedded AWS, which only ever moves when something is due. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** `2026-01-02T03:04:05.678Z`, the form in which the trace and most AWS documents give an instant. */
export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}
