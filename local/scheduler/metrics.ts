import type { MetricSink } from '../kernel/telemetry';

/** @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/monitoring-cloudwatch.html */
export type SchedulerMetric =
  | 'InvocationAttemptCount'
  | 'InvocationDroppedCount'
  | 'InvocationsFailedToBeSentToDeadLetterCount'
  | `InvocationsFailedToBeSentToDeadLetterCount_${string}`
  | 'InvocationsSentToDeadLetterCount'
  | 'InvocationsSentToDeadLetterCount_Truncated_MessageSizeExceeded'
  | 'TargetErrorCount'
  | 'TargetErrorThrottledCount';

/** What EventBridge Scheduler reports to CloudWatch: for the group, and for the account. */
export class SchedulerMetrics {
  constructor(private readonly sink: MetricSink) {}

  /** Counts one. */
  count(name: SchedulerMetric, ScheduleGroup: string): void {
    const dimensionSets: readonly Readonly<Record<string, string>>[] = [{ ScheduleGroup }, {}];
    for (const dimensions of dimensionSets) {
      this.sink.put({ namespace: 'AWS/Scheduler', name, dimensions, value: 1 });
    }
  }
}
