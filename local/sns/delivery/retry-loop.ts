import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
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

/** Why SNS makes no more attempts although the retry schedule has not ended. */
export type AbandonReason = 'held-too-long' | 'unsubscribed';

/** When the next attempt may start, or that it may not. */
export type AttemptTime =
  | { readonly kind: 'at'; readonly atMs: number }
  | { readonly kind: 'never'; readonly untilMs: number };

/** Can delay an attempt, or end a delivery before its retry schedule ends. */
export interface AttemptGate {
  /** Returns when the next attempt may start. Undefined means now. */
  nextAttemptTime(nowMs: number): AttemptTime | undefined;
  /** Whether the recipient still exists. */
  isWanted(): boolean;
  abandoned(why: AbandonReason, attempts: number): void;
}

/** A delivery that `RetryLoop` attempts until it succeeds or fails for good. */
export interface RetriedDelivery {
  readonly protocol: Protocol;
  /** The retry policy of an HTTP/S endpoint. Read before each retry, so that a changed policy applies from then on. */
  readonly healthyRetryPolicy: RetryPolicy;
  /** Checked before every attempt. @default - no delay */
  readonly gate?: AttemptGate;
  attempt(report: (end: AttemptEnd) => void): void;
  finished(attempt: FinishedAttempt): void;
}

/**
 * Makes the attempts of one delivery: the first at once, each retry a delay after the failed attempt has ended. It
 * schedules one attempt at a time, so that 100,015 retries cost no more than their attempts.
 */
export class RetryLoop {
  private attempts = 0;

  constructor(
    private readonly timeline: Scheduler,
    private readonly jitter: Jitter,
    private readonly delivery: RetriedDelivery,
  ) {}

  /** Makes the next attempt as soon as the gate allows it. */
  proceed(): void {
    const { nowMs } = this.timeline;
    const turn = this.delivery.gate?.nextAttemptTime(nowMs);
    if (turn?.kind === 'never') this.timeline.at(turn.untilMs, () => this.heldTooLong());
    else if (turn && turn.atMs > nowMs) this.timeline.at(turn.atMs, () => this.attempt());
    else this.attempt();
  }

  /** A message whose subscription is deleted is no longer wanted, even if the throttle still held it. */
  private heldTooLong(): void {
    const { gate } = this.delivery;
    gate?.abandoned(gate.isWanted() ? 'held-too-long' : 'unsubscribed', this.attempts);
  }

  private attempt(): void {
    const { gate } = this.delivery;
    if (gate && !gate.isWanted()) {
      gate.abandoned('unsubscribed', this.attempts);
      return;
    }
    this.attempts += 1;
    const startedAtMs = this.timeline.nowMs;
    this.delivery.attempt(end => this.ended(end, startedAtMs));
  }

  private ended(end: AttemptEnd, startedAtMs: number): void {
    const { delivery: transfer, attempts } = this;
    const step = nextStep(cachedClassify(transfer.protocol, end.outcome), attempts, transfer);
    transfer.finished({ attempt: attempts, startedAtMs, end, step });
    if (step.kind === 'retry') {
      this.timeline.after(Math.round(this.jitter(step.delaySeconds) * 1_000), () => this.proceed());
    }
  }
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
 * @param governed supplies the effective retry policy of HTTP/S
 */
function nextStep(verdict: Verdict, attempts: number, governed: { readonly healthyRetryPolicy: RetryPolicy }): Step {
  if (verdict.kind === 'delivered') return verdict;
  const { reason } = verdict;
  if (verdict.kind === 'dead') return { kind: 'dead', cause: 'client-error', reason };
  const policy = retryPolicyOf(verdict.policy, governed.healthyRetryPolicy);
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
