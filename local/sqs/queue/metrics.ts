import type { MetricSink } from '../../kernel/telemetry';

type QueueMetric =
  | 'NumberOfMessagesSent'
  | 'SentMessageSize'
  | 'NumberOfMessagesReceived'
  | 'NumberOfMessagesDeleted'
  | 'NumberOfEmptyReceives'
  | 'NumberOfDeduplicatedSentMessages'
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'ApproximateNumberOfMessagesDelayed'
  | 'ApproximateAgeOfOldestMessage'
  | 'ApproximateNumberOfGroupsWithInflightMessages'
  | 'ApproximateNumberOfNoisyGroups'
  | 'ApproximateNumberOfMessagesVisibleInQuietGroups'
  | 'ApproximateNumberOfMessagesNotVisibleInQuietGroups'
  | 'ApproximateNumberOfMessagesDelayedInQuietGroups'
  | 'ApproximateAgeOfOldestMessageInQuietGroups';

type QueueUnit = 'Count' | 'Bytes' | 'Seconds';

export interface Gauge {
  readonly name: QueueMetric;
  readonly value: number;
  /** @default 'Count' */
  readonly unit?: QueueUnit;
}

/**
 * The CloudWatch metrics of one queue.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class QueueMetrics {
  private readonly dimensions: Readonly<Record<string, string>>;

  constructor(
    queueName: string,
    private readonly sink: MetricSink,
  ) {
    this.dimensions = { QueueName: queueName };
  }

  put(name: QueueMetric, value: number, unit: QueueUnit = 'Count'): void {
    this.sink.put({ namespace: 'AWS/SQS', name, dimensions: this.dimensions, value, unit });
  }
}
