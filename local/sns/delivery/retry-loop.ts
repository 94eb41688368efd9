import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import type { Protocol } from '../../../policy/outcome/protocol';
import type { Scheduler } from '../../kernel/timeline';
import type { AttemptEnd } from '../transports/transport';
import type { Jitter } from './jitter';
import { nextStep, type Step } from './next-step';
import { verdictOn } from './verdict';

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
    const step = nextStep(verdictOn(transfer.protocol, end.outcome), attempts, transfer);
    transfer.finished({ attempt: attempts, startedAtMs, end, step });
    if (step.kind === 'retry') {
      this.timeline.after(Math.round(this.jitter(step.delaySeconds) * 1_000), () => this.proceed());
    }
  }
}
