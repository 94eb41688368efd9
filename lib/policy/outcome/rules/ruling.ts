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
export interface ErrorRule {
  readonly codes: readonly string[];
  /**
   * What the error's message must say as well.
   * @default - anything
   */
  readonly saying?: RegExp;
  readonly ruling: Ruling;
}

/** A rule on the status of an answer; both ends belong to it. */
export interface StatusRule {
  readonly from: number;
  readonly to: number;
  readonly ruling: Ruling;
}

/** How one protocol's answers are judged: by the error named, else by the status, the first match first. */
export interface ProtocolRules {
  readonly errors: readonly ErrorRule[];
  readonly statuses: readonly StatusRule[];
  /** For an answer no status rule covers. */
  readonly otherwise: Ruling;
}

/** What a server brings about, so that another attempt may fare better. */
export function retry(reason: string, policy?: GoverningPolicy): Ruling {
  return { kind: 'retry', reason, ...(policy && { policy }) };
}

/** What no further attempt can mend. */
export function dead(reason: string): Ruling {
  return { kind: 'dead', reason };
}

/**
 * An attempt without an answer is always tried again. AWS says so of timeouts and connection errors; that a name which
 * does not resolve is one of those is our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const TRANSPORT_REASONS: Readonly<Record<TransportFailure, string>> = {
  timeout: 'no answer came in time',
  'connection-refused': 'the connection was refused',
  'connection-reset': 'the connection broke off',
  'name-not-resolved': 'the host name did not resolve',
  'bad-certificate': 'the certificate was not accepted',
  unreachable: 'the endpoint could not be reached',
  'forbidden-address': 'the address is not one to send to',
  'tls-failed': 'no secure connection came about',
  'not-http': 'the answer was no HTTP',
  'local-failure': 'the sender had nothing left to send with',
};
