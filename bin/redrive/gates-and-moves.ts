import { type PreconditionState, preconditionsAt } from '../../policy/redrive/gates';
import { canaryOf } from '../../policy/redrive/planned-step';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { historyOf } from '../../policy/redrive/runs';
import { redriveContextOf } from '../../policy/redrive/view';
import type { RedriveView } from './look';

/** So many moves tell of the last runs. */
const MOVES_SHOWN = 5;

/** Each gate as it is now: of a run that would begin, or where letters move, of going on with it. */
export function gatesOf({ redrive, facts, byItself }: RedriveView): readonly PreconditionState[] {
  if (byItself.state === 'moving') return preconditionsAt('watch', redriveContextOf(redrive.settings, facts));
  const view = redriveContextOf(redrive.settings, { ...facts, trigger: 'operator' });
  return preconditionsAt('start', view, canaryOf(view));
}

/** A move, and whether it is the redrive's own. */
export interface ShownMove extends MoveFacts {
  readonly isOwn: boolean;
}

/** The last moves of its letters, the newest first. */
export function movesOf({ redrive, facts }: RedriveView): readonly ShownMove[] {
  const { runs } = historyOf(facts.moves, redrive.settings);
  const own = new Set(runs.flatMap(({ steps }) => steps.flatMap(({ moves }) => moves)));
  return facts.moves.slice(0, MOVES_SHOWN).map(move => ({ ...move, isOwn: own.has(move) }));
}
