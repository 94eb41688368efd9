import type { MetricAlarmConfiguration } from './alarm-configuration';
import { COMPARISONS } from './comparison';
import type { RealDatapoint, Verdict } from './evaluation';

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
