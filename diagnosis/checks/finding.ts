import type { Fix } from '../fixes/fix';
import type { Inventory, Resource } from '../inventory/inventory';
import type { Sender } from '../inventory/senders';

/** What follows from a finding. Nothing that loses messages has the last one. */
export type Severity = 'rejected' | 'loses' | 'at-risk' | 'on-change' | 'unwatched' | 'note';

/** What each severity means, the most severe first. */
export const CONSEQUENCES: Readonly<Record<Severity, string>> = {
  rejected: 'AWS refuses it, and the deployment fails',
  loses: 'messages are lost now, although nothing has failed',
  'at-risk': 'messages are lost as soon as something fails',
  'on-change': 'messages are lost during a deployment',
  unwatched: 'messages are late, or a loss goes unnoticed',
  note: 'no message is lost',
};

/** The most severe first. */
export const SEVERITIES: readonly Severity[] = ['rejected', 'loses', 'at-risk', 'on-change', 'unwatched', 'note'];

/** Whether one severity is at least as high as another. */
export function isAtLeastAsSevere(severity: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(other);
}

/** A problem that a check found. */
export interface Finding {
  /** The id of the check: docs/doctor.md has a section for each. */
  readonly id: string;
  readonly severity: Severity;
  readonly resource: Resource;
  /** The ARNs of the resource and of all others it names. */
  readonly about: readonly string[];
  /** In a template, the place in the resource: `Properties/RedrivePolicy`. @default - the resource as a whole */
  readonly location?: string;
  /** What is wrong and what follows from it, in one or two sentences. */
  readonly says: string;
  readonly fix: Fix;
}

export function findingsAbout(arn: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ about }) => about.includes(arn));
}

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
