import type { MetricDataQuery, PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { DAY_SECONDS, HOUR_SECONDS, WEEK_SECONDS } from '../../../policy/time-units';
import { notImplemented } from '../../kernel/aws-error';
import type { Random } from '../../kernel/random';
import {
  COMPARISONS,
  type ComparisonOperator,
  isComparisonOperator,
  type MetricAlarmConfiguration,
  MISSING_DATA_TREATMENTS,
  type MissingDataTreatment,
  RANGE_COMPARISONS,
  type WatchedMetric,
  type WatchedQuery,
} from '../alarms/alarm-configuration';
import { actionProblems, commonConfiguration, constrainAlarm } from '../alarms/alarm-request';
import { MetricAlarm } from '../alarms/metric-alarm';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints, validationError } from '../errors';
import { isSeries, seriesOn } from '../math/time-series';
import { asValidationError, coarsestPeriod, type Query, type QuerySet, querySet } from '../metrics/metric-queries';
import { dimensionsOf } from '../metrics/metric-series';
import { isSimpleStatistic, SIMPLE_STATISTICS, statisticNamed } from '../metrics/statistics';
import { UNITS } from '../metrics/units';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

/** Members that would change the alarm's behavior, but are not implemented. */
const NOT_IMPLEMENTED = [
  'ThresholdMetricId',
  'EvaluationWindow',
  'EvaluationCriteria',
  'EvaluationInterval',
  'WarmUpConfiguration',
  'ActionConfiguration',
] as const;

export const putMetricAlarm: CloudWatchAction<'PutMetricAlarm'> = {
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    const configuration = metricAlarmConfiguration(state, input);
    const existing = state.alarms.find(configuration.alarmName);
    if (existing && !(existing instanceof MetricAlarm)) {
      throw validationError(`There is a composite alarm of the name ${configuration.alarmName}`);
    }
    // AWS ignores the tags in a request for an existing alarm.
    if (!existing && input.Tags) state.tags.add(configuration.alarmArn, input.Tags);
    state.putMetricAlarm(configuration);
    return {};
  },
};

function metricAlarmConfiguration(state: CloudWatchState, input: PutMetricAlarmInput): MetricAlarmConfiguration {
  const unknown = NOT_IMPLEMENTED.filter(member => input[member] !== undefined);
  if (unknown.length > 0) throw notImplemented(`an alarm's ${unknown.join(', ')}`);
  metricAlarmConstraints(input).check();
  const problems = [...metricAlarmProblems(input), ...actionProblems(input, state.context.place.region)];
  if (problems.length > 0) throw validationError(problems.join('; '));
  const { context } = state;
  return {
    ...commonConfiguration(context, input),
    watched: watchedBy(input, context.random),
    evaluationPeriods: input.EvaluationPeriods ?? 1,
    datapointsToAlarm: input.DatapointsToAlarm,
    threshold: input.Threshold ?? 0,
    comparisonOperator: input.ComparisonOperator as ComparisonOperator,
    treatMissingData: input.TreatMissingData as MissingDataTreatment | undefined,
    evaluateLowSampleCountPercentile: input.EvaluateLowSampleCountPercentile as 'evaluate' | 'ignore' | undefined,
  };
}

/**
 * Converts a request that `metricAlarmProblems` has accepted to the metric or the query that the alarm watches.
 *
 * @throws AwsError when the metrics and expressions do not produce one time series
 */
function watchedBy(input: PutMetricAlarmInput, random: Random): WatchedMetric | WatchedQuery {
  return input.Metrics ? watchedQuery(input.Metrics) : watchedMetric(input, random);
}

function watchedMetric(input: PutMetricAlarmInput, random: Random): WatchedMetric {
  const { Namespace = '', MetricName = '', Dimensions, Statistic, ExtendedStatistic, Unit, Period = 0 } = input;
  const statistic = statisticNamed(Statistic ?? ExtendedStatistic ?? '');
  if (!statistic)
    throw validationError(`The value ${ExtendedStatistic} for parameter ExtendedStatistic is not supported.`);
  const metric = {
    namespace: Namespace,
    name: MetricName,
    dimensions: dimensionsOf(Dimensions),
    statistic,
    unit: Unit,
    periodSeconds: Period,
  };
  return { kind: 'metric', id: random.uuid(), metric, periodSeconds: Period };
}

function watchedQuery(metrics: readonly MetricDataQuery[]): WatchedQuery {
  const definitions = metrics.map(query => ({ ...query, ReturnData: query.ReturnData ?? true }));
  const set = querySet(definitions, {
    list: 'Metrics',
    isPeriod: isAlarmPeriod,
    periodRule: PERIOD_RULE,
    invalidStatistic: 'Invalid metrics list',
  });
  const returned = set.queries.find(({ returnData }) => returnData);
  const periodSeconds = coarsestPeriod(set.queries);
  if (!returned) throw validationError('Exactly one element of the metrics list should return data.');
  if (periodSeconds === undefined) throw validationError('Period must not be null');
  checkResult(set, returned, periodSeconds);
  return { kind: 'query', set, returned, definitions, periodSeconds };
}

/** Evaluates the expression once, for one period in which every metric is 1. The result must be one time series. */
function checkResult({ program }: QuerySet, { id }: Query, periodSeconds: number): void {
  const grid = { startMs: 0, periodMs: periodSeconds * 1_000, count: 1 };
  try {
    if (isSeries(program.evaluate(id, grid, () => seriesOn(grid, () => 1)))) return;
  } catch (error) {
    throw asValidationError(error);
  }
  throw validationError(`Error in expression '${id}' [It must return a single time series]`);
}

const SHORT_PERIODS_SECONDS: readonly number[] = [10, 20, 30];
const MOST_DIMENSIONS = 30;
const MOST_METRICS = 10;
const MOST_EXPRESSIONS = 10;

const PERIOD_RULE = 'Period must be 10, 20, 30 or a multiple of 60';

const isAlarmPeriod = (seconds: number): boolean =>
  SHORT_PERIODS_SECONDS.includes(seconds) || (Number.isInteger(seconds) && seconds > 0 && seconds % 60 === 0);

/** Checks each member by itself. */
function metricAlarmConstraints(input: PutMetricAlarmInput): Constraints {
  const { ComparisonOperator: operator } = input;
  if (operator !== undefined && RANGE_COMPARISONS.includes(operator)) {
    throw notImplemented(`alarms on anomaly detection (${operator})`);
  }
  return constrainAlarm(new Constraints(), input)
    .notNull('evaluationPeriods', input.EvaluationPeriods)
    .notNull('comparisonOperator', operator)
    .range('evaluationPeriods', input.EvaluationPeriods, 1)
    .range('datapointsToAlarm', input.DatapointsToAlarm, 1)
    .oneOf('comparisonOperator', operator, [...Object.keys(COMPARISONS), ...RANGE_COMPARISONS])
    .oneOf('statistic', input.Statistic, SIMPLE_STATISTICS)
    .oneOf('unit', input.Unit, UNITS)
    .length('dimensions', input.Dimensions, 0, MOST_DIMENSIONS);
}

/** Returns all problems of the combination of members, in AWS's words where these are recorded. */
function metricAlarmProblems(input: PutMetricAlarmInput): readonly string[] {
  return [
    ...(input.Metrics ? listProblems(input) : metricProblems(input)),
    ...windowProblems(input),
    ...ruleProblems(input),
  ];
}

/** With a list of metrics, no other member may name what the alarm watches. */
function listProblems(input: PutMetricAlarmInput): readonly string[] {
  const exclusive = [
    'MetricName',
    'Namespace',
    'Statistic',
    'ExtendedStatistic',
    'Dimensions',
    'Period',
    'Unit',
  ] as const;
  const metrics = input.Metrics ?? [];
  const problems: string[] = exclusive
    .filter(member => input[member] !== undefined && !(member === 'Dimensions' && input.Dimensions?.length === 0))
    .map(member => `${member} should not be set if list of Metrics is set.`);
  if (metrics.some(({ Expression }) => /\bSEARCH\s*\(/.test(Expression ?? ''))) {
    problems.push('SEARCH is not supported on Metric Alarms.');
  }
  if (metrics.filter(({ MetricStat }) => MetricStat).length > MOST_METRICS) {
    problems.push(`Too many metrics in alarm, maximum is ${MOST_METRICS}`);
  }
  if (metrics.filter(({ Expression }) => Expression !== undefined).length > MOST_EXPRESSIONS) {
    problems.push(`Too many expressions in alarm, maximum is ${MOST_EXPRESSIONS}`);
  }
  if (metrics.filter(({ ReturnData }) => ReturnData ?? true).length !== 1) {
    problems.push('Exactly one element of the metrics list should return data.');
  }
  return problems;
}

function metricProblems(input: PutMetricAlarmInput): readonly string[] {
  const { Statistic: statistic, ExtendedStatistic: extended, Namespace: namespace, Period: period } = input;
  const problems: string[] = (['MetricName', 'Namespace', 'Period'] as const)
    .filter(member => input[member] === undefined || input[member] === '')
    .map(member => `${member} must not be null`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters, and AWS allows all of it
  if (namespace !== undefined && /[^\x00-\x7f]/.test(namespace)) {
    problems.push('Namespace must not contain Non-ASCII characters.');
  }
  if (period !== undefined && !isAlarmPeriod(period)) problems.push(PERIOD_RULE);
  if ((statistic === undefined) === (extended === undefined)) {
    problems.push('Exactly one of Statistic and ExtendedStatistic must be set');
  }
  if (extended !== undefined && (isSimpleStatistic(extended) || !statisticNamed(extended))) {
    problems.push(`The value ${extended} for parameter ExtendedStatistic is not supported.`);
  }
  if (input.EvaluateLowSampleCountPercentile !== undefined && statistic !== undefined) {
    problems.push(`Option evaluateLowSampleCountPercentile can not be applied with statistic ${statistic}.`);
  }
  return problems;
}

function windowProblems({ Metrics, Period, EvaluationPeriods = 1 }: PutMetricAlarmInput): readonly string[] {
  const periods = Metrics?.flatMap(query => query.MetricStat?.Period ?? query.Period ?? []) ?? [Period ?? 0];
  const period = Math.max(0, ...periods);
  const window = period * EvaluationPeriods;
  if (period >= HOUR_SECONDS && window > WEEK_SECONDS) {
    return [
      `Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= ${WEEK_SECONDS}) for alarms using period >= ${HOUR_SECONDS}`,
    ];
  }
  return period < HOUR_SECONDS && window > DAY_SECONDS
    ? [`Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= ${DAY_SECONDS})`]
    : [];
}

function ruleProblems(input: PutMetricAlarmInput): readonly string[] {
  const { DatapointsToAlarm: needed = 1, EvaluationPeriods: periods = 1, ComparisonOperator: operator } = input;
  const { TreatMissingData: treatment, EvaluateLowSampleCountPercentile: lowSamples, Threshold: threshold } = input;
  const problems: string[] = [];
  if (needed > periods) problems.push('DatapointsToAlarm must be less than or equal to EvaluationPeriods');
  if (operator !== undefined && isComparisonOperator(operator) && !Number.isFinite(threshold)) {
    problems.push('PutMetricAlarm request should have valid Threshold parameter');
  }
  if (treatment !== undefined && !(MISSING_DATA_TREATMENTS as readonly string[]).includes(treatment)) {
    problems.push(`The value ${treatment} for parameter TreatMissingData is not supported.`);
  }
  if (lowSamples !== undefined && !['evaluate', 'ignore'].includes(lowSamples)) {
    problems.push(`The value ${lowSamples} for parameter EvaluateLowSampleCountPercentile is not supported.`);
  }
  return problems;
}
