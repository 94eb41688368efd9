import type { RelayMetricName } from '../../policy/relay/relay-metrics';
import type { MetricValues } from '../shared/emf';
import type { DeliveryResult } from './ending';

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
