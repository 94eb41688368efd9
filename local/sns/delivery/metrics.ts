import type { MetricSink } from '../../kernel/telemetry';
import type { FilterReason } from '../happenings';
import type { Topic } from '../topic';

/** The metrics of `AWS/SNS` that count one thing at a time. */
type SnsCount =
  | 'NumberOfMessagesPublished'
  | 'NumberOfNotificationsDelivered'
  | 'NumberOfNotificationsFailed'
  | 'NumberOfNotificationsFilteredOut'
  | `NumberOfNotificationsFilteredOut-${FilterReason}`
  | 'NumberOfNotificationsRedrivenToDlq'
  | 'NumberOfNotificationsFailedToRedriveToDlq';

/**
 * Reports SNS's metrics.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
 */
export class SnsMetrics {
  constructor(private readonly sink: MetricSink) {}

  count(topic: Topic, name: SnsCount): void {
    this.sink.put({ namespace: 'AWS/SNS', name, dimensions: { TopicName: topic.name }, value: 1 });
  }

  publishSize(topic: Topic, sizeBytes: number): void {
    const dimensions = { TopicName: topic.name };
    this.sink.put({ namespace: 'AWS/SNS', name: 'PublishSize', dimensions, value: sizeBytes, unit: 'Bytes' });
  }
}
