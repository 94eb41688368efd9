import { type AttemptFacts, nextStep, untriedStep } from '../../policy/relay/next-step';
import type { FailedAttempt, RelayStep } from '../../policy/relay/relay-step';
import type { DeliveryResult } from './ending';
import type { RelayMessage } from './letter';
import type { Pacer } from './pacer';
import type { Ports } from './ports';
import { RESERVE_MS } from './sqs-calls';
import type { RelayTally } from './tally';

/** One invocation. */
export interface Invocation extends Ports {
  readonly pacer: Pacer;
  readonly tally: RelayTally;
  /** Whether its messages are given up untried: see `RelayEvent`. */
  readonly areExpiring: boolean;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/** Whether an attempt that takes as long as it may is over in time. */
export function hasTimeForAttempt({ settings, pacer, nowMs, remainingMs }: Invocation): boolean {
  return pacer.nextAtMs - nowMs() + settings.totalTimeoutMs + RESERVE_MS <= remainingMs();
}

export function retryIn(delaySeconds: number, { settings, nowMs }: Invocation): DeliveryResult {
  return { kind: 'retry', dueAtMs: nowMs() + Math.min(delaySeconds, settings.maxDelaySeconds) * 1_000 };
}

function attemptFactsOf(verdict: FailedAttempt, attempt: number, message: RelayMessage, run: Invocation): AttemptFacts {
  return { verdict, attempt, message, nowMs: run.nowMs(), chance: run.chance() };
}

/**
 * Decides what follows an attempt that failed just now.
 * @param attempt 0 for the initial one, else the number of the retry it was
 * @param asked what the answer's `Retry-After` asks for, in seconds
 */
export function stepAfter(
  verdict: FailedAttempt,
  attempt: number,
  relayMessage: RelayMessage,
  run: Invocation,
  asked?: number,
): RelayStep {
  const facts = attemptFactsOf(verdict, attempt, relayMessage, run);
  return nextStep(run.settings, asked === undefined ? facts : { ...facts, retryAfterSeconds: asked });
}

/** Decides what follows where nobody could be asked. */
export function stepUntried(
  verdict: FailedAttempt,
  attempt: number,
  relayMessage: RelayMessage,
  run: Invocation,
): RelayStep {
  return untriedStep(run.settings, attemptFactsOf(verdict, attempt, relayMessage, run));
}
