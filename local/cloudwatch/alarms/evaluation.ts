import {
  type AlarmStateValue,
  COMPARISONS,
  type MetricAlarmConfiguration,
  type MissingDataTreatment,
} from './alarm-configuration';

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

/** From this many data points on CloudWatch lists them in a sentence of their own, and only the newest five. */
const LONG_LIST = 5;

/** The part of an alarm that its reasons are worded by. */
export type ReasonInput = Pick<
  MetricAlarmConfiguration,
  'evaluationPeriods' | 'datapointsToAlarm' | 'comparisonOperator' | 'threshold' | 'treatMissingData'
>;

const count = (howMany: number, noun: string): string => `${howMany} ${noun}${howMany === 1 ? '' : 's'}`;
const were = (howMany: number): string => (howMany === 1 ? 'was' : 'were');

/**
 * Why an alarm changed its state, in CloudWatch's words. The wording depends on whether the alarm names
 * `DatapointsToAlarm`; the words for more than one missing data point beside real ones are recorded for the form
 * without it only.
 */
export function stateReason(alarm: ReasonInput, verdict: Verdict): string {
  const { evaluationPeriods } = alarm;
  const real = verdict.breaching.length + verdict.notBreaching.length;
  if (verdict.state === 'INSUFFICIENT_DATA') {
    return `Insufficient Data: ${count(evaluationPeriods, 'datapoint')} ${were(evaluationPeriods)} unknown.`;
  }
  const crossed = verdict.state === 'ALARM' ? verdict.breaching : verdict.notBreaching;
  if (crossed.length === 0) {
    const received = `${real === 0 ? 'no datapoints' : count(real, 'datapoint')} ${real === 1 ? 'was' : 'were'} received`;
    return `Threshold Crossed: ${received} for ${count(evaluationPeriods, 'period')}${filledIn(alarm, verdict)}.`;
  }
  return `Threshold Crossed: ${crossing(alarm, verdict, crossed)}`;
}

function crossing(alarm: ReasonInput, verdict: Verdict, crossed: readonly RealDatapoint[]): string {
  const { datapointsToAlarm, evaluationPeriods, comparisonOperator, threshold } = alarm;
  const isLong = crossed.length >= LONG_LIST;
  const list = `[${crossed.slice(0, LONG_LIST).map(withInstant).join(', ')}]`;
  const not = verdict.state === 'ALARM' ? '' : 'not ';
  const howMany =
    datapointsToAlarm === undefined
      ? count(crossed.length, 'datapoint')
      : `${crossed.length} out of the last ${evaluationPeriods} datapoints`;
  const relation = `${were(crossed.length)} ${not}${COMPARISONS[comparisonOperator].wording} the threshold (${decimal(threshold)})`;
  const missing = filledIn(alarm, verdict);
  const transition = datapointsToAlarm === undefined ? '' : ` ${neededFor(alarm, datapointsToAlarm, verdict)}`;
  return isLong
    ? `${howMany} ${relation}${missing}. The most recent datapoints which crossed the threshold: ${list}${transition}.`
    : `${howMany} ${list} ${relation}${missing}${transition}.`;
}

function neededFor({ evaluationPeriods }: ReasonInput, datapointsToAlarm: number, { state }: Verdict): string {
  return state === 'ALARM'
    ? `(minimum ${count(datapointsToAlarm, 'datapoint')} for OK -> ALARM transition)`
    : `(minimum ${count(evaluationPeriods - datapointsToAlarm + 1, 'datapoint')} for ALARM -> OK transition)`;
}

function filledIn({ treatMissingData = 'missing' }: ReasonInput, { filled }: Verdict): string {
  const treatedAs = { breaching: 'Breaching', notBreaching: 'NonBreaching', missing: '', ignore: '' }[treatMissingData];
  if (filled === 0 || !treatedAs) return '';
  return ` and ${count(filled, 'missing datapoint')} ${were(filled)} treated as [${treatedAs}]`;
}

const withInstant = ({ value, startMs }: RealDatapoint): string => `${decimal(value)} (${dayFirst(startMs)})`;

/** `28/06/22 01:55:00`: CloudWatch puts the day first. */
function dayFirst(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  const [year = '', month, day] = date.split('-');
  return `${day}/${month}/${year.slice(2)} ${time.slice(0, 8)}`;
}

/** A number as Java writes a double, which is how CloudWatch writes it: `1.0`, `0.0485`, `1.0E7`. */
export function decimal(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) return Number.isInteger(value) ? value.toFixed(1) : String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`;
}
