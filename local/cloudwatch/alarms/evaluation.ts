import { MINUTE_SECONDS } from '../../../policy/time-units';
import { doubleText } from '../../kernel/double';
import {
  type AlarmStateValue,
  COMPARISONS,
  type MetricAlarmConfiguration,
  type MissingDataTreatment,
} from './alarm-configuration';

/** The data of one period. */
export interface Datapoint {
  readonly startMs: number;
  /** Undefined when the period has no data. */
  readonly value?: number | undefined;
  /** The number of values in the period; undefined for the result of an expression. */
  readonly sampleCount?: number | undefined;
}

export type RealDatapoint = Datapoint & { readonly value: number };

export interface AlarmEvaluation {
  /** `retained`: the data is insufficient for a decision, so the alarm keeps its state. */
  readonly state: AlarmStateValue | 'retained';
  /** The existing data points that counted, newest first. */
  readonly breaching: readonly RealDatapoint[];
  readonly notBreaching: readonly RealDatapoint[];
  /** The number of missing data points that `treatMissingData` filled in. */
  readonly filled: number;
}

/** The parts of a configuration that decide the alarm's state. */
export type Rule = Pick<
  MetricAlarmConfiguration,
  'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparisonOperator' | 'treatMissingData'
> & {
  /** Data points with fewer values than this are ignored. @default every data point counts */
  readonly fewestSamples?: number | undefined;
};

/**
 * The number of periods that an alarm evaluates.
 *
 * **Assumption CW-1:** AWS says that this is more than `evaluationPeriods`, but publishes no formula. N +
 * max(floor(N/3), 2) gives the five periods of AWS's published examples for N = 3.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function evaluationRange(evaluationPeriods: number): number {
  return evaluationPeriods + Math.max(Math.floor(evaluationPeriods / 3), 2);
}

/**
 * The number of periods that an alarm reads whose period is shorter than the resolution of its metric's data. The data
 * of a minute is stored at the minute's start, so the range reaches back one minute further.
 *
 * **Assumption CW-18:** AWS says that the number "depends on the length of the alarm period and whether it is based on
 * a metric with standard resolution or high resolution", and that an alarm with a period of 10 seconds did go to ALARM
 * by data of standard resolution is recorded. The number itself is not published.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function rangeOverMinutes(evaluationPeriods: number, periodSeconds: number): number {
  const reach = Math.max(0, Math.ceil(MINUTE_SECONDS / periodSeconds) - 1);
  return evaluationRange(evaluationPeriods) + reach;
}

/**
 * Decides the state of an M-out-of-N alarm.
 *
 * @param range the data of the evaluation range, newest first
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function evaluate(rule: Rule, range: readonly Datapoint[]): AlarmEvaluation {
  const { breaches } = COMPARISONS[rule.comparisonOperator];
  const { treatMissingData = 'missing', fewestSamples = 0 } = rule;
  const datapointsToAlarm = rule.datapointsToAlarm ?? rule.evaluationPeriods;
  const considered = range.filter(isReal).slice(0, rule.evaluationPeriods);
  const breaching = considered.filter(({ value }) => breaches(value, rule.threshold));
  const notBreaching = considered.filter(({ value }) => !breaches(value, rule.threshold));
  const filled = rule.evaluationPeriods - considered.length;
  const evaluation = (state: AlarmEvaluation['state']): AlarmEvaluation => ({ state, breaching, notBreaching, filled });

  if (considered.length === 0) return evaluation(STATE_WITHOUT_DATA[treatMissingData]);
  if (considered.some(({ sampleCount = fewestSamples }) => sampleCount < fewestSamples)) return evaluation('retained');
  const filledAsBreaching = treatMissingData === 'breaching' ? filled : 0;
  if (breaching.length + filledAsBreaching >= datapointsToAlarm) return evaluation('ALARM');
  const undecided = filled > 0 && notBreaching.length === 0;
  if (undecided && treatMissingData === 'missing') {
    return evaluation(isOldEnough(range, datapointsToAlarm) ? 'ALARM' : 'retained');
  }
  if (undecided && treatMissingData === 'ignore') return evaluation('retained');
  return evaluation('OK');
}

const STATE_WITHOUT_DATA = {
  missing: 'INSUFFICIENT_DATA',
  ignore: 'retained',
  breaching: 'ALARM',
  notBreaching: 'OK',
} as const satisfies Record<MissingDataTreatment, AlarmEvaluation['state']>;

const isReal = (datapoint: Datapoint): datapoint is RealDatapoint => datapoint.value !== undefined;

/**
 * Whether an alarm may enter ALARM with fewer data points than it requires: the oldest data point is breaching and at
 * least M periods old, and no data point after it is within the threshold. AWS waits that long so that a single late
 * data point raises no false alarm. In AWS's published row `0 - X - -` (M = 2, OK), an older data point within the
 * threshold prevents ALARM, so the caller applies this rule only if every real data point is breaching.
 */
function isOldEnough(range: readonly Datapoint[], datapointsToAlarm: number): boolean {
  return range.findLastIndex(isReal) + 1 >= datapointsToAlarm;
}

/**
 * The number of values that a percentile needs to be significant: 10 / (1 - percentile) above the median, 10 /
 * percentile below.
 *
 * @param percentile from 0 to 100
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html
 */
export function fewestSamplesFor(percentile: number): number {
  return 1_000 / (percentile >= 50 ? 100 - percentile : percentile);
}

/** CloudWatch lists this many data points or more in a separate sentence, and shows only the newest five. */
const LONG_LIST = 5;

export type ReasonInput = Pick<
  MetricAlarmConfiguration,
  'evaluationPeriods' | 'datapointsToAlarm' | 'comparisonOperator' | 'threshold' | 'treatMissingData'
>;

const count = (howMany: number, noun: string): string => `${howMany} ${noun}${howMany === 1 ? '' : 's'}`;
const were = (howMany: number): string => (howMany === 1 ? 'was' : 'were');

/**
 * Words the reason of a state as CloudWatch does. The wording depends on whether the alarm sets `DatapointsToAlarm`.
 * The wording for several missing data points next to real ones is recorded only for alarms that do not set it.
 */
export function stateReason(alarm: ReasonInput, evaluation: AlarmEvaluation): string {
  const { evaluationPeriods } = alarm;
  const real = evaluation.breaching.length + evaluation.notBreaching.length;
  if (evaluation.state === 'INSUFFICIENT_DATA') {
    return `Insufficient Data: ${count(evaluationPeriods, 'datapoint')} ${were(evaluationPeriods)} unknown.`;
  }
  const crossed = evaluation.state === 'ALARM' ? evaluation.breaching : evaluation.notBreaching;
  if (crossed.length === 0) {
    const received = `${real === 0 ? 'no datapoints' : count(real, 'datapoint')} ${real === 1 ? 'was' : 'were'} received`;
    return `Threshold Crossed: ${received} for ${count(evaluationPeriods, 'period')}${filledIn(alarm, evaluation)}.`;
  }
  return `Threshold Crossed: ${crossing(alarm, evaluation, crossed)}`;
}

function crossing(alarm: ReasonInput, evaluation: AlarmEvaluation, crossed: readonly RealDatapoint[]): string {
  const { datapointsToAlarm, evaluationPeriods, comparisonOperator, threshold } = alarm;
  const isLong = crossed.length >= LONG_LIST;
  const list = `[${crossed.slice(0, LONG_LIST).map(withInstant).join(', ')}]`;
  const not = evaluation.state === 'ALARM' ? '' : 'not ';
  const howMany =
    datapointsToAlarm === undefined
      ? count(crossed.length, 'datapoint')
      : `${crossed.length} out of the last ${evaluationPeriods} datapoints`;
  const relation = `${were(crossed.length)} ${not}${COMPARISONS[comparisonOperator].wording} the threshold (${doubleText(threshold)})`;
  const missing = filledIn(alarm, evaluation);
  const transition = datapointsToAlarm === undefined ? '' : ` ${neededFor(alarm, datapointsToAlarm, evaluation)}`;
  return isLong
    ? `${howMany} ${relation}${missing}. The most recent datapoints which crossed the threshold: ${list}${transition}.`
    : `${howMany} ${list} ${relation}${missing}${transition}.`;
}

function neededFor({ evaluationPeriods }: ReasonInput, datapointsToAlarm: number, { state }: AlarmEvaluation): string {
  return state === 'ALARM'
    ? `(minimum ${count(datapointsToAlarm, 'datapoint')} for OK -> ALARM transition)`
    : `(minimum ${count(evaluationPeriods - datapointsToAlarm + 1, 'datapoint')} for ALARM -> OK transition)`;
}

function filledIn({ treatMissingData = 'missing' }: ReasonInput, { filled }: AlarmEvaluation): string {
  const treatedAs = { breaching: 'Breaching', notBreaching: 'NonBreaching', missing: '', ignore: '' }[treatMissingData];
  if (filled === 0 || !treatedAs) return '';
  return ` and ${count(filled, 'missing datapoint')} ${were(filled)} treated as [${treatedAs}]`;
}

const withInstant = ({ value, startMs }: RealDatapoint): string => `${doubleText(value)} (${dayFirst(startMs)})`;

/** Formats an instant with the day first, as CloudWatch does: `28/06/22 01:55:00`. */
function dayFirst(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  const [year = '', month, day] = date.split('-');
  return `${day}/${month}/${year.slice(2)} ${time.slice(0, 8)}`;
}
