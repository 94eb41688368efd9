import type { Finding } from '../../../diagnosis/checks/finding';
import type { FedQueue } from '../../../diagnosis/inventory/feeders';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { parseArn } from '../../../policy/arn';
import type { ExpirySpan } from '../../../policy/messages/expiry-span';
import { totalOf } from '../../../policy/redrive/budget';
import type { MoveFacts, QueueDepth } from '../../../policy/redrive/redrive-facts';
import { knownValue } from '../../../template/told';

/** Whether a queue that is named for dead letters is there. */
export type Whereabouts =
  | { readonly kind: 'here' }
  /** What is sent there is lost. */
  | { readonly kind: 'gone' }
  /** Nobody can tell from here. */
  | { readonly kind: 'elsewhere'; readonly account: string; readonly region: string };

export function whereaboutsOf({ arn, queue }: FedQueue, inventory: Inventory): Whereabouts {
  if (queue) return { kind: 'here' };
  const { account = '', region = '' } = parseArn(arn) ?? {};
  const isHere = account === knownValue(inventory.account) && region === knownValue(inventory.region);
  return isHere ? { kind: 'gone' } : { kind: 'elsewhere', account, region };
}

/** A dead-letter queue, and all that is told of it. */
export interface ListedQueue extends FedQueue {
  readonly name: string;
  readonly whereabouts: Whereabouts;
  /** Undefined where it is not there, or may not be read. */
  readonly depth?: QueueDepth;
  /** Since when it has held its oldest letter. Undefined where it holds none, or CloudWatch has no figure. */
  readonly heldSinceMs?: number;
  /** When the first letter expires. */
  readonly expiry?: ExpirySpan;
  /** Move tasks that run, or are being cancelled. */
  readonly moves: readonly MoveFacts[];
  /** What is missing, so that letters are lost or nobody is told of them. */
  readonly findings: readonly Finding[];
}

/** All its letters, seen or not. */
export function messagesOf({ depth }: ListedQueue): number {
  return depth ? totalOf(depth) : 0;
}

/** Those with letters first, and of these the one whose first letter expires soonest; then by name. */
export function byUrgency(one: ListedQueue, other: ListedQueue): number {
  const [has, hasOther] = [one, other].map(it => messagesOf(it) > 0);
  if (has !== hasOther) return has ? -1 : 1;
  const [soon = Number.POSITIVE_INFINITY, soonOther = Number.POSITIVE_INFINITY] = [one, other].map(
    ({ expiry }) => expiry?.earliestMs,
  );
  if (soon !== soonOther) return soon < soonOther ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}
