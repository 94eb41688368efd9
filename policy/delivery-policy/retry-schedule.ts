import type { BackoffFunction, RetryPolicy } from './delivery-policy';

/** The four phases of a delivery policy, in their order. */
export const RETRY_PHASES = ['no-delay', 'pre-backoff', 'backoff', 'post-backoff'] as const;

export type RetryPhase = (typeof RETRY_PHASES)[number];

export interface PhaseSpan {
  readonly phase: RetryPhase;
  /** The number of its first retry, counted from 1 over the whole policy. */
  readonly firstRetry: number;
  /** How many retries it has; 0 when the policy skips the phase. */
  readonly retries: number;
}

/** One retry and when it happens. */
export interface ScheduledRetry {
  /** Its number, counted from 1; the initial attempt is not a retry. */
  readonly retry: number;
  readonly phase: RetryPhase;
  /** Seconds from the end of the failed attempt before it to its own start. */
  readonly delaySeconds: number;
  /** Seconds from the end of the failed initial attempt, if every attempt fails at once. */
  readonly atSeconds: number;
}

/** How many retries remain for the backoff phase after the other three phases. */
export function backoffRetries(policy: RetryPolicy): number {
  return policy.numRetries - policy.numNoDelayRetries - policy.numMinDelayRetries - policy.numMaxDelayRetries;
}

/** The four phases of `policy` with the retries each one holds, in order; a skipped phase has 0. */
export function phaseSpans(policy: RetryPolicy): PhaseSpan[] {
  const retries: Record<RetryPhase, number> = {
    'no-delay': policy.numNoDelayRetries,
    'pre-backoff': policy.numMinDelayRetries,
    backoff: backoffRetries(policy),
    'post-backoff': policy.numMaxDelayRetries,
  };
  let firstRetry = 1;
  return RETRY_PHASES.map(phase => {
    const span = { phase, firstRetry, retries: retries[phase] };
    firstRetry += span.retries;
    return span;
  });
}

function spanOf(policy: RetryPolicy, retry: number): PhaseSpan {
  const span = phaseSpans(policy).find(
    ({ firstRetry, retries }) => retry >= firstRetry && retry < firstRetry + retries,
  );
  if (!Number.isInteger(retry) || !span) {
    throw new RangeError(`retry must be a whole number from 1 to ${policy.numRetries}, got ${retry}`);
  }
  return span;
}

function delayIn(span: PhaseSpan, policy: RetryPolicy, retry: number): number {
  const { minDelayTarget: minDelaySeconds, maxDelayTarget: maxDelaySeconds } = policy;
  switch (span.phase) {
    case 'no-delay':
      return 0;
    case 'pre-backoff':
      return minDelaySeconds;
    case 'backoff':
      return backoffDelay(
        policy.backoffFunction,
        { minDelaySeconds, maxDelaySeconds, retries: span.retries },
        retry - span.firstRetry + 1,
      );
    case 'post-backoff':
      return maxDelaySeconds;
  }
}

/**
 * Returns the seconds to wait before retry number `retry`, counted from 1 and measured from the end of the previous
 * failed attempt. It takes constant time, so callers need no array of 100,015 delays.
 *
 * @throws RangeError when the policy has no such retry
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function delayBeforeRetry(policy: RetryPolicy, retry: number): number {
  return delayIn(spanOf(policy, retry), policy, retry);
}

/**
 * Every retry of `policy` in order, with its phase, its delay and when it happens. **Assumption SNS-4:** They follow an
 * initial attempt, which is not one of them.
 */
export function retrySchedule(policy: RetryPolicy): ScheduledRetry[] {
  const schedule: ScheduledRetry[] = [];
  let atSeconds = 0;
  for (const span of phaseSpans(policy)) {
    for (let retry = span.firstRetry; retry < span.firstRetry + span.retries; retry++) {
      const delaySeconds = delayIn(span, policy, retry);
      atSeconds += delaySeconds;
      schedule.push({ retry, phase: span.phase, delaySeconds, atSeconds });
    }
  }
  return schedule;
}

/** Seconds before each retry of `policy`, in order. */
export function retryDelays(policy: RetryPolicy): number[] {
  return retrySchedule(policy).map(({ delaySeconds }) => delaySeconds);
}

/** Seconds from the end of the failed initial attempt to the last retry, if every attempt fails at once. */
export function totalDelaySeconds(policy: RetryPolicy): number {
  return retrySchedule(policy).at(-1)?.atSeconds ?? 0;
}

/** The backoff phase: its first delay, its last delay and its number of retries. */
interface BackoffSpan {
  /** Seconds before the first retry of the phase. */
  readonly minDelaySeconds: number;
  /** Seconds before the last retry of the phase. */
  readonly maxDelaySeconds: number;
  readonly retries: number;
}

/** A backoff function: returns the seconds before retry `i`, counted from 1. The span has at least two retries. */
type Curve = (span: BackoffSpan, i: number) => number;

/** The position of retry `i` in its span: 0 for the first retry, 1 for the last. */
function progress({ retries }: BackoffSpan, i: number): number {
  return (i - 1) / (retries - 1);
}

function between({ minDelaySeconds, maxDelaySeconds }: BackoffSpan, share: number): number {
  return minDelaySeconds + (maxDelaySeconds - minDelaySeconds) * share;
}

/**
 * AWS documents the first and the last delay of every curve, and all of `linear`.
 * **Assumption SNS-1:** AWS does not publish the delays between the ends of the other three curves. Ours meet both
 * ends, never fall, and stay at or below `linear`.
 * The exponential curve is (2^(i-1) - 1) / (2^(n-1) - 1), with both sides divided by 2^(n-1) so that a long phase
 * cannot overflow.
 */
const CURVES: Readonly<Record<BackoffFunction, Curve>> = {
  linear: (span, i) => between(span, progress(span, i)),
  arithmetic: (span, i) => between(span, progress(span, i) ** 2),
  geometric: (span, i) => span.minDelaySeconds * (span.maxDelaySeconds / span.minDelaySeconds) ** progress(span, i),
  exponential: (span, i) =>
    between(span, (2 ** (i - span.retries) - 2 ** (1 - span.retries)) / (1 - 2 ** (1 - span.retries))),
};

/**
 * Returns the seconds before retry `i` of the backoff phase, counted from 1. **Assumption SNS-2:** A phase of one retry
 * waits `minDelaySeconds`.
 *
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
