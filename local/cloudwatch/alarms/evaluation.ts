import type { AlarmStateValue, MetricAlarmConfiguration, MissingDataTreatment } from './alarm-configuration';
import { COMPARISONS } from './comparison';

/** One period as the alarm sees it. */
export interface Datapoint {
  readonly startMs: number;
  /** Absent when nothing was reported in the period. */
  readonly value?: number | undefined;
  /** How many values it was made of; absent for what an expression came to. */
  readonly sampleCount?: number | undefined;
}

export type RealDatapoint = Datapoint & { readonly value: number };

/** What one look at the data says. */
export interface Verdict {
  /** `retained`: the data does not decide, the alarm stays as it is. */
  readonly state: AlarmStateValue | 'retained';
  /** The real data points that counted, newest first. */
  readonly breaching: readonly RealDatapoint[];
  readonly notBreaching: readonly RealDatapoint[];
  /** How many missing ones were filled in as `treatMissingData` says. */
  readonly filled: number;
}

/** What of an alarm decides its state. */
export type Rule = Pick<
  MetricAlarmConfiguration,
  'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparisonOperator' | 'treatMissingData'
> & {
  /** Data points of fewer values than this decide nothing. @default every data point counts */
  readonly fewestSamples?: number | undefined;
};

/**
 * How many periods an alarm looks back on. AWS says that it is more than `evaluationPeriods` and publishes no formula; our
 * choice is N + max(floor(N/3), 2), which gives the five periods of the published examples for N = 3.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function evaluationRange(evaluationPeriods: number): number {
  return evaluationPeriods + Math.max(Math.floor(evaluationPeriods / 3), 2);
}

/**
 * Decides the state of an M-out-of-N alarm.
 *
 * @param range the data of the evaluation range, newest first
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function evaluate(rule: Rule, range: readonly Datapoint[]): Verdict {
  const { breaches } = COMPARISONS[rule.comparisonOperator];
  const { treatMissingData = 'missing', fewestSamples = 0 } = rule;
  const datapointsToAlarm = rule.datapointsToAlarm ?? rule.evaluationPeriods;
  const considered = range.filter(isReal).slice(0, rule.evaluationPeriods);
  const breaching = considered.filter(({ value }) => breaches(value, rule.threshold));
  const notBreaching = considered.filter(({ value }) => !breaches(value, rule.threshold));
  const filled = rule.evaluationPeriods - considered.length;
  const verdict = (state: Verdict['state']): Verdict => ({ state, breaching, notBreaching, filled });

  if (considered.length === 0) return verdict(STATE_WITHOUT_DATA[treatMissingData]);
  if (considered.some(({ sampleCount = fewestSamples }) => sampleCount < fewestSamples)) return verdict('retained');
  const filledAsBreaching = treatMissingData === 'breaching' ? filled : 0;
  if (breaching.length + filledAsBreaching >= datapointsToAlarm) return verdict('ALARM');
  const undecided = filled > 0 && notBreaching.length === 0;
  if (undecided && treatMissingData === 'missing') {
    return verdict(isOldEnough(range, datapointsToAlarm) ? 'ALARM' : 'retained');
  }
  if (undecided && treatMissingData === 'ignore') return verdict('retained');
  return verdict('OK');
}

const STATE_WITHOUT_DATA = {
  missing: 'INSUFFICIENT_DATA',
  ignore: 'retained',
  breaching: 'ALARM',
  notBreaching: 'OK',
} as const satisfies Record<MissingDataTreatment, Verdict['state']>;

const isReal = (datapoint: Datapoint): datapoint is RealDatapoint => datapoint.value !== undefined;

/**
 * The rule that lets an alarm fire on fewer data points than it asks for: the oldest one is breaching, at least M periods
 * old, and nothing better came after it. Before that AWS waits, lest a single late data point raise a false alarm. The
 * published row `0 - X - -` (M = 2, OK) shows that an older data point within the threshold stands against it, so this is
 * asked only when every real data point is breaching.
 */
function isOldEnough(range: readonly Datapoint[], datapointsToAlarm: number): boolean {
  return range.findLastIndex(isReal) + 1 >= datapointsToAlarm;
}

/**
 * How many values it takes for a percentile to mean something: 10 / (1 - percentile) above the median, 10 / percentile below.
 *
 * @param percentile from 0 to 100
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html
 */
export function fewestSamplesFor(percentile: number): number {
  return 1_000 / (percentile >= 50 ? 100 - percentile : percentile);
}
