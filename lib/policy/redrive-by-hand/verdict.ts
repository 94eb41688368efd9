import type { HandPlan } from './hand-plan';
import { COUNTS_LATE_MS } from './settling';

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
  /** Who reads the destination has left so many there. */
  | { readonly kind: 'untaken'; readonly waiting: number }
  /** None came back while it was watched; of a queue, all were taken from it. */
  | { readonly kind: 'well' }
  /** Nobody can tell: it is not known who reads the destination, in which so many wait, or where its failures end. */
  | { readonly kind: 'unproven'; readonly waiting: number };

/** What a verdict is made of. */
export interface Look {
  /** Before anything moved. */
  readonly before: Depths;
  readonly now: Depths;
  /** How many have moved since. */
  readonly moved: number;
  /** Since the last of them moved. */
  readonly elapsedMs: number;
}

/** How many came back, as far as the queues tell; undefined where nobody knows where failures end. */
export function returnedIn(
  { failuresArn, deadLetters }: Pick<HandPlan, 'failuresArn' | 'deadLetters'>,
  { before, now, moved }: Omit<Look, 'elapsedMs'>,
): number | undefined {
  const atMost = (more: number) => Math.min(moved, Math.max(0, more));
  if (failuresArn === deadLetters.arn) return atMost(now.deadLetters - (before.deadLetters - moved));
  if (now.failures === undefined || before.failures === undefined) return undefined;
  return atMost(now.failures - before.failures);
}

/**
 * What became of letters that were moved; undefined while it is too early to say. No count is believed before it can be true:
 * SQS's are late by up to a minute.
 */
export function verdictOf(plan: HandPlan, look: Look): Verdict | undefined {
  const { before, now, elapsedMs } = look;
  if (elapsedMs < COUNTS_LATE_MS) return undefined;
  const returned = returnedIn(plan, look);
  if (returned !== undefined && returned > 0) return { kind: 'came-back', returned };
  const waiting = now.destination === undefined ? 0 : Math.max(0, now.destination - (before.destination ?? 0));
  const isTaken = now.destination !== undefined && waiting === 0;
  // Who takes a letter deletes it, or lets it go where failures end, and that has been looked at.
  if (isTaken && returned !== undefined) return { kind: 'well' };
  if (elapsedMs < plan.settleMs) return undefined;
  if (waiting > 0) return plan.isRead ? { kind: 'untaken', waiting } : { kind: 'unproven', waiting };
  return returned === undefined && !isTaken ? { kind: 'unproven', waiting } : { kind: 'well' };
}
