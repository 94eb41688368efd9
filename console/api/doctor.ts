import type { Severity } from './common';

export interface DoctorFeeds {
  readonly doctor: DoctorDocument;
}

export interface FindingDocument {
  readonly check: string;
  readonly resource: string;
  /** The ARN, or where it is in a template. */
  readonly where: string;
  readonly says: string;
  readonly fix: string;
  /** The missing policy statement, as JSON. */
  readonly statement: string | null;
  /** The commands of `aws` that do it. Empty if a person must decide. */
  readonly commands: readonly string[];
  readonly guide: string;
}

export interface ConsequenceDocument {
  readonly severity: Severity;
  /** `messages are lost now, although nothing has failed`. */
  readonly says: string;
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
