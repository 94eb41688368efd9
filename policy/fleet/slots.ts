/** A slot that an attempt takes: its place in the list, and until when. */
export interface TakenSlot {
  readonly index: number;
  readonly untilMs: number;
}

/**
 * Finds a slot for an attempt; undefined if all are taken. A slot is free when its time is over, so a function that crashed gives it
 * back.
 *
 * @param slots until when each slot is taken, in milliseconds since the Unix epoch
 * @param holdMs how long an attempt may take, with a margin
 */
export function freeSlot(
  slots: readonly number[],
  count: number,
  nowMs: number,
  holdMs: number,
): TakenSlot | undefined {
  for (let index = 0; index < count; index += 1) {
    if ((slots[index] ?? 0) <= nowMs) return { index, untilMs: nowMs + holdMs };
  }
  return undefined;
}
