import type { DeadLetterCause } from '../../policy/relay/relay-step';

/** What became of one message in an invocation. */
export type DeliveryResult =
  | { readonly kind: 'delivered' }
  /** The dead-letter queue has it. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause }
  /** The queue keeps it until `dueAtMs`. */
  | { readonly kind: 'retry'; readonly dueAtMs: number }
  /** The queue has it again at once: nothing was tried, or there is no time to go on. */
  | { readonly kind: 'handed-back'; readonly reason: string }
  /** Something broke: the queue has it again after its own visibility timeout. */
  | { readonly kind: 'left'; readonly reason: string };

/** Whether the queue may forget the message. */
export function isDone({ kind }: DeliveryResult): boolean {
  return kind === 'delivered' || kind === 'dead';
}

/**
 * How long the queue hides the message, in whole seconds from `nowMs`; undefined where it is left to the queue. A delay
 * counts from the attempt, however long the rest of the batch took meanwhile.
 */
export function visibilitySeconds(ending: DeliveryResult, nowMs: number): number | undefined {
  if (ending.kind === 'handed-back') return 0;
  if (ending.kind !== 'retry') return undefined;
  return Math.max(0, Math.ceil((ending.dueAtMs - nowMs) / 1_000));
}
