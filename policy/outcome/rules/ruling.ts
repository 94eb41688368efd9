import type { TransportFailure } from '../outcome';
import type { GoverningPolicy } from '../protocol';

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
