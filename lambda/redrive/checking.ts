import { firstShut } from '../../lib/policy/redrive/gates';
import { firedSince } from '../../lib/policy/redrive/health';
import type { MoveFacts, RedriveFacts } from '../../lib/policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../lib/policy/redrive/redrive-settings';
import { isActive } from '../../lib/policy/redrive/runs';
import { viewOf } from '../../lib/policy/redrive/view';
import type { Sight } from './facts';
import type { Halt } from './ports';

/** Looks again whether the stint may go on that was begun by these facts, in the run that began then. */
export type Check = (facts: RedriveFacts, stint: MoveFacts, runStartedAtMs: number) => Promise<Halt | undefined>;

/** A stint has to stop for whatever a task of SQS would be cancelled for, and where somebody moves letters beside it. */
export function checking(sight: Pick<Sight, 'again'>, settings: RedriveSettings): Check {
  return async (facts, stint, runStartedAtMs) => {
    const view = viewOf(settings, await sight.again(facts, stint));
    const isMovedBeside = view.facts.moves.some(move => move.carrier === 'task' && isActive(move));
    if (isMovedBeside) return { cause: 'foreign-task', reason: 'somebody else moves the letters' };
    return firstShut('watch', view) ?? firedSince(view, runStartedAtMs, view.facts.nowMs);
  };
}
