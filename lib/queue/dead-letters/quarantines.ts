import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** The same in every copy of this library: an app may hold it twice. */
const QUARANTINE: unique symbol = Symbol.for('dead-letter-office.Quarantine');

/** Makes quarantines of all queues of a class: it is known of them while they are still being made. */
export function markQuarantines({ prototype }: { readonly prototype: IQueue }): void {
  Object.defineProperty(prototype, QUARANTINE, { value: true });
}

/**
 * Whether a queue is a quarantine, by whatever construct it goes: one that was imported by a quarantine's own ARN is. What is
 * in there has had its automatic pass, and no automation takes it out.
 */
export function isQuarantine(queue: IQueue): boolean {
  if (QUARANTINE in queue) return true;
  const all = queue.node.root.node.findAll();
  return all.some(it => QUARANTINE in it && 'queueArn' in it && it.queueArn === queue.queueArn);
}
