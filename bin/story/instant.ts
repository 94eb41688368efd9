/** `17:20`, the time of day in UTC. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 16);
}

/** `2026-01-05T17:20:00.000Z`. */
export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}
