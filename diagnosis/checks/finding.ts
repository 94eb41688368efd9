import type { Fix } from '../fixes/fix';
import type { Resource } from '../inventory/inventory';

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
