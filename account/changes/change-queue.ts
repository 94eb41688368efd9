import type { Connection } from '../connection/connection';
import type { NamedQueue } from '../messages/named-queue';
import { audited } from './audit-record';
import { type HeldLease, type LeaseOrder, type LeasePorts, withLease } from './queue-lease';

export interface QueueChange<T> extends LeaseOrder {
  readonly queue: Pick<NamedQueue, 'url' | 'name' | 'arn'>;
  /** The id of the plan. @default - the command has none */
  readonly plan?: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Undefined writes no audit record. */
  readonly auditLogGroup: string | undefined;
  /** The work must end when another command takes the lease over. */
  readonly work: (lease: HeldLease) => Promise<T>;
  readonly outcomeOf: (result: T) => object;
}

/**
 * Changes a queue, while a lease keeps other commands away, and records the change.
 * @throws Error if another command has the lease, or the record cannot be written. Then nothing has been changed.
 */
export function changeQueue<T>(aws: Connection, change: QueueChange<T>, ports: LeasePorts): Promise<T> {
  const { queue, command, plan, details, auditLogGroup, work, outcomeOf } = change;
  const recorded = { command, resource: queue.arn, details, ...(plan !== undefined && { plan }) };
  return withLease(aws, change, ports, lease =>
    audited(aws, auditLogGroup, recorded, ports, () => work(lease), outcomeOf),
  );
}
