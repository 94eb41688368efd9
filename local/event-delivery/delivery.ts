import type { AwsError } from '../kernel/aws-error';
import type { Latency } from '../kernel/caller';
import type { Constraints } from '../kernel/constraints';
import { callService } from '../kernel/service-call';
import type { Scheduler } from '../kernel/timeline';
import { type TargetError, targetErrorOf } from './targets';

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

/** How long, and how often, EventBridge and EventBridge Scheduler try again. */
export interface RetryPolicy {
  readonly maximumRetryAttempts: number;
  readonly maximumEventAgeSeconds: number;
}

/** The same as the API has it. */
export interface RetryPolicyInput {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
}

/** What ended the retries. */
export type ExhaustedRetryCondition = 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';

const MAX_RETRIES = 185;
const MIN_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = 86_400;

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
 * How a dead letter is sent. AWS publishes nothing. Our choice: with three retries, as AWS's SDKs have, so that a queue that
 * blinks costs no event.
 */
export const DEAD_LETTER_RETRIES: RetryPolicy = { maximumRetryAttempts: 3, maximumEventAgeSeconds: 60 };

/** @param member where the policy stands in the request: `targets.1.member.retryPolicy` */
export function constrainRetryPolicy(constraints: Constraints, member: string, policy: RetryPolicyInput = {}): void {
  constraints
    .range(`${member}.maximumRetryAttempts`, policy.MaximumRetryAttempts, 0, MAX_RETRIES)
    .range(`${member}.maximumEventAgeInSeconds`, policy.MaximumEventAgeInSeconds, MIN_AGE_SECONDS, MAX_AGE_SECONDS);
}

const LONGEST_DELAY_SECONDS = 480;

/**
 * How long to wait before a retry. AWS says "exponential back off and jitter", and no numbers. Our choice: 1 s, twice as long
 * each time, up to 8 minutes, which is where 185 retries fill the 24 hours; and no jitter, so that what a test expects
 * can be written down.
 *
 * @param retry 1 for the first
 */
export function retryDelaySeconds(retry: number): number {
  return Math.min(2 ** Math.min(retry - 1, 30), LONGEST_DELAY_SECONDS);
}
