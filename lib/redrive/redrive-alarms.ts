import type { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { REDRIVE_METRICS, type RedriveMetricName } from '../../policy/metric-names';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import { type AlarmRow, RunbookSection } from '../shared/alarms';

/** Minutes without a look, beyond those the longest one takes, after which somebody is told: as many as metrics may be late, twice. */
const SPARE_MINUTES = 5;

/**
 * What a redrive is watched by.
 *
 * Its state goes above settling once for each run that stops for cause, and stays there for ten minutes, and until the next run
 * begins or the dead-letter queue is empty: so the alarm tells once. A look that is missing changes nothing.
 *
 * @param longestLook how long one run of the function may take, before which it cannot tell that it looks
 */
export function redriveRows(handler: IFunction, longestLook: Duration): readonly AlarmRow[] {
  return [
    {
      id: 'Stopped',
      metric: redriveMetric(handler, 'RedriveState', { statistic: Stats.MAXIMUM }),
      threshold: REDRIVE_STATES.settling,
      missingData: TreatMissingData.IGNORE,
      meaning: 'A redrive stopped for a cause that somebody has to see to; the dead letters it left wait.',
      runbook: RunbookSection.REDRIVE_STOPPED,
    },
    {
      id: 'Errors',
      metric: handler.metricErrors({ statistic: Stats.SUM }),
      threshold: 0,
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
      meaning: 'The function of a redrive fails: nothing is redriven, and nobody watches what still moves.',
      runbook: RunbookSection.REDRIVE_FUNCTION_FAILING,
    },
    {
      id: 'Throttles',
      metric: throttledAndBlind(handler),
      threshold: 0,
      evaluationPeriods: Math.ceil(longestLook.toMinutes({ integral: false })) + SPARE_MINUTES,
      meaning: 'Lambda throttles the function of a redrive: nothing is redriven, and nobody watches what still moves.',
      runbook: RunbookSection.REDRIVE_FUNCTION_THROTTLED,
    },
  ];
}

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
