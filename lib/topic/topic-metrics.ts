import { type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TopicBase } from 'aws-cdk-lib/aws-sns';
import { isElsewhere } from './deliveries/delivery-place';

/** A metric of a topic that may have been made in another account or Region: SNS counts there. */
function countOf(topic: TopicBase, metricName: string, options?: MetricOptions): Metric {
  const there = isElsewhere(topic, topic) ? topic.env : {};
  return topic.metric(metricName, { statistic: Stats.SUM, ...there, ...options });
}

/** Messages moved to a dead-letter queue. */
export function redriven(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsRedrivenToDlq', options);
}

/** Messages that could not be moved to their dead-letter queue, and are lost. */
export function failedToRedrive(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFailedToRedriveToDlq', options);
}

/** Messages no subscription got because a filter of their body found that to be no JSON. */
export function filteredForNoJson(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFilteredOut-InvalidMessageBody', options);
}
