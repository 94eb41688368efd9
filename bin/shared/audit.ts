import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { AUDIT_WRITES, type AuditedChange, audited } from '../../account/changes/audit-record';
import type { Connection } from '../../account/connection/connection';
import type { CommandContext } from './command-line';
import { warn } from './print';

export const AUDIT_PERMISSIONS = { when: 'with --execute and --audit-log-group', actions: AUDIT_WRITES } as const;

/** The audit record, for a help without a table of permissions. */
export const AUDIT_HELP = `With --audit-log-group also ${AUDIT_WRITES.join(' and ')}.`;

/** The option of a command that changes something. */
export interface AuditOptions {
  /** The log group for audit records. @default - DLO_AUDIT_LOG_GROUP */
  readonly auditLogGroup?: string;
}

/** The log group for audit records. Undefined for none. */
export function auditLogGroupOf({ auditLogGroup }: AuditOptions): string | undefined {
  return auditLogGroup ?? (process.env['DLO_AUDIT_LOG_GROUP'] || undefined);
}

export function addAuditOption(command: Command): Command {
  return command.option(
    '--audit-log-group <name>',
    'record who does what, and the outcome, in this log group (default: DLO_AUDIT_LOG_GROUP, else no record)',
  );
}

/**
 * Does work, and records it if the user or the environment names a log group.
 * @throws Error if the record cannot be written before. Then the work has not begun.
 */
export function withAudit<T>(
  aws: Connection,
  options: AuditOptions,
  { io, nowMs }: Pick<CommandContext, 'io' | 'nowMs'>,
  change: AuditedChange,
  work: () => Promise<T>,
  outcomeOf: (result: T) => object = () => ({}),
): Promise<T> {
  const ports = { nowMs, newId: randomUUID, warn: (text: string) => warn(io, [text]) };
  return audited(aws, auditLogGroupOf(options), change, ports, work, outcomeOf);
}
