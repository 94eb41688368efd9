import type { Severity } from './common';

export interface DoctorFeeds {
  readonly doctor: DoctorDocument;
}

/** Findings of a check that say the same about different resources. `…` stands for the names in which they differ. */
export interface FindingDocument {
  readonly check: string;
  readonly says: string;
  readonly fix: string;
  /** The missing policy statement, as JSON. */
  readonly statement: string | null;
  readonly guide: string;
  readonly resources: readonly FoundResourceDocument[];
}

interface FoundResourceDocument {
  readonly name: string;
  readonly arn: string;
  /** Other resources that `…` stands for. */
  readonly others: readonly string[];
  /** The commands of `aws` that fix it. Empty if a person must decide. */
  readonly commands: readonly string[];
}

export interface ConsequenceDocument {
  readonly severity: Severity;
  /** `messages are lost now, although nothing has failed`. */
  readonly says: string;
  /** How many resources it has been found for. */
  readonly count: number;
  readonly findings: readonly FindingDocument[];
}

/** What the doctor finds, the most severe consequence first. */
export interface DoctorDocument {
  readonly readAtMs: number;
  /** `12 queues`, `at least 3 functions`. */
  readonly checked: readonly string[];
  /** Only those with findings. */
  readonly consequences: readonly ConsequenceDocument[];
  /** What could not be read, in sentences: the doctor says nothing about it. */
  readonly unknowns: readonly string[];
  /** The policy statement that would make it known. */
  readonly missing: string | null;
}
