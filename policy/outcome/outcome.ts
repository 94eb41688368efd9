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
