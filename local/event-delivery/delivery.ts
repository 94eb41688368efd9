import type { AwsError } from '../kernel/aws-error';
import type { Latency } from '../kernel/caller';
import { callService } from '../kernel/service-call';
import type { Scheduler } from '../kernel/timeline';
import { type ExhaustedRetryCondition, type RetryPolicy, retryDelaySeconds } from './retry-policy';
import { type TargetError, targetErrorOf } from './target-error';

/** An attempt that failed. */
export interface FailedAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  readonly error: AwsError;
  readonly reason: TargetError;
}

/** Why something is given up. */
export interface GivenUp extends FailedAttempt {
  /** Undefined when there was no use in trying again. */
  readonly exhausted: ExhaustedRetryCondition | undefined;
}

/** Something to hand to a target, again and again if need be. */
export interface Delivery {
  readonly policy: RetryPolicy;
  /**
   * One attempt.
   *
   * @param attempt 1 for the first
   * @param latency for whoever calls the target: there it is told how long the answer takes
   * @throws AwsError as the target would answer, or rejects with it
   */
  attempt(attempt: number, latency: Latency): unknown;
  delivered(attempt: number): void;
  /**
   * @param nextAttemptAtMs undefined when there is none
   * @default - nobody is told
   */
  attemptFailed?(failed: FailedAttempt, nextAttemptAtMs: number | undefined): void;
  givenUp(why: GivenUp): void;
}

/** Sees one delivery through, from the first attempt to the last. */
class DeliveryInProgress {
  private readonly expiresAtMs: number;
  private attempts = 0;

  constructor(
    private readonly timeline: Scheduler,
    private readonly delivery: Delivery,
  ) {
    this.expiresAtMs = timeline.nowMs + delivery.policy.maximumEventAgeSeconds * 1000;
  }

  run(): void {
    this.attempts += 1;
    const attempt = this.attempts;
    callService(this.timeline, latency => this.delivery.attempt(attempt, latency), {
      answered: () => this.delivery.delivered(attempt),
      refused: error => this.failed({ attempt, error, reason: targetErrorOf(error) }),
    });
  }

  private failed(failed: FailedAttempt): void {
    const next = this.nextAttemptAtMs(failed);
    this.delivery.attemptFailed?.(failed, typeof next === 'number' ? next : undefined);
    if (typeof next === 'number') this.timeline.at(next, () => this.run());
    else this.giveUp({ ...failed, exhausted: next });
  }

  private nextAttemptAtMs({ attempt, reason }: FailedAttempt): number | ExhaustedRetryCondition | undefined {
    if (!reason.isRetried) return undefined;
    if (attempt > this.delivery.policy.maximumRetryAttempts) return 'MaximumRetryAttempts';
    const next = this.timeline.nowMs + retryDelaySeconds(attempt) * 1000;
    return next < this.expiresAtMs ? next : 'MaximumEventAgeInSeconds';
  }

  /** What is too old for another attempt is kept until it really is. */
  private giveUp(why: GivenUp): void {
    if (why.exhausted !== 'MaximumEventAgeInSeconds') this.delivery.givenUp(why);
    else this.timeline.at(this.expiresAtMs, () => this.delivery.givenUp(why));
  }
}

/** Delivers, beginning as soon as possible; whoever calls does not wait. */
export function deliver(timeline: Scheduler, delivery: Delivery): void {
  const inProgress = new DeliveryInProgress(timeline, delivery);
  timeline.after(0, () => inProgress.run());
}

/** Delivers, beginning at once, for whoever is work of its own already. */
export function deliverNow(timeline: Scheduler, delivery: Delivery): void {
  new DeliveryInProgress(timeline, delivery).run();
}
