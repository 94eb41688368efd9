import { firstShut } from '../../policy/redrive/gates';
import { firedSince } from '../../policy/redrive/health';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { isActive } from '../../policy/redrive/runs';
import { viewOf } from '../../policy/redrive/view';
import type { Gathered, Sight } from './facts';
import { UNREAD_FOR_MS } from './patience';
import type { Halt } from './ports';

/** Looks again whether the stint may go on that was begun by these facts, in the run that began then. */
export type Check = (facts: RedriveFacts, movePass: MoveFacts, runStartedAtMs: number) => Promise<Halt | undefined>;

/** Since when looks at a stint could not read all. */
interface Unread {
  readonly movePassAtMs: number;
  readonly sinceMs: number;
}

/**
 * A stint has to stop for whatever a task of SQS would be cancelled for, and where somebody moves letters beside it. What
 * could not be read is held against it when it could not be for a while.
 */
export function checking(sight: Pick<Sight, 'again'>, settings: RedriveSettings): Check {
  let unread: Unread | undefined;
  const seenBy = ({ facts, hopeful, unread: { length } }: Gathered, movePassAtMs: number): RedriveFacts => {
    const { nowMs } = facts;
    const before = unread?.movePassAtMs === movePassAtMs ? unread : { movePassAtMs, sinceMs: nowMs };
    unread = length > 0 ? before : undefined;
    return unread && nowMs - unread.sinceMs < UNREAD_FOR_MS ? hopeful : facts;
  };
  return async (facts, movePass, runStartedAtMs) => {
    const view = viewOf(settings, seenBy(await sight.again(facts, movePass), movePass.startedAtMs));
    const isMovedBeside = view.facts.moves.some(move => move.carrier === 'task' && isActive(move));
    if (isMovedBeside) return { cause: 'foreign-task', reason: 'somebody else moves the letters' };
    return firstShut('watch', view) ?? firedSince(view, runStartedAtMs, view.facts.nowMs);
  };
}
