import type { PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import {
  type AlarmConfiguration,
  MISSING_DATA_TREATMENTS,
  type MissingDataTreatment,
} from '../alarms/alarm-configuration';
import { type ComparisonOperator, isComparisonOperator } from '../alarms/comparison';
import type { CloudWatchState } from '../cloud-watch-state';
import { dimensionsOf } from '../dimensions';
import { validationError } from '../errors';
import { isStatistic, type StatisticName } from '../metrics/statistics';
import { alarmArn, alarmNamed, type CloudWatchAction } from './cloud-watch-action';

const SHORT_PERIODS_SECONDS = [10, 20, 30];
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 604_800;
/** An alarm takes at most five actions a state. */
const MOST_ACTIONS = 5;

/** Members of the request that would change what the alarm does, and that this CloudWatch does not know. */
const NOT_IMPLEMENTED = [
  'Metrics',
  'ExtendedStatistic',
  'EvaluateLowSampleCountPercentile',
  'ThresholdMetricId',
  'EvaluationWindow',
  'EvaluationCriteria',
  'WarmUpConfiguration',
] as const;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
export const putMetricAlarm: CloudWatchAction<'PutMetricAlarm'> = {
  permission: 'cloudwatch:PutMetricAlarm',
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    state.putAlarm(alarmConfiguration(state, input));
    return {};
  },
};

/** @throws AwsError with everything that is wrong with the request */
function alarmConfiguration(state: CloudWatchState, input: PutMetricAlarmInput): AlarmConfiguration {
  const unknown = NOT_IMPLEMENTED.filter(member => member in input && input[member as keyof PutMetricAlarmInput]);
  if (unknown.length > 0) throw notImplemented(`an alarm's ${unknown.join(', ')}`);
  const problems = [...requiredProblems(input), ...periodProblems(input), ...memberProblems(input)];
  if (problems.length > 0) throw validationError(problems.join('; '));
  const { place, timeline } = state.context;
  const alarmName = input.AlarmName ?? '';
  return {
    alarmName,
    alarmArn: alarmArn(place, alarmName),
    alarmDescription: input.AlarmDescription,
    updatedAtMs: timeline.nowMs,
    actionsEnabled: input.ActionsEnabled ?? true,
    actions: {
      OK: input.OKActions ?? [],
      ALARM: input.AlarmActions ?? [],
      INSUFFICIENT_DATA: input.InsufficientDataActions ?? [],
    },
    namespace: input.Namespace ?? '',
    metricName: input.MetricName ?? '',
    dimensions: dimensionsOf(input.Dimensions),
    statistic: input.Statistic as StatisticName,
    unit: input.Unit,
    periodSeconds: input.Period ?? 0,
    evaluationPeriods: input.EvaluationPeriods ?? 0,
    datapointsToAlarm: input.DatapointsToAlarm,
    threshold: input.Threshold ?? 0,
    comparisonOperator: input.ComparisonOperator as ComparisonOperator,
    treatMissingData: (input.TreatMissingData ?? 'missing') as MissingDataTreatment,
  };
}

function requiredProblems(input: PutMetricAlarmInput): readonly string[] {
  const required = ['AlarmName', 'Namespace', 'MetricName', 'Statistic', 'Period', 'EvaluationPeriods', 'Threshold'];
  const members: Readonly<Record<string, unknown>> = { ...input };
  return [...required, 'ComparisonOperator']
    .filter(member => members[member] === undefined || members[member] === '')
    .map(member => `${member} is required`);
}

function periodProblems({ Period: period, EvaluationPeriods: periods }: PutMetricAlarmInput): readonly string[] {
  const problems: string[] = [];
  if (period !== undefined && !SHORT_PERIODS_SECONDS.includes(period) && (period <= 0 || period % 60 !== 0)) {
    problems.push(`Period must be 10, 20, 30 or a multiple of 60 seconds, got ${period}`);
  }
  if (periods !== undefined && (!Number.isInteger(periods) || periods < 1)) {
    problems.push(`EvaluationPeriods must be a whole number of at least 1, got ${periods}`);
  }
  const longest = (period ?? 0) < HOUR_SECONDS ? DAY_SECONDS : WEEK_SECONDS;
  if ((period ?? 0) * (periods ?? 0) > longest) {
    problems.push(`Period times EvaluationPeriods must be at most ${longest} seconds, got ${period} times ${periods}`);
  }
  return problems;
}

function memberProblems(input: PutMetricAlarmInput): readonly string[] {
  const problems: string[] = [];
  const {
    DatapointsToAlarm: needed,
    EvaluationPeriods: periods = Number.POSITIVE_INFINITY,
    Statistic: statistic,
    ComparisonOperator: operator,
    TreatMissingData: treatment,
    Threshold: threshold,
  } = input;
  if (needed !== undefined && (!Number.isInteger(needed) || needed < 1 || needed > periods)) {
    problems.push(`DatapointsToAlarm must be a whole number from 1 to EvaluationPeriods, got ${needed}`);
  }
  if (threshold !== undefined && !Number.isFinite(threshold)) {
    problems.push(`Threshold must be a number, got ${threshold}`);
  }
  if (statistic !== undefined && !isStatistic(statistic)) {
    problems.push(`Statistic must be SampleCount, Average, Sum, Minimum or Maximum, got ${statistic}`);
  }
  if (operator !== undefined && !isComparisonOperator(operator)) {
    problems.push(`ComparisonOperator must compare with a static threshold, got ${operator}`);
  }
  if (treatment !== undefined && !(MISSING_DATA_TREATMENTS as readonly string[]).includes(treatment)) {
    problems.push(`TreatMissingData must be one of ${MISSING_DATA_TREATMENTS.join(', ')}, got ${treatment}`);
  }
  for (const member of ['OKActions', 'AlarmActions', 'InsufficientDataActions'] as const) {
    const actions = input[member] ?? [];
    if (actions.length > MOST_ACTIONS) {
      problems.push(`${member} must name at most ${MOST_ACTIONS} actions, got ${actions.length}`);
    }
    problems.push(...actions.filter(arn => !isTopic(arn)).map(arn => `${member} must name SNS topics, got ${arn}`));
  }
  return problems;
}

/** Other targets (functions, EC2, Auto Scaling, Systems Manager) are not implemented; FIFO topics AWS takes. */
const isTopic = (arn: string): boolean => /^arn:[^:]+:sns:[^:]+:\d{12}:[^:]+$/.test(arn);
