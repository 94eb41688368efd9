import type { FailedAttempt, RelayStep, RelayVerdict } from '../relay/attempt-verdict';
import { type AttemptFacts, nextStep, type StepSettings, UNTRIED_DELAY_SECONDS } from '../relay/next-step';
import { RETENTION_MARGIN_SECONDS } from '../relay/relay-limits';
import { jitteredDelaySeconds, type ReceivedMessage, type ScheduleSettings } from '../relay/relay-schedule';
import type { FleetDeadLetterCause } from './dead-letter-cause';
import type { AttemptResult } from './endpoint-health';
import type { EndpointItem } from './fleet-items';
import type { FleetSettings } from './fleet-settings';

/** The shortest wait in the queue: a retry without delay comes after a second. */
const SHORTEST_WAIT_SECONDS = 1;

/**
 * How many attempts of a message were made before this receive. SQS counts receives, and some of them only waited for a slot or a turn,
 * or ended with a function that crashed. So a receive counts only if the schedule could have reached it by now.
 *
 * @param before attempts before the message was sent to the queue
 */
export function attemptsMade(
  settings: ScheduleSettings,
  before: number,
  { receiveCount, firstReceivedAtMs }: Pick<ReceivedMessage, 'receiveCount' | 'firstReceivedAtMs'>,
  nowMs: number,
): number {
  const { numRetries } = settings.retryPolicy;
  let made = before;
  let earliestMs = firstReceivedAtMs;
  for (let receive = 1; receive < receiveCount && made < numRetries; receive += 1) {
    earliestMs += Math.max(SHORTEST_WAIT_SECONDS, jitteredDelaySeconds(settings, made + 1, 0)) * 1_000;
    if (earliestMs > nowMs) break;
    made += 1;
  }
  return made;
}

/** The settings that decide the step after an attempt. */
export interface FleetStepSettings extends StepSettings, Pick<FleetSettings, 'maxAgeSeconds'> {}

type OfFleet = Pick<FleetSettings, 'retryPolicy' | 'jitterPercent' | 'retryAfterCapSeconds' | 'maxAgeSeconds'>;

/** The settings for messages of one endpoint. */
export function stepSettingsOf(
  { retryPolicy: own }: Pick<EndpointItem, 'retryPolicy'>,
  settings: OfFleet,
): FleetStepSettings {
  const { retryPolicy, jitterPercent, retryAfterCapSeconds, maxAgeSeconds } = settings;
  return {
    retryPolicy: own ?? retryPolicy,
    jitterPercent,
    retryAfterCapSeconds,
    maxAgeSeconds,
    maxDelaySeconds: maxAgeSeconds,
    // No queue deletes the message then: it needs no margin.
    retentionSeconds: maxAgeSeconds + RETENTION_MARGIN_SECONDS,
    fifo: false,
  };
}

/** What an attempt says about its endpoint. One that refuses a message by `deadStatuses` works. */
export function resultOf(verdict: RelayVerdict): AttemptResult {
  if (verdict.kind === 'delivered') return 'delivered';
  if (verdict.kind === 'retry' || verdict.cause === 'forbidden-address') return 'failed';
  return verdict.cause === 'gone' ? 'gone' : 'delivered';
}

/** An attempt, and when it ended. */
export interface FleetAttempt extends Omit<AttemptFacts, 'verdict'> {
  readonly verdict: RelayVerdict;
  /** How many requests were made: 0 if a secret or an access token could not be read. */
  readonly requests: number;
  readonly isProbe: boolean;
}

/** What becomes of a message after an attempt. */
export type FleetStep =
  | { readonly kind: 'delivered' }
  /** A failed probe says nothing about its message. */
  | { readonly kind: 'stays-parked' }
  | {
      readonly kind: 'retry';
      readonly dueAtMs: number;
      /** Attempts so far. One without a request is none. */
      readonly attempts: number;
      readonly reason: string;
    }
  | { readonly kind: 'dead'; readonly cause: FleetDeadLetterCause; readonly reason: string };

/** Decides what becomes of a message after an attempt. */
export function stepAfterAttempt(settings: FleetStepSettings, attempt: FleetAttempt): FleetStep {
  const { verdict, isProbe, nowMs, requests } = attempt;
  if (verdict.kind === 'delivered') return { kind: 'delivered' };
  if (isProbe && verdict.kind === 'retry') return { kind: 'stays-parked' };
  const step = stepOfFailed(settings, { ...attempt, verdict });
  if (step.kind === 'dead') return step;
  return {
    kind: 'retry',
    dueAtMs: nowMs + Math.max(SHORTEST_WAIT_SECONDS, step.delaySeconds) * 1_000,
    attempts: attempt.attempt + (requests > 0 ? 1 : 0),
    reason: step.reason,
  };
}

/** As a relay decides. But a message that was not sent keeps its last attempt, and a message ends by its age, not by its queue. */
function stepOfFailed(
  settings: FleetStepSettings,
  { requests, ...facts }: FleetAttempt & { readonly verdict: FailedAttempt },
): RelayStep {
  const step = nextStep(settings, facts);
  const { reason } = facts.verdict;
  if (step.kind !== 'dead') return step;
  if (step.cause === 'retention-spent') {
    return {
      ...step,
      reason: `${reason}, and at the next retry it would be older than ${settings.maxAgeSeconds} seconds`,
    };
  }
  if (requests > 0 || step.cause !== 'retries-spent') return step;
  return { kind: 'retry', retry: 0, delaySeconds: UNTRIED_DELAY_SECONDS, reason };
}
