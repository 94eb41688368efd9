import type { Fix } from '../fixes/fix';
import type { Resource } from '../inventory/inventory';

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
