import {
  CloudWatchClient,
  type CompositeAlarm,
  type Dimension,
  type MetricAlarm,
  type MetricDataQuery,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import type { AlarmFacts, WatchedMetricFacts } from '../../diagnosis/inventory/alarm-facts';
import type { AccountReader } from './account-reader';

/** What a metric of math does not say for itself. */
const IN_MATH = { untold: 'is of a metric in its math' } as const;

function dimensionsOf(dimensions: readonly Dimension[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(dimensions.map(({ Name = '', Value = '' }) => [Name, Value]));
}

function ownMetric(told: MetricAlarm): WatchedMetricFacts[] {
  const { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Period } = told;
  if (MetricName === undefined) return [];
  return [
    {
      namespace: Namespace ?? '',
      name: MetricName,
      dimensions: dimensionsOf(Dimensions),
      statistic: Statistic ?? ExtendedStatistic ?? '',
      periodSeconds: Period ?? IN_MATH,
    },
  ];
}

function metricInMath({ MetricStat, AccountId: accountId }: MetricDataQuery): WatchedMetricFacts[] {
  if (!MetricStat) return [];
  const { Metric, Stat = '', Period } = MetricStat;
  return [
    {
      ...(accountId !== undefined && { accountId }),
      namespace: Metric?.Namespace ?? '',
      name: Metric?.MetricName ?? '',
      dimensions: dimensionsOf(Metric?.Dimensions),
      statistic: Stat,
      periodSeconds: Period ?? IN_MATH,
    },
  ];
}

/** How a query of Metrics Insights begins; other expressions are math. */
const QUERY = /^\s*SELECT\b/i;

function queriesIn(metrics: readonly MetricDataQuery[]): Pick<AlarmFacts, 'queries'> {
  const queries = metrics.flatMap(({ Expression = '' }) => (QUERY.test(Expression) ? [Expression] : []));
  return queries.length > 0 ? { queries } : {};
}

function metricAlarmFacts(told: MetricAlarm): AlarmFacts {
  const { AlarmArn: arn = '', AlarmName: name = '', EvaluationPeriods = 1, Metrics = [], StateValue } = told;
  return {
    arn,
    name,
    metrics: [...ownMetric(told), ...Metrics.flatMap(metricInMath)],
    ...queriesIn(Metrics),
    comparison: told.ComparisonOperator,
    threshold: told.Threshold,
    evaluationPeriods: EvaluationPeriods,
    datapointsToAlarm: told.DatapointsToAlarm ?? EvaluationPeriods,
    treatMissingData: told.TreatMissingData ?? 'missing',
    actionsEnabled: told.ActionsEnabled ?? true,
    alarmActions: told.AlarmActions ?? [],
    ...(StateValue !== undefined && { state: StateValue }),
  };
}

/** Of an alarm on other alarms. */
const ON_ALARMS = { untold: 'is that of an alarm on other alarms' } as const;

function compositeAlarmFacts(told: CompositeAlarm): AlarmFacts {
  const { AlarmArn: arn = '', AlarmName: name = '', AlarmRule: rule = '', StateValue } = told;
  return {
    arn,
    name,
    metrics: [],
    rule,
    comparison: undefined,
    threshold: undefined,
    evaluationPeriods: ON_ALARMS,
    datapointsToAlarm: ON_ALARMS,
    treatMissingData: ON_ALARMS,
    actionsEnabled: told.ActionsEnabled ?? true,
    alarmActions: told.AlarmActions ?? [],
    ...(StateValue !== undefined && { state: StateValue }),
  };
}

/** Every alarm of the Region. It takes the permission `cloudwatch:DescribeAlarms`. */
export async function readAlarms({ aws }: AccountReader): Promise<readonly AlarmFacts[]> {
  const found: AlarmFacts[] = [];
  // Those on other alarms are told of only where they are asked for.
  const asked = { AlarmTypes: ['MetricAlarm' as const, 'CompositeAlarm' as const] };
  for await (const page of paginateDescribeAlarms({ client: aws.client(CloudWatchClient) }, asked)) {
    found.push(...(page.MetricAlarms ?? []).map(metricAlarmFacts));
    found.push(...(page.CompositeAlarms ?? []).map(compositeAlarmFacts));
  }
  return found;
}
