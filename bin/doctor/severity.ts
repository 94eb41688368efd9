import type { Severity } from '../../lib/policy/checks/finding';

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ['rejected', 'loses', 'unwatched', 'note'];

/** Whether a finding is as bad as another, or worse. */
export function isAsBadAs(severity: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(other);
}
