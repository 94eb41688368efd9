import type { Caller } from './caller';

/** A policy document as IAM reads it, already parsed from JSON. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement: unknown;
}

/** May this caller do this to that? */
export interface AccessRequest {
  readonly caller: Caller;
  /** For example `sqs:SendMessage`. */
  readonly action: string;
  /** The ARN of what is acted upon, or `*` where the action has no resource. */
  readonly resource: string;
  /** The policy attached to the resource itself, where it has one. */
  readonly resourcePolicy?: PolicyDocument;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** Why, for whoever reads the trace: which statement allowed or denied, or what no statement allowed. */
  readonly reason: string;
  /** Whether a statement says Deny, rather than none says Allow. @default false */
  readonly isDenied?: boolean;
}

/** Evaluates identity and resource policies as AWS does. */
export interface AccessControl {
  decide(request: AccessRequest): AccessDecision;
}

/** A decision about a key. */
export interface KeyDecision extends AccessDecision {
  /** Of a refusal: the error as SQS reports it, for example `KMS.AccessDeniedException`. */
  readonly code?: string;
  /** Of a refusal: 500 and above when KMS itself is at fault. @default 400 */
  readonly httpStatus?: number;
}

/** What SQS and SNS ask of KMS before they touch an encrypted message. */
export interface KeyAccess {
  /**
   * May `caller` use the key for `action` (`kms:Decrypt`, `kms:GenerateDataKey`) through `viaService`
   * (`sqs.us-east-1.amazonaws.com`)? A key that does not exist, or is disabled, is a refusal too.
   *
   * @param keyId a key id, key ARN, alias name or alias ARN
   */
  decide(keyId: string, action: string, caller: Caller, viaService: string): KeyDecision;
}
