import type { Inventory } from '../inventory/inventory';
import type { Finding } from './finding';

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
