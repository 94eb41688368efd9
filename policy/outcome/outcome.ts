import type { GoverningPolicy } from './protocol';

/** Why an attempt ended without an answer. */
export const TRANSPORT_FAILURES = [
  'timeout',
  'connection-refused',
  'connection-reset',
  'name-not-resolved',
  'bad-certificate',
  'unreachable',
  /** Requests to this address are not allowed. */
  'forbidden-address',
  /** The TLS handshake failed, for another reason than the certificate. */
  'tls-failed',
  /** The answer is not HTTP. */
  'not-http',
  /** The sender itself failed: it ran out of file handles, ports or memory. */
  'local-failure',
] as const;

export type TransportFailure = (typeof TRANSPORT_FAILURES)[number];

export interface Answered {
  readonly kind: 'answered';
  /** The HTTP status of the answer; for e-mail, the SMTP reply code. */
  readonly statusCode: number;
  /** The service's own code, such as `AWS.SimpleQueueService.NonExistentQueue`; for SMS, the delivery status. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** No answer came. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly failure: TransportFailure;
}

/** How one delivery attempt ended. */
export type Outcome = Answered | Unanswered;

/** What SNS or a relay does with the message after one attempt. */
export type Verdict =
  | { readonly kind: 'delivered'; readonly reason: string }
  /** A server-side error: retry by the schedule `policy`, and dead-letter the message when its retries are used up. */
  | { readonly kind: 'retry'; readonly policy: GoverningPolicy; readonly reason: string }
  /** A client-side error: no retry, straight to the dead-letter queue if there is one. */
  | { readonly kind: 'dead'; readonly reason: string };

/** The decision of a rule, with a short reason. */
export interface Ruling {
  readonly kind: 'delivered' | 'retry' | 'dead';
  readonly reason: string;
  /**
   * The schedule a retry follows.
   * @default - the schedule of the protocol
   */
  readonly policy?: GoverningPolicy;
}

export interface ErrorRule<R extends Ruling = Ruling> {
  readonly codes: readonly string[];
  /**
   * A pattern that the error message must also match.
   * @default - any message
   */
  readonly saying?: RegExp;
  readonly ruling: R;
}

/** A rule for a range of statuses; both ends are included. */
export interface StatusRule<R extends Ruling = Ruling> {
  readonly from: number;
  readonly to: number;
  readonly ruling: R;
}

/** How the answers of one protocol are judged: first by error code, then by status. The first match counts. */
export interface ProtocolRules<R extends Ruling = Ruling> {
  readonly errors: readonly ErrorRule<R>[];
  readonly statuses: readonly StatusRule<R>[];
  /** For an answer that no status rule covers. */
  readonly otherwise: R;
  /** For an attempt without an answer. */
  readonly unanswered: Readonly<Record<TransportFailure, R>>;
}

/** A server-side error: another attempt may succeed. */
export function retry(reason: string, policy?: GoverningPolicy): Ruling & { readonly kind: 'retry' } {
  return { kind: 'retry', reason, ...(policy && { policy }) };
}

/** A client-side error: no other attempt can succeed. */
export function dead(reason: string): Ruling {
  return { kind: 'dead', reason };
}

/**
 * Attempts without an answer are always retried.
 * **Assumption SNS-10:** AWS documents that timeouts and connection errors are retried; here all other failures without
 * an answer count among them.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const UNANSWERED: Readonly<Record<TransportFailure, Ruling & { readonly kind: 'retry' }>> = {
  timeout: retry('no answer came in time'),
  'connection-refused': retry('the connection was refused'),
  'connection-reset': retry('the connection was lost'),
  'name-not-resolved': retry('the host name did not resolve'),
  'bad-certificate': retry('the certificate was not accepted'),
  unreachable: retry('the endpoint could not be reached'),
  'forbidden-address': retry('requests to the address are not allowed'),
  'tls-failed': retry('the TLS handshake failed'),
  'not-http': retry('the answer was not HTTP'),
  'local-failure': retry('the sender ran out of resources to send with'),
};

function rulingOnAnswer<R extends Ruling>({ errors, statuses, otherwise }: ProtocolRules<R>, answer: Answered): R {
  const { statusCode, errorCode, errorMessage = '' } = answer;
  const isNamed = ({ codes, saying }: ErrorRule<R>) =>
    errorCode !== undefined && codes.includes(errorCode) && (saying?.test(errorMessage) ?? true);
  const byError = errors.find(isNamed);
  if (byError) return byError.ruling;
  return statuses.find(({ from, to }) => statusCode >= from && statusCode <= to)?.ruling ?? otherwise;
}

function detailOf({ statusCode, errorCode }: Answered): string {
  return errorCode === undefined ? `${statusCode}` : `${statusCode} ${errorCode}`;
}

/**
 * Applies `rules` to one attempt. For an answer, the reason includes the status, and the error code if there is one.
 */
export function judge<R extends Ruling>(rules: ProtocolRules<R>, outcome: Outcome): R {
  if (outcome.kind === 'unanswered') return rules.unanswered[outcome.failure];
  const ruling = rulingOnAnswer(rules, outcome);
  return { ...ruling, reason: `${ruling.reason} (${detailOf(outcome)})` };
}
