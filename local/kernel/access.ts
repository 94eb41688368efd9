import { keyServiceNames } from '../../policy/arn';
import type { Caller } from './caller';
import type { Place } from './place';

/** A policy document as IAM reads it, already parsed from JSON. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement: unknown;
}

/** Asks whether a caller may perform an action on a resource. */
export interface AccessRequest {
  readonly caller: Caller;
  /** For example `sqs:SendMessage`. */
  readonly action: string;
  /** The ARN of the resource, or `*` where the action has no resource. */
  readonly resource: string;
  /** The policy attached to the resource. @default - the resource has none */
  readonly resourcePolicy?: PolicyDocument;
  /**
   * Whether only the policies of the caller are asked. Services check a role in advance in this way, before they know the
   * policies of a resource in another account. @default false
   */
  readonly asksOwnPoliciesOnly?: boolean;
  /** Another account whose own policies decide, as those of the account in the ARN do. @default - none */
  readonly coOwner?: string | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** The reason for the trace: which statement allowed or denied the request, or that no statement allowed it. */
  readonly reason: string;
  /** Whether a statement denies the request explicitly; otherwise no statement allows it. @default false */
  readonly isDenied?: boolean;
  /**
   * The ARNs of managed policies whose documents are unknown, if the decision depends on them. It is then allowed.
   * @default - the decision is certain
   */
  readonly unknownPolicies?: readonly string[];
}

/** A call of a role that was allowed, and that AWS may refuse. */
export interface UnknownDecision {
  readonly roleArn: string;
  /** The managed policies whose documents are unknown: attached ones that may allow the call, a boundary that may limit it. */
  readonly policyArns: readonly string[];
  /** For example `sqs:SendMessage`. */
  readonly action: string;
  readonly resource: string;
}

/** Evaluates identity policies and resource policies as AWS does. */
export interface AccessControl {
  decide(request: AccessRequest): AccessDecision;
}

export interface KeyDecision extends AccessDecision {
  /** Set on a refusal: the error code, as SQS reports it. @default KEY_ACCESS_DENIED */
  readonly code?: string;
  /** Set on a refusal: 500 and above when KMS itself fails. @default 400 */
  readonly httpStatus?: number;
}

/** Answers the services that encrypt data whether a caller may use a key. */
export interface KeyAccess {
  /**
   * Decides whether `caller` may use the key for `action` (`kms:Decrypt`, `kms:GenerateDataKey`) through `viaService`
   * (`sqs.us-east-1.amazonaws.com`). A key that does not exist or is disabled is refused as well.
   *
   * @param keyId a key id, key ARN, alias name or alias ARN
   * @param caller its `latency` is set to the additional time that the answer takes
   */
  decide(keyId: string, action: string, caller: Caller, viaService: string): KeyDecision;
}

/** The error code of a refusal for a missing permission. */
export const KEY_ACCESS_DENIED = 'KMS.AccessDeniedException';

/** A refused use of a key, with every default filled in. */
interface KeyRefusal {
  /** For example `kms:Decrypt`. */
  readonly action: string;
  readonly reason: string;
  readonly code: string;
  readonly httpStatus: number;
}

interface KeyUse {
  readonly keyId: string;
  readonly caller: Caller;
  /** The service, as the first part of its host name: for example `sqs`. */
  readonly via: string;
  /** The encryption context that the service sends. @default - none, or `caller` has it */
  readonly encryptionContext?: Readonly<Record<string, string>>;
}

function withEncryptionContext(caller: Caller, encryptionContext: Readonly<Record<string, string>>): Caller {
  const pairs = Object.entries(encryptionContext).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
  return { ...caller, context: { ...caller.context, ...Object.fromEntries(pairs) } };
}

/** Checks several uses of a key in order. Returns the first refusal, which each service puts in its own words. */
export function keyRefusal(
  { keys, place }: { readonly keys: KeyAccess; readonly place: Pick<Place, 'region' | 'urlSuffix'> },
  { keyId, caller, via, encryptionContext = {} }: KeyUse,
  ...actions: readonly string[]
): KeyRefusal | undefined {
  for (const action of actions) {
    const [viaService] = keyServiceNames(via, place.region, place.urlSuffix);
    const decision = keys.decide(keyId, action, withEncryptionContext(caller, encryptionContext), viaService);
    const { allowed, reason, code = KEY_ACCESS_DENIED, httpStatus = 400 } = decision;
    if (!allowed) return { action, reason, code, httpStatus };
  }
  return undefined;
}

/** Describes the answer of KMS, in the form that services append to their own error text. */
export function kmsAnswer({ code, httpStatus }: KeyRefusal): string {
  return `(Service: AWSKMS; Status Code: ${httpStatus}; Error Code: ${code.replace('KMS.', '')})`;
}

/** Decides whether a service may assume a role. IAM implements it. */
export interface RoleTrust {
  /**
   * Decides whether the role's trust policy lets a service (`sns.amazonaws.com`) assume the role.
   *
   * @param context condition keys that the service sends, such as `aws:SourceArn`
   */
  decideAssumeRole(service: string, roleArn: string, context?: Caller['context']): AccessDecision;
}

/** Temporary credentials, as a function's environment variables hold them. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Issues access keys, and finds the caller of an access key. */
export interface Credentials {
  /**
   * Issues credentials for a session of the role. They are valid until the simulation ends or until their issuer
   * revokes them.
   *
   * @param sessionName for a function, its name @default - the caller is identified by the role's ARN
   * @param context condition keys of each call with these credentials @default - only those of every call
   */
  issue(roleArn: string, sessionName?: string, context?: Caller['context']): SessionCredentials;
  /**
   * Returns the caller of an access key: the role it was issued for, otherwise an administrator of the account.
   *
   * @throws AwsError `ExpiredToken`
   */
  caller(accessKeyId: string | undefined): Caller;
}
