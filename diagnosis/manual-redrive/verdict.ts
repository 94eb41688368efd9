import { COUNTS_LATE_MS, FIGURES_LATE_MS, type ManualRedrivePlan } from './plan';

/** How many letters lie where, whether or not anybody can receive them. */
export interface Depths {
  readonly deadLetters: number;
  /** @default - it is no queue */
  readonly destination?: number;
  /** Where ends what fails again. @default - among the dead letters, nowhere, or nobody knows */
  readonly failures?: number;
}

/** What became of letters that were moved. */
export type Verdict =
  /** So many are back, or as many others have died meanwhile: nobody can tell one from the other. */
  | { readonly kind: 'came-back'; readonly returned: number }
  /** So many may lie in the destination yet: nobody has been seen to take them. */
  | {
      readonly kind: 'untaken';
      readonly waiting: number;
      /** Whether an event source mapping that is enabled reads the destination. */
      readonly isRead: boolean;
    }
  /** None came back; of a queue, all were taken from it for certain. */
  | { readonly kind: 'well' }
  /** Nobody can tell. */
  | {
      readonly kind: 'unproven';
      /** None came back while it was watched, and until then some may. @default - it is not known where failures end */
      readonly untilMs?: number;
    };

/** What a verdict is made of. */
export interface Observation {
  readonly nowMs: number;
  /** Before anything moved. */
  readonly before: Depths;
  readonly now: Depths;
  /** How many have moved since. */
  readonly moved: number;
  /** Since the last of them moved. */
  readonly elapsedMs: number;
  /** For how long each look has found the destination empty: nothing visible, in flight or delayed. 0 where the last did not. */
  readonly emptyForMs: number;
  /** How many messages were deleted from the destination since the first of them moved. @default - nobody knows, or not yet */
  readonly deleted?: number;
}

/** How many came back, as far as the queues tell; undefined where nobody knows where failures end. */
function returnedIn(
  { failuresArn, deadLetters }: Pick<ManualRedrivePlan, 'failuresArn' | 'deadLetters'>,
  { before, now, moved }: Pick<Observation, 'before' | 'now' | 'moved'>,
): number | undefined {
  const atMost = (more: number) => Math.min(moved, Math.max(0, more));
  if (failuresArn === deadLetters.arn) return atMost(now.deadLetters - (before.deadLetters - moved));
  if (now.failures === undefined || before.failures === undefined) return undefined;
  return atMost(now.failures - before.failures);
}

/** As many were deleted as waited before and were moved: a queue hands out messages about as they came. */
function isWorkedOff({ deleted, before, moved }: Observation): boolean {
  return deleted !== undefined && deleted >= (before.destination ?? 0) + moved;
}

/** None came back, as far as that is known, and the watch is over. */
function unreturned({ settleMs }: ManualRedrivePlan, { nowMs, elapsedMs }: Observation, isKnown: boolean): Verdict {
  if (!isKnown) return { kind: 'unproven' };
  return elapsedMs >= settleMs ? { kind: 'well' } : { kind: 'unproven', untilMs: nowMs - elapsedMs + settleMs };
}

/** @param isKnown whether it is known that none came back */
function ofQueue(
  plan: ManualRedrivePlan,
  look: Observation,
  destination: number,
  isKnown: boolean,
): Verdict | undefined {
  const { before, moved, elapsedMs, emptyForMs } = look;
  const { destination: waitedBefore = 0 } = before;
  const isOver = elapsedMs >= plan.watchMs;
  // Two looks as far apart as counts are late. Who takes a letter deletes it, or lets it go where failures end.
  const standsEmpty = emptyForMs >= COUNTS_LATE_MS;
  if (standsEmpty && isKnown && (isOver || waitedBefore === 0)) return { kind: 'well' };
  if (!isOver || (destination === 0 && !standsEmpty)) return undefined;
  if (standsEmpty || isWorkedOff(look)) return unreturned(plan, look, isKnown);
  const isUntouched = destination >= waitedBefore + moved;
  if (!isUntouched && elapsedMs < plan.watchMs + FIGURES_LATE_MS) return undefined;
  return { kind: 'untaken', waiting: Math.min(moved, destination), isRead: plan.isRead };
}

/**
 * What became of letters that were moved; undefined while it is too early to say. No count is believed before it can be true:
 * SQS's are late by up to a minute.
 */
export function verdictOf(plan: ManualRedrivePlan, look: Observation): Verdict | undefined {
  const { now, elapsedMs } = look;
  if (elapsedMs < COUNTS_LATE_MS) return undefined;
  const returned = returnedIn(plan, look);
  if (returned !== undefined && returned > 0) return { kind: 'came-back', returned };
  if (now.destination !== undefined) {
    // A queue without a dead-letter queue keeps what fails: whatever has left it was worked off.
    return ofQueue(plan, look, now.destination, returned !== undefined || plan.failuresArn === undefined);
  }
  return elapsedMs < plan.watchMs ? undefined : unreturned(plan, look, returned !== undefined);
}
