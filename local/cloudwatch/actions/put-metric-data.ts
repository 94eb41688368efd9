import type { MetricDatum } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { invalidCombination, invalidParameter, missingParameter, tooMany } from '../errors';
import { dimensionsOf, type StorageResolutionSeconds } from '../metrics/metric-series';
import { type StatisticSet, valueSet, valuesSet, wholeSet } from '../metrics/statistic-set';
import { isUnit } from '../metrics/units';
import type { CloudWatchAction } from './cloud-watch-action';

const HOUR_MS = 3_600_000;
const OLDEST_MS = 14 * 24 * HOUR_MS;
const NEWEST_MS = 2 * HOUR_MS;
const MOST_DATA = 1_000;
const MOST_DIMENSIONS = 30;
const MOST_VALUES = 150;
const LONGEST_NAME = 255;
const LARGEST = 2 ** 360;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html */
export const putMetricData: CloudWatchAction<'PutMetricData'> = {
  permission: 'cloudwatch:PutMetricData',
  resourceOf: () => ({ arn: '*' }),
  contextOf: ({ Namespace = '' }) => ({ 'cloudwatch:namespace': Namespace }),
  run: (state, { input }) => {
    if (input.EntityMetricData) throw notImplemented("PutMetricData's EntityMetricData");
    const namespace = checkedNamespace(input.Namespace);
    if (!input.MetricData) throw missingParameter('MetricData');
    if (input.MetricData.length > MOST_DATA) throw tooMany('MetricData', MOST_DATA);
    const { nowMs } = state.context.timeline;
    const data = input.MetricData.map((datum, index) => checked(datum, `MetricData.member.${index + 1}`, nowMs));
    for (const { datum, set, atMs, resolution } of data) {
      state.metrics
        .series(namespace, datum.MetricName ?? '', dimensionsOf(datum.Dimensions))
        .add(nowMs, atMs, set, datum.Unit ?? 'None', resolution);
    }
    return {};
  },
};

function checkedNamespace(namespace: string | undefined): string {
  if (!namespace) throw missingParameter('Namespace');
  if (namespace.startsWith('AWS/')) {
    throw invalidParameter('The value AWS/ for parameter Namespace is invalid: it is reserved for AWS services.');
  }
  if (namespace.startsWith(':') || namespace.length > LONGEST_NAME) {
    throw invalidParameter(`The value ${namespace} for parameter Namespace is invalid.`);
  }
  return namespace;
}

interface CheckedDatum {
  readonly datum: MetricDatum;
  readonly set: StatisticSet;
  readonly atMs: number;
  readonly resolution: StorageResolutionSeconds;
}

function checked(datum: MetricDatum, member: string, nowMs: number): CheckedDatum {
  const { MetricName: name, Unit: unit, StorageResolution: resolution = 60, Timestamp } = datum;
  if (!name) throw missingParameter(`${member}.MetricName`);
  if (name.length > LONGEST_NAME) throw invalidValue(name, `${member}.MetricName`);
  if (unit !== undefined && !isUnit(unit)) throw invalidValue(unit, `${member}.Unit`);
  if (resolution !== 1 && resolution !== 60) throw invalidValue(resolution, `${member}.StorageResolution`);
  const atMs = Timestamp?.getTime() ?? nowMs;
  if (atMs < nowMs - OLDEST_MS) {
    throw invalidParameter(`The parameter ${member}.Timestamp must specify a time no more than two weeks in the past.`);
  }
  if (atMs > nowMs + NEWEST_MS) {
    throw invalidParameter(
      `The parameter ${member}.Timestamp must specify a time no more than two hours in the future.`,
    );
  }
  checkDimensions(datum, member);
  return { datum, set: statisticSet(datum, member), atMs, resolution };
}

function checkDimensions({ Dimensions: dimensions = [] }: MetricDatum, member: string): void {
  if (dimensions.length > MOST_DIMENSIONS) throw tooMany(`${member}.Dimensions`, MOST_DIMENSIONS);
  dimensions.forEach(({ Name, Value }, index) => {
    const dimension = `${member}.Dimensions.member.${index + 1}`;
    if (!Name) throw missingParameter(`${dimension}.Name`);
    if (!Value) throw missingParameter(`${dimension}.Value`);
  });
}

/**
 * **Assumption CW-9:** AWS accepts `Values` together with `StatisticValues`, and does not publish which one counts.
 * Here `Values` does.
 */
function statisticSet(datum: MetricDatum, member: string): StatisticSet {
  const { Value: value, StatisticValues: statistics, Values: values } = datum;
  if (value !== undefined) {
    if (values) throw exclusive(`${member}.Value`, `${member}.Values`);
    if (statistics) throw exclusive(`${member}.Value`, `${member}.StatisticValues`);
    return valueSet(inRange(value, `${member}.Value`));
  }
  if (values) return setOfValues(datum, values, member);
  if (!statistics) throw missingParameter(`${member}.Value`);
  const name = `${member}.StatisticValues`;
  const sampleCount = inRange(statistics.SampleCount, `${name}.SampleCount`);
  const sum = inRange(statistics.Sum, `${name}.Sum`);
  const minimum = inRange(statistics.Minimum, `${name}.Minimum`);
  const maximum = inRange(statistics.Maximum, `${name}.Maximum`);
  if (sampleCount <= 0) throw invalidValue(sampleCount, `${name}.SampleCount`);
  if (maximum < minimum) {
    throw invalidParameter(`The parameter ${name}.Maximum must be greater than ${name}.Minimum.`);
  }
  return wholeSet({ sampleCount, sum, minimum, maximum });
}

function setOfValues({ Counts: counts }: MetricDatum, values: readonly number[], member: string): StatisticSet {
  if (values.length > MOST_VALUES) throw tooMany(`${member}.Values`, MOST_VALUES);
  if (counts && counts.length !== values.length) {
    throw invalidParameter(`The parameters ${member}.Values and ${member}.Counts must be of the same size.`);
  }
  const pairs = values.map((value, index) => {
    const count = inRange(counts?.[index] ?? 1, `${member}.Counts.member.${index + 1}`);
    if (count <= 0) throw invalidValue(count, `${member}.Counts.member.${index + 1}`);
    return [inRange(value, `${member}.Values.member.${index + 1}`), count] as const;
  });
  const set = valuesSet(pairs);
  if (!set) throw missingParameter(`${member}.Values`);
  return set;
}

function inRange(value: number | undefined, member: string): number {
  if (value === undefined) throw missingParameter(member);
  if (!(Math.abs(value) <= LARGEST)) throw invalidValue(value, member);
  return value;
}

const invalidValue = (value: unknown, member: string) =>
  invalidParameter(`The value ${value} for parameter ${member} is invalid.`);

const exclusive = (a: string, b: string) =>
  invalidCombination(`The parameters ${a} and ${b} are mutually exclusive and you have specified both.`);
