import { forwardOnly, type NowMs, type Wait } from '../../mover/aws/clock';
import type { RelayMetricName } from '../../policy/metric-names';
import type { FailedAttempt, RelayStep } from '../../policy/relay/attempt-verdict';
import { type AttemptFacts, nextStep, untriedStep } from '../../policy/relay/next-step';
import { MAX_TOKEN_MS } from '../shared/access-token';
import type { MetricValues } from '../shared/log';
import { LONGEST_CALL_MS } from '../shared/queue-calls';
import type { DeliveryResult, RelayMessage } from './message';
import type { RelayPorts } from './ports';

export interface RelayInvocation extends RelayPorts {
  readonly pacer: Pacer;
  readonly tally: RelayTally;
  /** Whether its messages go to the dead-letter queue without an attempt: see `RelayEvent`. */
  readonly areExpiring: boolean;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/** Whether a request that takes as long as it may is over in time. */
export function hasTimeForRequest({ settings, pacer, remainingMs }: RelayInvocation, besidesMs = 0): boolean {
  return pacer.waitMs + settings.totalTimeoutMs + besidesMs + RESERVE_MS <= remainingMs();
}

/** Whether the first request of an attempt is over in time, and an access token that it needs then. */
export function hasTimeForAttempt(invocation: RelayInvocation): boolean {
  return hasTimeForRequest(invocation, invocation.settings.authorization ? MAX_TOKEN_MS : 0);
}

export function retryIn(delaySeconds: number, { settings, nowMs }: RelayInvocation): DeliveryResult {
  return { kind: 'retry', dueAtMs: nowMs() + Math.min(delaySeconds, settings.maxDelaySeconds) * 1_000 };
}

function attemptFactsOf(
  verdict: FailedAttempt,
  attempt: number,
  message: RelayMessage,
  invocation: RelayInvocation,
): AttemptFacts {
  return { verdict, attempt, message, nowMs: invocation.nowMs(), chance: invocation.chance() };
}

/**
 * Decides what follows an attempt that failed just now.
 * @param attempt 0 for the initial attempt, then the number of the retry
 * @param retryAfterSeconds of the answer's `Retry-After` header
 */
export function stepAfter(
  verdict: FailedAttempt,
  attempt: number,
  relayMessage: RelayMessage,
  invocation: RelayInvocation,
  retryAfterSeconds?: number,
): RelayStep {
  const facts = attemptFactsOf(verdict, attempt, relayMessage, invocation);
  return nextStep(invocation.settings, retryAfterSeconds === undefined ? facts : { ...facts, retryAfterSeconds });
}

/** Decides what follows if no request could be made. */
export function stepUntried(
  verdict: FailedAttempt,
  attempt: number,
  relayMessage: RelayMessage,
  invocation: RelayInvocation,
): RelayStep {
  return untriedStep(invocation.settings, attemptFactsOf(verdict, attempt, relayMessage, invocation));
}

/** What a batch amounts to. */
export interface RelayCounts {
  /** Requests to the endpoint. */
  readonly attempts: number;
  readonly delivered: number;
  readonly dead: number;
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
  readonly isClientError: boolean;
}

/** Counts what happens in one invocation, for the breaker and for CloudWatch. */
export class RelayTally {
  private readonly latenciesMs: number[] = [];
  private readonly latenessesMs: number[] = [];
  private readonly results: Record<DeliveryResult['kind'], number> = {
    delivered: 0,
    dead: 0,
    retry: 0,
    'handed-back': 0,
    left: 0,
  };
  private requests = 0;
  private failedAttempts = 0;
  private clientErrors = 0;
  private untriedMessages = 0;
  private deadLetteringFailedMessages = 0;

  attempted(attempt: Attempted): void {
    this.requests += attempt.requests;
    this.latenciesMs.push(attempt.latencyMs);
    this.latenessesMs.push(attempt.latenessMs);
    if (attempt.isToRetry) this.failedAttempts += 1;
    if (attempt.isClientError) this.clientErrors += 1;
  }

  untried(): void {
    this.untriedMessages += 1;
  }

  deadLetteringFailed(): void {
    this.deadLetteringFailedMessages += 1;
  }

  ended({ kind }: DeliveryResult): void {
    this.results[kind] += 1;
  }

  get counts(): RelayCounts {
    return {
      attempts: this.requests,
      delivered: this.results.delivered,
      dead: this.results.dead,
      failedAttempts: this.failedAttempts,
      handedBack: this.results['handed-back'],
    };
  }

  /** The counts as metrics. Latency and lateness have a value per attempt. */
  get metrics(): Readonly<Record<RelayMetricName, MetricValues>> {
    const { attempts, delivered, dead, failedAttempts, handedBack } = this.counts;
    return {
      Attempts: countMetric(attempts),
      Delivered: countMetric(delivered),
      Retried: countMetric(this.results.retry),
      Dead: countMetric(dead),
      DeadLetteringFailed: countMetric(this.deadLetteringFailedMessages),
      FailedAttempts: countMetric(failedAttempts),
      ClientErrors: countMetric(this.clientErrors),
      HandedBack: countMetric(handedBack),
      Untried: countMetric(this.untriedMessages),
      Broken: countMetric(this.results.left),
      Latency: { values: this.latenciesMs, unit: 'Milliseconds' },
      Lateness: { values: this.latenessesMs, unit: 'Milliseconds' },
    };
  }
}

/** One after another: sending to the dead-letter queue, which fails, and hiding; and one of the two again in another way. */
const CALLS_IN_A_ROW = 3;

/** Time that an invocation reserves to report everything to SQS in the end, however slow SQS is. */
export const RESERVE_MS = CALLS_IN_A_ROW * LONGEST_CALL_MS;

/**
 * Keeps a minimum time between the requests of an invocation. The first request waits for one interval too, because the invocation
 * before in the same execution environment may have made a request at its end.
 */
export class Pacer {
  private freeAtMs: number;
  private readonly now: NowMs;

  /** @param intervalMs the minimum time between two requests; 0 means no pace */
  constructor(
    private readonly intervalMs: number,
    clock: NowMs,
    private readonly wait: Wait,
  ) {
    this.now = forwardOnly(clock);
    this.freeAtMs = this.now() + intervalMs;
  }

  /** How long the next request must wait. */
  get waitMs(): number {
    return Math.max(0, this.freeAtMs - this.now());
  }

  /** Takes the next turn. Resolves when it has come; undefined if it has come already. */
  turn(): Promise<void> | undefined {
    const nowMs = this.now();
    const atMs = Math.max(this.freeAtMs, nowMs);
    this.freeAtMs = atMs + this.intervalMs;
    return atMs > nowMs ? this.until(atMs) : undefined;
  }

  private async until(atMs: number): Promise<void> {
    // Node's timers may fire a millisecond early.
    for (let leftMs = atMs - this.now(); leftMs > 0; leftMs = atMs - this.now()) await this.wait(leftMs);
  }
}
