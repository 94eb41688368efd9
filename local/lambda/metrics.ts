import type { MetricSink } from '../kernel/telemetry';

/** @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
type CountMetric =
  | 'Invocations'
  | 'Errors'
  | 'Throttles'
  | 'ConcurrentExecutions'
  | 'DeadLetterErrors'
  | 'DestinationDeliveryFailures'
  | 'AsyncEventsReceived'
  | 'AsyncEventsDropped'
  | 'RecursiveInvocationsDropped';
type DurationMetric = 'Duration' | 'AsyncEventAge';

/** The metrics of one function, by AWS's names. */
export class FunctionMetrics {
  private readonly dimensions: Readonly<Record<string, string>>;

  constructor(
    functionName: string,
    private readonly sink: MetricSink,
  ) {
    this.dimensions = { FunctionName: functionName };
  }

  count(name: CountMetric, value = 1): void {
    this.sink.put({ namespace: 'AWS/Lambda', name, dimensions: this.dimensions, value });
  }

  milliseconds(name: DurationMetric, value: number): void {
    this.sink.put({ namespace: 'AWS/Lambda', name, dimensions: this.dimensions, value, unit: 'Milliseconds' });
  }
}
