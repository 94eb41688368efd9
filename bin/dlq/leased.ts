import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type LeaseOrder, withLease } from '../../account/changes/queue-lease';
import type { Connection } from '../../account/connection/connection';
import type { CommandContext } from '../shared/command-line';
import { interruptOf } from '../shared/io';
import { warn } from '../shared/print';

/** The permissions for a lease. Without them, a command continues and says so. */
export const LEASE_PERMISSIONS = {
  when: 'with --execute, to keep a second command away from the queue',
  actions: ['sqs:ListQueueTags', 'sqs:TagQueue', 'sqs:UntagQueue'],
} as const;

/** The lease, as the help of a command describes it. */
export const LEASE_HELP = `While it works, a tag of the queue keeps other dlo commands away that change it (a lease). --steal-lease takes over the
lease of a command that was killed. It expires by itself after five minutes.`;

/** The options of a command that takes a lease. */
export interface LeaseOptions {
  readonly stealLease?: boolean;
}

export function addLeaseOption(command: Command): Command {
  return command.option('--steal-lease', 'take over the lease of another command on the queue');
}

/**
 * Does work while a lease keeps other commands away from the queue. The work ends early, as after Ctrl-C, when another command takes
 * the lease over.
 * @throws Error if another command has the lease
 */
export function leased<T>(
  aws: Connection,
  { stealLease = false, ...order }: Omit<LeaseOrder, 'steals'> & LeaseOptions,
  context: CommandContext,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const { io, nowMs, wait } = context;
  const interrupt = interruptOf(io);
  const ports = { nowMs, wait, newId: randomUUID, warn: (text: string) => warn(io, [text]) };
  return withLease(aws, { ...order, steals: stealLease }, ports, lease =>
    work({
      ...context,
      wait: lease.wait,
      interrupt: {
        get isAsked() {
          return interrupt.isAsked || lease.isLost();
        },
      },
    }),
  );
}
