import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry } from '../../../policy/delivery-policy/retry-schedule';
import { classify } from '../../../policy/outcome/classify';
import type { Outcome, Verdict } from '../../../policy/outcome/outcome';
import { type Protocol, retryPolicyOf } from '../../../policy/outcome/protocol';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { AttemptEnd } from '../transports/transport';

/** One attempt that has ended, and the next step. */
export interface FinishedAttempt {
  /** 1 for the initial attempt. */
  readonly attempt: number;
  /** When the attempt began, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly end: AttemptEnd;
  readonly step: Step;
}

/** A delivery that `retry` attempts until it succeeds or fails for good. */
export interface RetriedDelivery {
  readonly protocol: Protocol;
  /** The retry policy of an HTTP/S endpoint. Read before each retry, so that a changed policy applies from then on. */
  readonly retryPolicy?: () => RetryPolicy;
  /** Calls `attempt` when the next attempt may start, or never, if the delivery ends before. @default - it may start now */
  readonly gate?: (attempts: number, attempt: () => void) => void;
  readonly attempt: (report: (end: AttemptEnd) => void) => void;
  readonly ended: (attempt: FinishedAttempt) => void;
}

/**
 * Makes the attempts of one delivery: the first at once, each retry a delay after the failed attempt has ended. It
 * schedules one attempt at a time, so that 100,015 retries cost no more than their attempts.
 */
export function retry({ context: { timeline }, jitter }: Retrying, delivery: RetriedDelivery): void {
  const { gate } = delivery;
  let attempts = 0;
  const attempt = (): void => {
    attempts += 1;
    const startedAtMs = timeline.nowMs;
    delivery.attempt(end => {
      const step = nextStep(cachedClassify(delivery.protocol, end.outcome), attempts, delivery.retryPolicy);
      delivery.ended({ attempt: attempts, startedAtMs, end, step });
      if (step.kind === 'retry') timeline.after(Math.round(jitter(step.delaySeconds) * 1_000), proceed);
    });
  };
  const proceed = (): void => (gate ? gate(attempts, attempt) : attempt());
  proceed();
}

interface Retrying {
  readonly context: { readonly timeline: Scheduler };
  readonly jitter: Jitter;
}

type Step =
  | { readonly kind: 'delivered'; readonly reason: string }
  /** `delaySeconds` counts from the end of the failed attempt. */
  | { readonly kind: 'retry'; readonly delaySeconds: number; readonly reason: string }
  | { readonly kind: 'dead'; readonly cause: 'client-error' | 'retries-exhausted'; readonly reason: string };

/**
 * Decides what follows after `attempts` attempts, the last of which ended with `verdict`. A policy with `numRetries` N
 * allows the initial attempt and N retries. Firehose has one schedule for client errors and one for server errors, but
 * attempts are counted together.
 */
function nextStep(
  verdict: Verdict,
  attempts: number,
  ofEndpoint: () => RetryPolicy = () => DEFAULT_RETRY_POLICY,
): Step {
  if (verdict.kind === 'delivered') return verdict;
  const { reason } = verdict;
  if (verdict.kind === 'dead') return { kind: 'dead', cause: 'client-error', reason };
  const policy = retryPolicyOf(verdict.policy, ofEndpoint());
  if (attempts > policy.numRetries) return { kind: 'dead', cause: 'retries-exhausted', reason };
  return { kind: 'retry', delaySeconds: delayBeforeRetry(policy, attempts), reason };
}

/** Verdicts by protocol and status code. Most attempts end with a status code and no error code. */
const verdictCache = new Map<Protocol, Map<number, Verdict>>();

/** Calls `classify` once for each protocol and status code. */
function cachedClassify(protocol: Protocol, outcome: Outcome): Verdict {
  if (outcome.kind === 'unanswered' || outcome.errorCode !== undefined) return classify(protocol, outcome);
  const { statusCode } = outcome;
  const ofProtocol = verdictCache.get(protocol) ?? new Map<number, Verdict>();
  const known = ofProtocol.get(statusCode);
  if (known) return known;
  const verdict = classify(protocol, outcome);
  verdictCache.set(protocol, ofProtocol.set(statusCode, verdict));
  return verdict;
}

/** Jitter changes a delay by at most this share. */
const JITTER_SHARE = 0.1;

export type Jitter = (delaySeconds: number) => number;

/** Keeps the schedule exact, which makes a simulation easier to read. */
export const noJitter: Jitter = delaySeconds => delaySeconds;

/**
 * Changes a delay by up to 10 % in either direction, evenly distributed.
 * **Assumption SNS-5:** AWS says that SNS applies jitter, but not how much or how it is distributed.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function seededJitter(random: Random): Jitter {
  return delaySeconds => delaySeconds * (1 - JITTER_SHARE + 2 * JITTER_SHARE * random.fraction());
}
