import type { BackoffFunction } from './delivery-policy';

/** The backoff phase, from its first delay to its last. */
export interface BackoffSpan {
  /** Seconds before the first retry of the phase. */
  readonly minDelaySeconds: number;
  /** Seconds before the last retry of the phase. */
  readonly maxDelaySeconds: number;
  /** How many retries the phase has. */
  readonly retries: number;
}

/** One curve: seconds before retry `i` (counted from 1) of a span that has at least two retries. */
type Curve = (span: BackoffSpan, i: number) => number;

/** How far retry `i` is along its span: 0 at the first, 1 at the last. */
function progress({ retries }: BackoffSpan, i: number): number {
  return (i - 1) / (retries - 1);
}

function between({ minDelaySeconds, maxDelaySeconds }: BackoffSpan, share: number): number {
  return minDelaySeconds + (maxDelaySeconds - minDelaySeconds) * share;
}

/**
 * AWS documents the two ends of every curve, and `linear` whole. It has never published what lies between the ends of
 * the other three: those are our choice, made so that each meets both ends, never falls, and is at or below `linear`.
 * The exponential one is (2^(i-1) - 1) / (2^(n-1) - 1), divided through by 2^(n-1) so that a long phase cannot overflow.
 */
const CURVES: Readonly<Record<BackoffFunction, Curve>> = {
  linear: (span, i) => between(span, progress(span, i)),
  arithmetic: (span, i) => between(span, progress(span, i) ** 2),
  geometric: (span, i) => span.minDelaySeconds * (span.maxDelaySeconds / span.minDelaySeconds) ** progress(span, i),
  exponential: (span, i) =>
    between(span, (2 ** (i - span.retries) - 2 ** (1 - span.retries)) / (1 - 2 ** (1 - span.retries))),
};

/**
 * Seconds before retry `i` of the backoff phase, counted from 1. A phase of one retry waits the least delay.
 *
 * @throws RangeError when `i` is not a retry of this phase
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function backoffDelay(backoffFunction: BackoffFunction, span: BackoffSpan, i: number): number {
  if (!Number.isInteger(i) || i < 1 || i > span.retries) {
    throw new RangeError(`backoff retry must be a whole number from 1 to ${span.retries}, got ${i}`);
  }
  if (i === 1) return span.minDelaySeconds;
  if (i === span.retries) return span.maxDelaySeconds;
  return CURVES[backoffFunction](span, i);
}
