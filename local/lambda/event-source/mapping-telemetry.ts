import type { AwsError } from '../../kernel/aws-error';
import type { MetricSink } from '../../kernel/telemetry';
import type { Recorder } from '../../kernel/trace';
import type { FunctionTarget } from '../function/deployed-function';
import type { LambdaTraceEvent } from '../ports';

/** Records trace events of a mapping. A condition that lasts is recorded only once. */
export class MappingTrace {
  private readonly about: { readonly mappingId: string; readonly functionArn: string; readonly queueArn: string };
  /** Why receiving last failed; undefined when it succeeded. */
  private refusal: string | undefined;
  private isGoneNoted = false;
  private isLimitNoted = false;

  constructor(
    uuid: string,
    queueArn: string,
    target: FunctionTarget,
    private readonly trace: Recorder<LambdaTraceEvent>,
  ) {
    this.about = { mappingId: uuid, functionArn: target.deployed.arn, queueArn };
  }

  received(requestId: string, messageIds: readonly string[]): void {
    this.trace.record({ type: 'lambda.batch-received', ...this.about, requestId, messageIds });
  }

  finished(
    requestId: string,
    outcome: 'success' | 'error' | 'timeout' | 'throttled',
    deleted: number,
    failedMessageIds: readonly string[],
  ): void {
    const finished = { type: 'lambda.batch-finished', ...this.about, requestId, outcome } as const;
    this.trace.record({ ...finished, deleted, failedMessageIds });
  }

  filteredOut(messageIds: readonly string[]): void {
    this.trace.record({ type: 'lambda.messages-filtered-out', ...this.about, messageIds });
  }

  /** The queue rejected a delete request. */
  notDeleted({ code, message: reason }: AwsError): void {
    this.trace.record({ type: 'lambda.queue-refused', ...this.about, action: 'DeleteMessageBatch', code, reason });
  }

  /** The queue rejected a receive request. */
  notReceived({ code, message: reason }: AwsError): void {
    const refusal = `${code}: ${reason}`;
    if (refusal === this.refusal) return;
    this.refusal = refusal;
    this.trace.record({ type: 'lambda.queue-refused', ...this.about, action: 'ReceiveMessage', code, reason });
  }

  /** The queue answered a receive request. */
  asked(): void {
    this.refusal = undefined;
  }

  functionMissing(): void {
    if (this.isGoneNoted) return;
    this.isGoneNoted = true;
    const { functionArn } = this.about;
    const reason = `there is no ${functionArn} to invoke, or not the version or alias that the mapping names`;
    this.trace.record({ type: 'lambda.mapping-without-function', ...this.about, reason });
  }

  functionFound(): void {
    this.isGoneNoted = false;
  }

  /** This machine has no thread for another batch. */
  threadsExhausted(): void {
    if (this.isLimitNoted) return;
    this.isLimitNoted = true;
    this.trace.record({ type: 'lambda.scaling-limited', ...this.about, reason: 'maxThreads' });
  }

  /** The queue is empty, and no batch is running. */
  idle(): void {
    this.isLimitNoted = false;
  }
}

/**
 * The metrics that count the messages of a mapping by outcome, if the mapping is configured to count them.
 * `DroppedEventCount` and `OnFailureDestinationDeliveredEventCount` exist for streams only.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
 */
type EventCountMetric =
  | 'PolledEventCount'
  | 'FilteredOutEventCount'
  | 'InvokedEventCount'
  | 'FailedInvokeEventCount'
  | 'DeletedEventCount';

/** Reports the metrics, if the mapping is configured to count events. */
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
