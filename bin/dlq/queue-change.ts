import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { HeldLease } from '../../account/changes/queue-lease';
import { changeQueue as leasedChange, type QueueChange } from '../../account/changes/queue-lease';
import type { Connection } from '../../account/connection/connection';
import { AUDIT_PERMISSIONS, type AuditOptions, addAuditOption, auditLogGroupOf } from '../shared/audit';
import type { CommandContext } from '../shared/command-line';
import { interruptOf } from '../shared/io';
import { warn } from '../shared/print';

/** The permissions for a lease. Without them, a command continues and says so. */
export const LEASE_PERMISSIONS = {
  when: 'with --execute, to keep a second command away from the queue',
  actions: ['sqs:ListQueueTags', 'sqs:TagQueue', 'sqs:UntagQueue'],
} as const;

/** The permissions of a change of a queue that are not needed in every case. */
export const CHANGE_PERMISSIONS = [LEASE_PERMISSIONS, AUDIT_PERMISSIONS];

export const CHANGE_HELP = `While it works, a tag of the queue keeps other dlo commands away that change it (a lease). --steal-lease takes over the
lease of a command that was killed. It expires by itself after five minutes. With --audit-log-group, CloudWatch Logs has
a record of the change before it begins and of its outcome. If the first cannot be written, nothing is changed.`;

/** The options of a command that changes a queue. */
export interface ChangeOptions extends AuditOptions {
  readonly stealLease?: boolean;
}

export function addChangeOptions(command: Command): Command {
  return addAuditOption(command.option('--steal-lease', 'take over the lease of another command on the queue'));
}

interface CommandChange<T> extends Omit<QueueChange<T>, 'steals' | 'auditLogGroup' | 'work'> {
  /** @param during with waits and interrupts that end the work when another command takes the lease over */
  readonly work: (during: CommandContext) => Promise<T>;
}

/**
 * Changes a queue, while a lease keeps other commands away, and records the change.
 * @throws Error if another command has the lease, or the record cannot be written. Then nothing has been changed.
 */
export function changeQueue<T>(
  aws: Connection,
  options: ChangeOptions,
  context: CommandContext,
  change: CommandChange<T>,
): Promise<T> {
  const { io, nowMs, wait } = context;
  const interrupt = interruptOf(io);
  const ports = { nowMs, wait, newId: randomUUID, warn: (text: string) => warn(io, [text]) };
  const work = (lease: HeldLease) =>
    change.work({
      ...context,
      wait: lease.wait,
      interrupt: {
        get isAsked() {
          return interrupt.isAsked || lease.isLost();
        },
      },
    });
  const { stealLease: steals = false } = options;
  return leasedChange(aws, { ...change, steals, auditLogGroup: auditLogGroupOf(options), work }, ports);
}
