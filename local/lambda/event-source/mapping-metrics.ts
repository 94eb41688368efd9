import type { MetricSink } from '../../kernel/telemetry';

/**
 * The events of a mapping by what became of them, for a mapping that was told to count them. `DroppedEventCount` and
 * `OnFailureDestinationDeliveredEventCount` are for streams only.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
 */
type EventCountMetric =
  | 'PolledEventCount'
  | 'FilteredOutEventCount'
  | 'InvokedEventCount'
  | 'FailedInvokeEventCount'
  | 'DeletedEventCount';

/** Counts nothing unless it was told to. */
export class MappingMetrics {
  private readonly dimensions: Readonly<Record<string, string>>;

  constructor(
    uuid: string,
    private readonly sink: MetricSink,
    private readonly countsEvents: boolean,
  ) {
    this.dimensions = { EventSourceMappingUUID: uuid };
  }

  count(name: EventCountMetric, value: number): void {
    if (this.countsEvents) this.sink.put({ namespace: 'AWS/Lambda', name, dimensions: this.dimensions, value });
  }
}
