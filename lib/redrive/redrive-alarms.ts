import type { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { redriveMetric } from '../shared/own-metrics';

/**
 * The number of minutes without a check, in addition to the longest check, before the alarm fires: twice the delay that
 * metrics may have.
 */
const SPARE_MINUTES = 5;

/**
 * The alarms of a redrive.
 *
 * Its state metric rises above settling once for each run that stops for a cause. It stays there for ten minutes, and
 * until the next run starts or the dead-letter queue is empty. So the alarm fires once per run. A missing datapoint
 * keeps the state of the alarm.
 *
 * @param longestLook the maximum duration of one check, before whose end the function reports no state
 */
export function redriveRows(handler: IFunction, longestLook: Duration): readonly AlarmRow[] {
  return [
    {
      id: 'Stopped',
      metric: redriveMetric(handler, 'RedriveState'),
      threshold: REDRIVE_STATES.settling,
      missingData: TreatMissingData.IGNORE,
      meaning: 'A redrive stopped for a cause that an operator must fix. The remaining dead letters wait.',
      runbook: RunbookSection.REDRIVE_STOPPED,
    },
    {
      id: 'Errors',
      metric: handler.metricErrors({ statistic: Stats.SUM }),
      threshold: 0,
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
      meaning: 'The function of a redrive fails. Nothing is redriven, and a running move is not checked.',
      runbook: RunbookSection.REDRIVE_FUNCTION_FAILING,
    },
    {
      id: 'Throttles',
      only: AlarmSet.ALL,
      metric: throttledWithoutCheck(handler),
      threshold: 0,
      evaluationPeriods: Math.ceil(longestLook.toMinutes({ integral: false })) + SPARE_MINUTES,
      meaning: 'Lambda throttles the function of a redrive. Nothing is redriven, and a running move is not checked.',
      runbook: RunbookSection.REDRIVE_FUNCTION_THROTTLED,
    },
  ];
}

/**
 * Throttles in a minute without a check. A check reports the state when it ends. While a long check copies or replays
 * messages, the next ones are throttled by design, because only one may run at a time.
 *
 * A missing number of checks is filled with 0. So an alarm on this metric must need many consecutive minutes, because
 * the newest are not yet complete.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
function throttledWithoutCheck(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'throttled without a check',
    expression: 'IF(FILL(looks, 0) > 0, 0, throttles)',
    usingMetrics: {
      looks: redriveMetric(handler, 'RedriveState', { statistic: Stats.SAMPLE_COUNT }),
      throttles: handler.metricThrottles({ statistic: Stats.SUM }),
    },
  });
}
