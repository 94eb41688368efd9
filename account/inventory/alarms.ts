import {
  CloudWatchClient,
  type CompositeAlarm,
  type Dimension,
  type MetricAlarm,
  type MetricDataQuery,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import type { AlarmFacts, WatchedMetricFacts } from '../../diagnosis/inventory/inventory';
import { type AccountReader, type InventoryQuestion, itemsOf } from './account-reader';

/** In metric math, each metric has its own period. */
const IN_MATH = { unknownBecause: 'is set by each metric of its math expression' } as const;

function dimensionsOf(dimensions: readonly Dimension[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(dimensions.map(({ Name = '', Value = '' }) => [Name, Value]));
}

function ownMetric(reported: MetricAlarm): WatchedMetricFacts[] {
  const { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Period } = reported;
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

/** The beginning of a Metrics Insights query. Other expressions are metric math. */
const QUERY = /^\s*SELECT\b/i;

function queriesIn(metrics: readonly MetricDataQuery[]): Pick<AlarmFacts, 'queries'> {
  const queries = metrics.flatMap(({ Expression = '' }) => (QUERY.test(Expression) ? [Expression] : []));
  return queries.length > 0 ? { queries } : {};
}

function metricAlarmFacts(reported: MetricAlarm): AlarmFacts {
  const { AlarmArn: arn = '', AlarmName: name = '', EvaluationPeriods = 1, Metrics = [], StateValue } = reported;
  return {
    arn,
    name,
    metrics: [...ownMetric(reported), ...Metrics.flatMap(metricInMath)],
    isPlain: reported.MetricName !== undefined || (Metrics.length === 1 && Metrics[0]?.MetricStat !== undefined),
    ...queriesIn(Metrics),
    comparison: reported.ComparisonOperator,
    threshold: reported.Threshold,
    evaluationPeriods: EvaluationPeriods,
    datapointsToAlarm: reported.DatapointsToAlarm ?? EvaluationPeriods,
    treatMissingData: reported.TreatMissingData ?? 'missing',
    actionsEnabled: reported.ActionsEnabled ?? true,
    alarmActions: reported.AlarmActions ?? [],
    ...(StateValue !== undefined && { state: StateValue }),
  };
}

const ON_ALARMS = { unknownBecause: 'is that of a composite alarm' } as const;

function compositeAlarmFacts(reported: CompositeAlarm): AlarmFacts {
  const { AlarmArn: arn = '', AlarmName: name = '', AlarmRule: rule = '', StateValue } = reported;
  return {
    arn,
    name,
    metrics: [],
    isPlain: false,
    rule,
    comparison: undefined,
    threshold: undefined,
    evaluationPeriods: ON_ALARMS,
    datapointsToAlarm: ON_ALARMS,
    treatMissingData: ON_ALARMS,
    actionsEnabled: reported.ActionsEnabled ?? true,
    alarmActions: reported.AlarmActions ?? [],
    ...(StateValue !== undefined && { state: StateValue }),
  };
}

const ALARMS: InventoryQuestion = { action: 'cloudwatch:DescribeAlarms', tells: 'the alarms', hides: ['alarms'] };

/** The largest page of CloudWatch. */
const MOST_LISTED = 100;

/** Reads every alarm of the Region. It needs the permission `cloudwatch:DescribeAlarms`. */
export function readAlarms(reader: AccountReader): Promise<readonly AlarmFacts[]> {
  // CloudWatch returns composite alarms only on request.
  const asked = { AlarmTypes: ['MetricAlarm' as const, 'CompositeAlarm' as const], MaxRecords: MOST_LISTED };
  const pages = paginateDescribeAlarms({ client: reader.aws.client(CloudWatchClient) }, asked);
  return reader.list(
    ALARMS,
    itemsOf(pages, ({ MetricAlarms = [], CompositeAlarms = [] }) => [
      ...MetricAlarms.map(metricAlarmFacts),
      ...CompositeAlarms.map(compositeAlarmFacts),
    ]),
  );
}
