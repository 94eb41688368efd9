import type { NowMs, Wait } from '../../mover/clock';
import type { RelayMetricName } from '../../policy/metric-names';
import type { FailedAttempt, RelayStep } from '../../policy/relay/attempt-verdict';
import { type AttemptFacts, nextStep, untriedStep } from '../../policy/relay/next-step';
import type { MetricValues } from '../shared/log';
import type { DeliveryResult, RelayMessage } from './message';
import type { Ports } from './ports';

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

/**
 * Keeps the requests of one invocation apart. The first waits for an interval from the invocation's start, so that it is far
 * enough from the last one of whichever invocation its environment had before.
 */
export class Pacer {
  private freeAtMs: number;

  /** @param intervalMs the least time between two requests; 0 does not pace them */
  constructor(
    private readonly intervalMs: number,
    private readonly now: NowMs,
    private readonly wait: Wait,
  ) {
    this.freeAtMs = now() + intervalMs;
  }

  /** When a request could begin that is asked for now. */
  get nextAtMs(): number {
    return Math.max(this.freeAtMs, this.now());
  }

  /** Takes the next turn, and resolves when it has come; undefined where it has come already. */
  turn(): Promise<void> | undefined {
    const atMs = this.nextAtMs;
    this.freeAtMs = atMs + this.intervalMs;
    return atMs > this.now() ? this.until(atMs) : undefined;
  }

  private async until(atMs: number): Promise<void> {
    // A timer of node's may be a millisecond early.
    for (let leftMs = atMs - this.now(); leftMs > 0; leftMs = atMs - this.now()) await this.wait(leftMs);
  }
}

/** What a batch amounts to. */
export interface RelayCounts {
  /** Requests to the endpoint. */
  readonly attempts: number;
  readonly delivered: number;
  readonly dead: number;
  /** Attempts that failed in a way that is tried again. */
  readonly failedAttempts: number;
  readonly handedBack: number;
}

function countMetric(value: number): MetricValues {
  return { values: [value], unit: 'Count' };
}

interface Attempted {
  readonly requests: number;
  readonly latencyMs: number;
  readonly latenessMs: number;
  readonly isToRetry: boolean;
}

/** Counts what happens in one invocation. */
export class RelayTally {
  private readonly latenciesMs: number[] = [];
  private readonly latenessesMs: number[] = [];
  private readonly endings: Record<DeliveryResult['kind'], number> = {
    delivered: 0,
    dead: 0,
    retry: 0,
    'handed-back': 0,
    left: 0,
  };
  private requests = 0;
  private failedAttempts = 0;
  private untriedMessages = 0;
  private deadLetteringFailedMessages = 0;

  attempted(attempt: Attempted): void {
    this.requests += attempt.requests;
    this.latenciesMs.push(attempt.latencyMs);
    this.latenessesMs.push(attempt.latenessMs);
    if (attempt.isToRetry) this.failedAttempts += 1;
  }

  untried(): void {
    this.untriedMessages += 1;
  }

  deadLetteringFailed(): void {
    this.deadLetteringFailedMessages += 1;
  }

  ended({ kind }: DeliveryResult): void {
    this.endings[kind] += 1;
  }

  get counts(): RelayCounts {
    return {
      attempts: this.requests,
      delivered: this.endings.delivered,
      dead: this.endings.dead,
      failedAttempts: this.failedAttempts,
      handedBack: this.endings['handed-back'],
    };
  }

  /** The same for CloudWatch. What was measured has a value an attempt. */
  get metrics(): Readonly<Record<RelayMetricName, MetricValues>> {
    const { attempts, delivered, dead, failedAttempts, handedBack } = this.counts;
    return {
      Attempts: countMetric(attempts),
      Delivered: countMetric(delivered),
      Retried: countMetric(this.endings.retry),
      Dead: countMetric(dead),
      Unburied: countMetric(this.deadLetteringFailedMessages),
      FailedAttempts: countMetric(failedAttempts),
      HandedBack: countMetric(handedBack),
      Untried: countMetric(this.untriedMessages),
      Broken: countMetric(this.endings.left),
      Latency: { values: this.latenciesMs, unit: 'Milliseconds' },
      Lateness: { values: this.latenessesMs, unit: 'Milliseconds' },
    };
  }
}

const MAX_ATTEMPTS = 2;

/** From the call on: it begins before the connection stands. */
const REQUEST_TIMEOUT_MS = 1_500;

/** What the SDK waits before a second attempt, at most, where SQS asks for fewer. */
const LONGEST_BACKOFF_MS = 1_000;

/** How SQS is asked: the second attempt is the SDK's own, and nobody makes a third. */
export const SQS_CLIENT_CONFIG = {
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
} as const;

const LONGEST_CALL_MS = MAX_ATTEMPTS * REQUEST_TIMEOUT_MS + (MAX_ATTEMPTS - 1) * LONGEST_BACKOFF_MS;

/** One after the other: a burial, which fails, and hiding; and one of both in another way, where SQS refuses it. */
const CALLS_IN_A_ROW = 3;

/** What an invocation keeps for telling SQS of everything in the end, however slow SQS is. */
export const RESERVE_MS = CALLS_IN_A_ROW * LONGEST_CALL_MS;
