import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry } from '../../../policy/delivery-policy/retry-schedule';
import { classify } from '../../../policy/outcome/classify';
import type { Outcome, Verdict } from '../../../policy/outcome/outcome';
import { type Protocol, retryPolicyOf } from '../../../policy/outcome/protocol';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { AttemptEnd } from '../transports/transport';

/** One attempt that has ended, and what follows. */
export interface FinishedAttempt {
  /** 1 for the initial attempt. */
  readonly attempt: number;
  /** When the message was handed to the endpoint, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly end: AttemptEnd;
  readonly step: Step;
}

/** Why nothing more is attempted although the schedule has not ended. */
export type AbandonReason = 'held-too-long' | 'unsubscribed';

/** When an attempt may go, if ever. */
export type AttemptTime =
  | { readonly kind: 'at'; readonly atMs: number }
  | { readonly kind: 'never'; readonly untilMs: number };

/** What can hold up an errand, or end it before its schedule does. */
export interface AttemptGate {
  /** When an attempt that is ready now may go; undefined when nothing holds it up. */
  nextAttemptTime(nowMs: number): AttemptTime | undefined;
  /** Whether there is still somebody to deliver to. */
  isWanted(): boolean;
  abandoned(why: AbandonReason, attempts: number): void;
}

/** What is delivered, to whom, and who wants to know. */
export interface RetriedDelivery {
  readonly protocol: Protocol;
  /** Governs the retries of an HTTP/S endpoint; read anew for each retry, so a changed policy holds from then on. */
  readonly healthyRetryPolicy: RetryPolicy;
  /** What every attempt has to pass first. @default - nothing holds it up */
  readonly gate?: AttemptGate;
  attempt(report: (end: AttemptEnd) => void): void;
  finished(attempt: FinishedAttempt): void;
}

/**
 * Takes one errand through its attempts: the initial one at once, every retry a delay after the end of the failed attempt
 * before it. It keeps one piece of due work at a time, so 100,015 retries cost no more than their attempts.
 */
export class RetryLoop {
  private attempts = 0;

  constructor(
    private readonly timeline: Scheduler,
    private readonly jitter: Jitter,
    private readonly delivery: RetriedDelivery,
  ) {}

  /** Makes the next attempt as soon as it is its turn. */
  proceed(): void {
    const { nowMs } = this.timeline;
    const turn = this.delivery.gate?.nextAttemptTime(nowMs);
    if (turn?.kind === 'never') this.timeline.at(turn.untilMs, () => this.heldTooLong());
    else if (turn && turn.atMs > nowMs) this.timeline.at(turn.atMs, () => this.attempt());
    else this.attempt();
  }

  /** Nobody waits any more for what a deleted subscription was to get. */
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

/** What follows an attempt. */
export type Step =
  | { readonly kind: 'delivered'; readonly reason: string }
  /** `delaySeconds` counts from the end of the failed attempt. */
  | { readonly kind: 'retry'; readonly delaySeconds: number; readonly reason: string }
  | { readonly kind: 'dead'; readonly cause: 'client-error' | 'retries-exhausted'; readonly reason: string };

/**
 * What follows after `attempts` attempts, the last of which was judged `verdict`. A policy with `numRetries` N allows the
 * initial attempt and N retries. An endpoint whose errors follow two schedules (Firehose) counts its attempts once.
 *
 * @param governed whose effective policy governs HTTP/S
 */
export function nextStep(
  verdict: Verdict,
  attempts: number,
  governed: { readonly healthyRetryPolicy: RetryPolicy },
): Step {
  if (verdict.kind === 'delivered') return verdict;
  const { reason } = verdict;
  if (verdict.kind === 'dead') return { kind: 'dead', cause: 'client-error', reason };
  const policy = retryPolicyOf(verdict.policy, governed.healthyRetryPolicy);
  if (attempts > policy.numRetries) return { kind: 'dead', cause: 'retries-exhausted', reason };
  return { kind: 'retry', delaySeconds: delayBeforeRetry(policy, attempts), reason };
}

/** What was judged of answers that are nothing but a status, by protocol: most attempts end so. */
const verdictCache = new Map<Protocol, Map<number, Verdict>>();

/** What `classify` says, said once for all answers of one status. */
export function cachedClassify(protocol: Protocol, outcome: Outcome): Verdict {
  if (outcome.kind === 'unanswered' || outcome.errorCode !== undefined) return classify(protocol, outcome);
  const { statusCode } = outcome;
  const ofProtocol = verdictCache.get(protocol) ?? new Map<number, Verdict>();
  const known = ofProtocol.get(statusCode);
  if (known) return known;
  const verdict = classify(protocol, outcome);
  verdictCache.set(protocol, ofProtocol.set(statusCode, verdict));
  return verdict;
}

/** The largest share of a delay that jitter adds or takes. */
const JITTER_SHARE = 0.1;

/** Spreads a delay, or leaves it as it is. */
export type Jitter = (delaySeconds: number) => number;

/** The schedule to the millisecond: what a simulation is easiest to read with. */
export const noJitter: Jitter = delaySeconds => delaySeconds;

/**
 * Anywhere within 10 % of the delay, each instant as likely as the other. SNS applies jitter and does not publish how much:
 * the share and the even spread are our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function seededJitter(random: Random): Jitter {
  return delaySeconds => delaySeconds * (1 - JITTER_SHARE + 2 * JITTER_SHARE * random.fraction());
}
