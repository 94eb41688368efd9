import { Tokenization } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { RELAY_METRICS, type RelayMetricName } from '../../policy/relay/relay-metrics';

/** One of the metrics the function of a relay writes into its log. */
export function relayMetric(
  handler: IFunction,
  metricName: RelayMetricName | 'BreakerState',
  options?: MetricOptions,
): Metric {
  const { namespace, dimension } = RELAY_METRICS;
  return new Metric({ namespace, metricName, dimensionsMap: { [dimension]: handler.functionName }, ...options });
}

/** The same of the function, as Lambda counts it. */
export function functionSum(handler: IFunction, metricName: string): Metric {
  return handler.metric(metricName, { statistic: Stats.SUM });
}

/** The function writes none of its metrics while it has nothing to do. */
const FAILED = 'FILL(failed, 0)';
const ATTEMPTS = 'FILL(attempts, 0)';

/** How many of a hundred attempts failed in a way that is tried again; 0 where there were fewer than `minimumAttempts`. */
export function failureRate(handler: IFunction, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  const statistic = Stats.SUM;
  return new MathExpression({
    label: 'failed attempts, %',
    expression: `IF(${ATTEMPTS} >= ${atLeast}, 100 * ${FAILED} / ${ATTEMPTS}, 0)`,
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts', { statistic }),
      attempts: relayMetric(handler, 'Attempts', { statistic }),
    },
  });
}

/**
 * Messages that are due, in a minute in which nobody received any. A message that waits to be tried again is in flight, so
 * what can be received is due.
 */
export function dueAndUntaken(queue: IQueue): MathExpression {
  return new MathExpression({
    label: 'due, and nobody receives',
    expression: 'IF(FILL(received, 0) > 0, 0, FILL(due, 0))',
    usingMetrics: {
      received: queue.metricNumberOfMessagesReceived({ statistic: Stats.SUM }),
      due: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MINIMUM }),
    },
  });
}
