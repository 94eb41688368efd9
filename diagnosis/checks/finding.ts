import type { Fix } from '../fixes/fix';
import type { Inventory, Resource } from '../inventory/inventory';

/**
 * How bad it is: AWS rejects it; messages are lost by it, or will be; what is lost is not told of; or somebody should know.
 */
export type Severity = 'rejected' | 'loses' | 'unwatched' | 'note';

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ['rejected', 'loses', 'unwatched', 'note'];

/** Whether a finding is as bad as another, or worse. */
export function isAtLeastAsSevere(severity: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(other);
}

/** Something a check found. */
export interface Finding {
  /** Of the check: see docs/doctor.md, which has a section on each. */
  readonly id: string;
  readonly severity: Severity;
  /** What it is about. */
  readonly resource: Resource;
  /** The ARNs of all it names: of the resource, and of whatever else has to do with it. */
  readonly about: readonly string[];
  /** In a template, where in it: `Properties/RedrivePolicy`. @default - the resource as a whole */
  readonly location?: string;
  /** What is wrong, and what comes of it, in a sentence or two. */
  readonly says: string;
  readonly fix: Fix;
}

/** What a check found; its id is the check's. */
export interface CheckResult extends Omit<Finding, 'id' | 'about'> {
  /** The ARNs of what it names besides the resource. @default - nothing else */
  readonly others?: readonly string[];
}

/** One rule over an inventory. */
export interface Check {
  /** Of the findings: docs/doctor.md has a section on each. */
  readonly id: string;
  /**
   * Whether it finds that something is missing, which may stand in what could not be read: where there is such, nothing is
   * said. @default - it finds what is there
   */
  readonly isOfAbsence?: true;
  /** What it finds, in the order of the inventory. It says nothing where what it needs is not told. */
  readonly find: (inventory: Inventory) => readonly CheckResult[];
}

/** A text with a capital letter first. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Of all findings those that have to do with a resource. */
export function findingsAbout(arn: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ about }) => about.includes(arn));
}
