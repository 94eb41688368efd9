import type { Duration } from 'aws-cdk-lib';
import { Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { redriveMetric, throttledAndBlind } from './redrive-metrics';

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
