import type { AwsError } from '../../kernel/aws-error';
import type { MetricSink } from '../../kernel/telemetry';
import type { Recorder } from '../../kernel/trace';
import type { FunctionTarget } from '../function/deployed-function';
import type { LambdaTraceEvent } from '../trace-events';
import { streamServiceOf } from './stream/stream-configuration';
import type { DiscardCondition } from './stream/stream-event';

type SourceName = { readonly queueArn: string } | { readonly streamArn: string };

export function sourceName(sourceArn: string): SourceName {
  return streamServiceOf(sourceArn) ? { streamArn: sourceArn } : { queueArn: sourceArn };
}

/** Records trace events of a mapping. A condition that lasts is recorded only once. */
export class MappingTrace {
  private readonly about: { readonly mappingId: string; readonly functionArn: string } & SourceName;
  /** Why receiving last failed; undefined when it succeeded. */
  private lastRejection: string | undefined;
  private isMissingRecorded = false;
  private isLimitRecorded = false;

  constructor(
    uuid: string,
    sourceArn: string,
    target: FunctionTarget,
    private readonly trace: Recorder<LambdaTraceEvent>,
  ) {
    this.about = { mappingId: uuid, functionArn: target.deployed.arn, ...sourceName(sourceArn) };
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

  /** The records of a stream will not be retried. @param destinationArn where a message about them is */
  discarded(
    requestId: string,
    condition: DiscardCondition,
    sequenceNumbers: readonly string[],
    destinationArn: string | undefined,
  ): void {
    const { about } = this;
    const kept = destinationArn === undefined ? {} : { destinationArn };
    this.trace.record({ type: 'lambda.records-discarded', ...about, requestId, condition, sequenceNumbers, ...kept });
  }

  /** The mapping will never process these records of its stream. */
  unread(reason: 'Expired' | 'MappingDeleted', sequenceNumbers: readonly string[]): void {
    if (sequenceNumbers.length === 0) return;
    this.trace.record({ type: 'lambda.records-unread', ...this.about, reason, sequenceNumbers });
  }

  deleteRejected({ code, message: reason }: AwsError): void {
    this.trace.record({ type: 'lambda.queue-refused', ...this.about, action: 'DeleteMessageBatch', code, reason });
  }

  receiveRejected(
    { code, message: reason }: AwsError,
    action: 'ReceiveMessage' | 'GetRecords' = 'ReceiveMessage',
  ): void {
    const refusal = `${code}: ${reason}`;
    if (refusal === this.lastRejection) return;
    this.lastRejection = refusal;
    this.trace.record({ type: 'lambda.queue-refused', ...this.about, action, code, reason });
  }

  /** The queue answered a receive request. */
  receiveAccepted(): void {
    this.lastRejection = undefined;
  }

  functionMissing(): void {
    if (this.isMissingRecorded) return;
    this.isMissingRecorded = true;
    const { functionArn } = this.about;
    const reason = `${functionArn}, or the version or alias that the mapping names, does not exist`;
    this.trace.record({ type: 'lambda.mapping-without-function', ...this.about, reason });
  }

  functionFound(): void {
    this.isMissingRecorded = false;
  }

  /** This machine has no thread for another batch. */
  threadsExhausted(): void {
    if (this.isLimitRecorded) return;
    this.isLimitRecorded = true;
    this.trace.record({ type: 'lambda.scaling-limited', ...this.about, reason: 'maxThreads' });
  }

  /** The queue is empty, and no batch is running. */
  idle(): void {
    this.isLimitRecorded = false;
  }
}

/**
 * The metrics that count the messages of a mapping by outcome, if the mapping is configured to count them.
 * `DroppedEventCount` and `OnFailureDestinationDeliveredEventCount` are counted for streams only.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
 */
type EventCountMetric =
  | 'PolledEventCount'
  | 'FilteredOutEventCount'
  | 'InvokedEventCount'
  | 'FailedInvokeEventCount'
  | 'DeletedEventCount'
  | 'DroppedEventCount'
  | 'OnFailureDestinationDeliveredEventCount';

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
