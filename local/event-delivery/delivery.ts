import { DAY_SECONDS } from '../../policy/time-units';
import type { AwsError } from '../kernel/aws-error';
import type { Latency } from '../kernel/caller';
import type { Constraints } from '../kernel/constraints';
import { callService } from '../kernel/service-call';
import type { Scheduler } from '../kernel/timeline';
import { type TargetError, targetErrorOf } from './targets';

interface FailedAttempt {
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly error: AwsError;
  readonly reason: TargetError;
}

export interface GivenUp extends FailedAttempt {
  /** Undefined when the error is not retried. */
  readonly exhausted: ExhaustedRetryCondition | undefined;
}

/** Something to deliver to a target, with retries. */
export interface Delivery {
  readonly policy: RetryPolicy;
  /**
   * Makes one attempt.
   * @param attempt 1 for the first
   * @param latency receives the latency of the target's response
   * @throws AwsError the error of the target, thrown or as a rejection
   */
  attempt(attempt: number, latency: Latency): unknown;
  delivered(attempt: number): void;
  /**
   * @param nextAttemptAtMs undefined for the last attempt
   * @default - not reported
   */
  attemptFailed?(failed: FailedAttempt, nextAttemptAtMs: number | undefined): void;
  givenUp(why: GivenUp): void;
}

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

  /** A delivery that will exceed its maximum age before the next attempt ends when it reaches that age, not earlier. */
  private giveUp(why: GivenUp): void {
    if (why.exhausted !== 'MaximumEventAgeInSeconds') this.delivery.givenUp(why);
    else this.timeline.at(this.expiresAtMs, () => this.delivery.givenUp(why));
  }
}

/** Delivers, as separate work that starts at the current instant. */
export function deliver(timeline: Scheduler, delivery: Delivery): void {
  const inProgress = new DeliveryInProgress(timeline, delivery);
  timeline.after(0, () => inProgress.run());
}

/** Delivers, starting inside the current work. */
export function deliverNow(timeline: Scheduler, delivery: Delivery): void {
  new DeliveryInProgress(timeline, delivery).run();
}

/** For how long and how often EventBridge and EventBridge Scheduler retry. */
export interface RetryPolicy {
  readonly maximumRetryAttempts: number;
  readonly maximumEventAgeSeconds: number;
}

export interface RetryPolicyInput {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
}

export type ExhaustedRetryCondition = 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';

const MAX_RETRIES = 185;
const MIN_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = DAY_SECONDS;

/**
 * @default 185 retries in 24 hours
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RetryPolicy.html
 */
export function retryPolicyOf({ MaximumRetryAttempts, MaximumEventAgeInSeconds }: RetryPolicyInput = {}): RetryPolicy {
  return {
    maximumRetryAttempts: MaximumRetryAttempts ?? MAX_RETRIES,
    maximumEventAgeSeconds: MaximumEventAgeInSeconds ?? MAX_AGE_SECONDS,
  };
}

/**
 * The retries for sending a dead letter. **Assumption EVENTS-1:** Three retries, as the SDKs of AWS make, so that one
 * failure of the queue loses no event.
 */
export const DEAD_LETTER_RETRIES: RetryPolicy = { maximumRetryAttempts: 3, maximumEventAgeSeconds: 60 };

/** @param member path of the policy in the request: `targets.1.member.retryPolicy` */
export function constrainRetryPolicy(constraints: Constraints, member: string, policy: RetryPolicyInput = {}): void {
  constraints
    .range(`${member}.maximumRetryAttempts`, policy.MaximumRetryAttempts, 0, MAX_RETRIES)
    .range(`${member}.maximumEventAgeInSeconds`, policy.MaximumEventAgeInSeconds, MIN_AGE_SECONDS, MAX_AGE_SECONDS);
}

const LONGEST_DELAY_SECONDS = 480;

/**
 * Returns the delay before a retry. AWS says "exponential back off and jitter", without numbers.
 * **Assumption EVENTS-2:** The first delay is 1 s, and each is twice as long as the one before, up to 8 minutes, which
 * makes 185 retries fill 24 hours. There is no jitter, so that tests can state exact times.
 * @param retry 1 for the first
 */
export function retryDelaySeconds(retry: number): number {
  return Math.min(2 ** Math.min(retry - 1, 30), LONGEST_DELAY_SECONDS);
}
