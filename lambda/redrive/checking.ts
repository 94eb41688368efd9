import { firstShut } from '../../lib/policy/redrive/gates';
import { firedSince } from '../../lib/policy/redrive/health';
import type { RedriveFacts } from '../../lib/policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../lib/policy/redrive/redrive-settings';
import { viewOf } from '../../lib/policy/redrive/view';
import type { Sight } from './facts';
import type { Halt } from './ports';

/** Looks again whether a stint may go on that was begun by these facts, in the run that began then. */
export type Check = (facts: RedriveFacts, runStartedAtMs: number) => Promise<Halt | undefined>;

/**
 * A stint has to stop for whatever a task of SQS would be cancelled for, but for the budget: a task knows no quota, and a stint
 * counts its own.
 */
export function checking(sight: Pick<Sight, 'again'>, settings: RedriveSettings): Check {
  return async (facts, runStartedAtMs) => {
    const view = viewOf(settings, await sight.again(facts));
    const shut = firstShut('watch', view);
    if (shut && shut.cause !== 'messages-spent') return shut;
    return firedSince(view, runStartedAtMs, view.facts.nowMs);
  };
}
