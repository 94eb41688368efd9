import { QUEUE_COUNTS_LATE_MS } from '../../policy/aws-limits';
import { returnedAtMost } from '../../policy/redrive/returned-messages';
import { type ManualRedrivePlan, WAIT_FOR_DELETED_COUNT_MS } from './manual-redrive-plan';

/** How many messages each queue holds: visible, in flight and delayed. */
export interface Depths {
  readonly deadLetters: number;
  /** @default - the destination is not a queue */
  readonly destination?: number;
  /**
   * The queue for messages that fail again.
   * @default - there is none, it is unknown, or it is the dead-letter queue itself
   */
  readonly failures?: number;
}

export type ManualRedriveVerdict =
  /** So many came back. As many other new dead letters would look the same. */
  | { readonly kind: 'returned'; readonly returned: number }
  /** So many may still be in the destination, because nothing was seen to consume them. */
  | {
      readonly kind: 'not-consumed';
      readonly waiting: number;
      /** Whether an enabled event source mapping reads the destination. */
      readonly isRead: boolean;
    }
  /** No message came back. If the destination is a queue, all were certainly consumed. */
  | { readonly kind: 'succeeded' }
  /** The result cannot be determined. */
  | {
      readonly kind: 'unknown';
      /**
       * None came back while it was watched; until this time some still may. @default - the queue for failures is
       * unknown
       */
      readonly untilMs?: number;
    };

export interface Observation {
  readonly nowMs: number;
  /** Before anything was moved. */
  readonly before: Depths;
  readonly now: Depths;
  readonly moved: number;
  /** Since the last of them was moved. */
  readonly elapsedMs: number;
  /**
   * How long every check has found the destination empty: nothing visible, in flight or delayed. 0 if the last check
   * did not.
   */
  readonly emptyForMs: number;
  /**
   * How many messages were deleted from the destination since the first message was moved. @default - unknown, or not
   * yet known
   */
  readonly deleted?: number;
}

/** How many came back, according to the queue depths; undefined if the queue for failures is unknown. */
function returnedIn(
  { failuresArn, deadLetters }: Pick<ManualRedrivePlan, 'failuresArn' | 'deadLetters'>,
  { before, now, moved }: Pick<Observation, 'before' | 'now' | 'moved'>,
): number | undefined {
  if (failuresArn === deadLetters.arn) return returnedAtMost(moved, now.deadLetters - (before.deadLetters - moved));
  if (now.failures === undefined || before.failures === undefined) return undefined;
  return returnedAtMost(moved, now.failures - before.failures);
}

/**
 * Whether as many messages were deleted as had waited before and were moved: a queue delivers messages roughly in
 * order.
 */
function isWorkedOff({ deleted, before, moved }: Observation): boolean {
  return deleted !== undefined && deleted >= (before.destination ?? 0) + moved;
}

/** Returns the verdict if no message is known to have come back and the time to watch is over. */
function unreturned(
  { settleMs }: ManualRedrivePlan,
  { nowMs, elapsedMs }: Observation,
  isKnown: boolean,
): ManualRedriveVerdict {
  if (!isKnown) return { kind: 'unknown' };
  return elapsedMs >= settleMs ? { kind: 'succeeded' } : { kind: 'unknown', untilMs: nowMs - elapsedMs + settleMs };
}

/** @param isKnown whether it is known that none came back */
function ofQueue(
  plan: ManualRedrivePlan,
  look: Observation,
  destination: number,
  isKnown: boolean,
): ManualRedriveVerdict | undefined {
  const { before, moved, elapsedMs, emptyForMs } = look;
  const { destination: waitedBefore = 0 } = before;
  const isOver = elapsedMs >= plan.watchMs;
  // Two checks, as far apart as counts can be late. A consumer deletes a message or lets it go to the queue for
  // failures.
  const standsEmpty = emptyForMs >= QUEUE_COUNTS_LATE_MS;
  if (standsEmpty && isKnown && (isOver || waitedBefore === 0)) return { kind: 'succeeded' };
  if (!isOver || (destination === 0 && !standsEmpty)) return undefined;
  if (standsEmpty || isWorkedOff(look)) return unreturned(plan, look, isKnown);
  const isUntouched = destination >= waitedBefore + moved;
  if (!isUntouched && elapsedMs < plan.watchMs + WAIT_FOR_DELETED_COUNT_MS) return undefined;
  return { kind: 'not-consumed', waiting: Math.min(moved, destination), isRead: plan.isRead };
}

/**
 * The result of a redrive; undefined while it is too early to say. No count is used before it can be correct: SQS's
 * counts are up to one minute late.
 */
export function verdictOf(plan: ManualRedrivePlan, look: Observation): ManualRedriveVerdict | undefined {
  const { now, elapsedMs } = look;
  if (elapsedMs < QUEUE_COUNTS_LATE_MS) return undefined;
  const returned = returnedIn(plan, look);
  if (returned !== undefined && returned > 0) return { kind: 'returned', returned };
  if (now.destination !== undefined) {
    // A queue without a dead-letter queue keeps messages that fail, so a message that has left it was processed.
    return ofQueue(plan, look, now.destination, returned !== undefined || plan.failuresArn === undefined);
  }
  return elapsedMs < plan.watchMs ? undefined : unreturned(plan, look, returned !== undefined);
}
