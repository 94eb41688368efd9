import type { Caller } from './caller';
import type { Place } from './place';

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
  /** Of a refusal: the error as SQS reports it. @default KEY_ACCESS_DENIED */
  readonly code?: string;
  /** Of a refusal: 500 and above when KMS itself is at fault. @default 400 */
  readonly httpStatus?: number;
}

/** What the services that keep things encrypted ask of KMS before they touch them. */
export interface KeyAccess {
  /**
   * May `caller` use the key for `action` (`kms:Decrypt`, `kms:GenerateDataKey`) through `viaService`
   * (`sqs.us-east-1.amazonaws.com`)? A key that does not exist, or is disabled, is a refusal too.
   *
   * @param keyId a key id, key ARN, alias name or alias ARN
   * @param caller who is told, in its `latency`, how much longer the answer takes
   */
  decide(keyId: string, action: string, caller: Caller, viaService: string): KeyDecision;
}

/** The code of a refusal that is for want of permission. */
export const KEY_ACCESS_DENIED = 'KMS.AccessDeniedException';

/** What a key was asked for and refused, with nothing left to be filled in. */
export interface KeyRefusal {
  /** For example `kms:Decrypt`. */
  readonly action: string;
  readonly reason: string;
  readonly code: string;
  readonly httpStatus: number;
}

/** Who asks a key for something. */
export interface KeyUse {
  readonly keyId: string;
  readonly caller: Caller;
  /** Through which service: the first part of its host, for example `sqs`. */
  readonly via: string;
}

/** Asks a key for one thing after another. Answers the first it refuses, which each service words as it does on AWS. */
export function keyRefusal(
  { keys, place }: { readonly keys: KeyAccess; readonly place: Pick<Place, 'region' | 'urlSuffix'> },
  { keyId, caller, via }: KeyUse,
  ...actions: readonly string[]
): KeyRefusal | undefined {
  for (const action of actions) {
    const decision = keys.decide(keyId, action, caller, `${via}.${place.region}.${place.urlSuffix}`);
    const { allowed, reason, code = KEY_ACCESS_DENIED, httpStatus = 400 } = decision;
    if (!allowed) return { action, reason, code, httpStatus };
  }
  return undefined;
}

/** How the services that ask KMS tell what it answered them, after a text of their own. */
export function kmsAnswer({ code, httpStatus }: KeyRefusal): string {
  return `(Service: AWSKMS; Status Code: ${httpStatus}; Error Code: ${code.replace('KMS.', '')})`;
}

/** What a service asks of IAM before it acts with a role it was given; IAM itself is one of these. */
export interface RoleTrust {
  /**
   * Whether the role's trust policy lets a service (`sns.amazonaws.com`) act with the role.
   *
   * @param context condition keys the service brings along, such as `aws:SourceArn`
   */
  decideAssumeRole(service: string, roleArn: string, context?: Caller['context']): AccessDecision;
}

/** Temporary credentials in the form in which a function's environment holds them. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Who holds which access key. */
export interface Credentials {
  /**
   * New credentials for a session of the role, which last as long as the world, or until their issuer forgets them.
   *
   * @param sessionName a function's is its own name @default - the caller goes by the role's ARN
   * @param context condition keys that each call with them carries @default - only what every call does
   */
  issue(roleArn: string, sessionName?: string, context?: Caller['context']): SessionCredentials;
  /**
   * The caller behind an access key: the role it was issued for, otherwise an administrator of the account.
   *
   * @throws AwsError `ExpiredToken`
   */
  caller(accessKeyId: string | undefined): Caller;
}
