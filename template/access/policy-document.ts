/** A policy document as IAM reads it, already parsed from JSON. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  /** A statement, or a list of them. */
  readonly Statement: unknown;
}
