import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { REDRIVE_METRICS, type RedriveMetricName } from '../../policy/redrive/redrive-metrics';

/** One of the metrics the function of a redrive writes into its log. */
export function redriveMetric(handler: IFunction, metricName: RedriveMetricName, options?: MetricOptions): Metric {
  const { namespace, dimension } = REDRIVE_METRICS;
  return new Metric({ namespace, metricName, dimensionsMap: { [dimension]: handler.functionName }, ...options });
}

/**
 * Throttles in a minute in which nobody looked. A look says its state when it ends; while a long one lasts, which copies or
 * replays, the next ones are throttled as a matter of course, for there is to be one at a time.
 *
 * The looks of a minute that are not there yet are none: an alarm on this must ask for all of many minutes, of which the newest
 * tell nothing.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
export function throttledAndBlind(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'throttled, and nobody looks',
    expression: 'IF(FILL(looks, 0) > 0, 0, throttles)',
    usingMetrics: {
      looks: redriveMetric(handler, 'RedriveState', { statistic: Stats.SAMPLE_COUNT }),
      throttles: handler.metricThrottles({ statistic: Stats.SUM }),
    },
  });
}
