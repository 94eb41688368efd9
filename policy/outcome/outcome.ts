import type { GoverningPolicy } from './protocol';

/** Why an attempt ended without any answer. */
export const TRANSPORT_FAILURES = [
  'timeout',
  'connection-refused',
  'connection-reset',
  'name-not-resolved',
  'bad-certificate',
  'unreachable',
  /** Its address is one nobody may send to. */
  'forbidden-address',
  /** No TLS came about, for another reason than the certificate. */
  'tls-failed',
  /** What came back is no HTTP. */
  'not-http',
  /** We could not: no file handles, no ports, no memory were left. */
  'local-failure',
] as const;

export type TransportFailure = (typeof TRANSPORT_FAILURES)[number];

/** The endpoint answered. */
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

/** What becomes of the message after one attempt. */
export type Verdict =
  | { readonly kind: 'delivered'; readonly reason: string }
  /** A server-side error: try again by the schedule `policy`, and dead-letter the message when that is used up. */
  | { readonly kind: 'retry'; readonly policy: GoverningPolicy; readonly reason: string }
  /** A client-side error: no retry, straight to the dead-letter queue if there is one. */
  | { readonly kind: 'dead'; readonly reason: string };

/** What a rule decides, and why in a few words. */
export interface Ruling {
  readonly kind: 'delivered' | 'retry' | 'dead';
  readonly reason: string;
  /**
   * The schedule a retry follows.
   * @default - the one that governs the protocol
   */
  readonly policy?: GoverningPolicy;
}

/** A rule on the error an endpoint names. */
export interface ErrorRule<R extends Ruling = Ruling> {
  readonly codes: readonly string[];
  /**
   * What the error's message must say as well.
   * @default - anything
   */
  readonly saying?: RegExp;
  readonly ruling: R;
}

/** A rule on the status of an answer; both ends belong to it. */
export interface StatusRule<R extends Ruling = Ruling> {
  readonly from: number;
  readonly to: number;
  readonly ruling: R;
}

/** How one protocol's answers are judged: by the error named, else by the status, the first match first. */
export interface ProtocolRules<R extends Ruling = Ruling> {
  readonly errors: readonly ErrorRule<R>[];
  readonly statuses: readonly StatusRule<R>[];
  /** For an answer no status rule covers. */
  readonly otherwise: R;
  /** For an attempt nobody answered. */
  readonly unanswered: Readonly<Record<TransportFailure, R>>;
}

/** What a server brings about, so that another attempt may fare better. */
export function retry(reason: string, policy?: GoverningPolicy): Ruling & { readonly kind: 'retry' } {
  return { kind: 'retry', reason, ...(policy && { policy }) };
}

/** What no further attempt can mend. */
export function dead(reason: string): Ruling {
  return { kind: 'dead', reason };
}

/**
 * An attempt without an answer is always tried again. AWS says so of timeouts and connection errors; that all others are
 * some of those is our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const UNANSWERED: Readonly<Record<TransportFailure, Ruling & { readonly kind: 'retry' }>> = {
  timeout: retry('no answer came in time'),
  'connection-refused': retry('the connection was refused'),
  'connection-reset': retry('the connection broke off'),
  'name-not-resolved': retry('the host name did not resolve'),
  'bad-certificate': retry('the certificate was not accepted'),
  unreachable: retry('the endpoint could not be reached'),
  'forbidden-address': retry('the address is not one to send to'),
  'tls-failed': retry('no secure connection came about'),
  'not-http': retry('the answer was no HTTP'),
  'local-failure': retry('the sender had nothing left to send with'),
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

/** What `rules` make of one attempt. The reason of a ruling on an answer names the status, and the error if it has one. */
export function judge<R extends Ruling>(rules: ProtocolRules<R>, outcome: Outcome): R {
  if (outcome.kind === 'unanswered') return rules.unanswered[outcome.failure];
  const ruling = rulingOnAnswer(rules, outcome);
  return { ...ruling, reason: `${ruling.reason} (${detailOf(outcome)})` };
}
