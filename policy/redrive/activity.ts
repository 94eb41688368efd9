import type { MoveFacts } from './redrive-facts';

const MINUTE_MS = 60_000;

/**
 * The moves, each task with when it was last seen under way: what was seen between its start and that of the next move.
 * @param moves the newest first
 * @param seenAtMs the minutes in which this function saw a task of its own under way
 */
export function withActivity(moves: readonly MoveFacts[], seenAtMs: readonly number[]): readonly MoveFacts[] {
  return moves.map((move, index) => {
    if (move.carrier !== 'task') return move;
    const fromMs = move.startedAtMs - MINUTE_MS;
    // The minute before the next may be its own: SQS's clock and the function's are two.
    const toMs = (moves[index - 1]?.startedAtMs ?? Number.POSITIVE_INFINITY) - 2 * MINUTE_MS;
    const seen = seenAtMs.filter(atMs => atMs > fromMs && atMs <= toMs);
    // A minute's figure does not say when in it.
    return seen.length === 0 ? move : { ...move, activeAtMs: Math.max(...seen) + MINUTE_MS };
  });
}
