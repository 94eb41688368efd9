import { firstFailedPrecondition } from '../../policy/redrive/gates';
import { firedSince } from '../../policy/redrive/health';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { isActive } from '../../policy/redrive/runs';
import { redriveContextOf } from '../../policy/redrive/view';
import type { FactReader, FactReading } from './facts';
import { TOLERATE_UNREAD_MS } from './patience';
import type { StopReason } from './ports';

/** Looks again whether the stint may go on that was begun by these facts, in the run that began then. */
export type CheckPass = (
  facts: RedriveFacts,
  movePass: MoveFacts,
  runStartedAtMs: number,
) => Promise<StopReason | undefined>;

/** Since when looks at a stint could not read all. */
interface Unread {
  readonly movePassAtMs: number;
  readonly sinceMs: number;
}

/**
 * A stint has to stop for whatever a task of SQS would be cancelled for, and where somebody moves letters beside it. What
 * could not be read is held against it when it could not be for a while.
 */
export function passChecker(sight: Pick<FactReader, 'readAgain'>, settings: RedriveSettings): CheckPass {
  let unread: Unread | undefined;
  const seenBy = (
    { facts, ifUnreadWereHealthy, unread: { length } }: FactReading,
    movePassAtMs: number,
  ): RedriveFacts => {
    const { nowMs } = facts;
    const before = unread?.movePassAtMs === movePassAtMs ? unread : { movePassAtMs, sinceMs: nowMs };
    unread = length > 0 ? before : undefined;
    return unread && nowMs - unread.sinceMs < TOLERATE_UNREAD_MS ? ifUnreadWereHealthy : facts;
  };
  return async (facts, movePass, runStartedAtMs) => {
    const view = redriveContextOf(settings, seenBy(await sight.readAgain(facts, movePass), movePass.startedAtMs));
    const isMovedBeside = view.facts.moves.some(move => move.carrier === 'task' && isActive(move));
    if (isMovedBeside) return { cause: 'foreign-task', reason: 'somebody else moves the letters' };
    return firstFailedPrecondition('watch', view) ?? firedSince(view, runStartedAtMs, view.facts.nowMs);
  };
}
