import type { Inventory } from '../inventory/inventory';
import type { Sender } from '../inventory/senders';
import type { Finding, Severity } from './finding';

// To add a check, write it in the file of its family in this folder, and list it in that file's table. CONTRIBUTING.md has
// the other steps.

/** The result of a check. Its id is the check's. */
export interface CheckResult extends Omit<Finding, 'id' | 'about'> {
  /** The ARNs of other resources it names. @default - none */
  readonly others?: readonly string[];
}

/** One rule over an inventory. */
export interface Check {
  /** The id of its findings: docs/doctor.md has a section for each. */
  readonly id: string;
  /** The severities that its findings can have, the worst first. */
  readonly severities: readonly Severity[];
  /**
   * What its findings report as missing, which an unread part of the inventory or another stage of the app may contain.
   * A check of missing configuration (a policy, a permission, a dead-letter queue) is skipped if a part of the inventory
   * could not be read. A check of missing alarms decides itself whether enough could be read. Neither reports a resource
   * that another stage names. @default - the check reports resources that exist
   */
  readonly reportsMissing?: 'configuration' | 'alarm';
  /** Returns its findings, in the order of the inventory. It reports nothing that depends on unknown values. */
  readonly find: (inventory: Inventory) => readonly CheckResult[];
}

/** The severity of a fault that keeps out a sender: dead letters are lost once something has failed, others at once. */
export function severityOf({ sendsDeadLetters }: Sender): Severity {
  return sendsDeadLetters ? 'at-risk' : 'loses';
}
