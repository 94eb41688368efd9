import type { MetricDatum } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { dimensionsOf } from '../dimensions';
import { invalidParameter } from '../errors';
import { mergeSets, type StatisticSet, valueSet } from '../metrics/statistics';
import type { CloudWatchAction } from './cloud-watch-action';

const HOUR_MS = 3_600_000;
const OLDEST_MS = 14 * 24 * HOUR_MS;
const NEWEST_MS = 2 * HOUR_MS;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html */
export const putMetricData: CloudWatchAction<'PutMetricData'> = {
  permission: 'cloudwatch:PutMetricData',
  resourceOf: () => ({ arn: '*' }),
  run: (state, { input }) => {
    if (input.EntityMetricData) throw notImplemented("PutMetricData's EntityMetricData");
    const namespace = input.Namespace ?? '';
    if (namespace === '') throw invalidParameter('Namespace is required');
    if (namespace.startsWith('AWS/')) {
      throw invalidParameter('The value AWS/ for parameter Namespace is invalid: it is reserved for AWS services.');
    }
    const data = (input.MetricData ?? []).map((datum, index) => checked(datum, index, state.context.timeline.nowMs));
    for (const { datum, set, atMs } of data) {
      state.metrics
        .series(namespace, datum.MetricName ?? '', dimensionsOf(datum.Dimensions))
        .add(state.context.timeline.nowMs, atMs, set, datum.Unit ?? 'None', datum.StorageResolution === 1 ? 1 : 60);
    }
    return {};
  },
};

interface CheckedDatum {
  readonly datum: MetricDatum;
  readonly set: StatisticSet;
  readonly atMs: number;
}

function checked(datum: MetricDatum, index: number, nowMs: number): CheckedDatum {
  const member = `MetricData.member.${index + 1}`;
  if (!datum.MetricName) throw invalidParameter(`The parameter ${member}.MetricName is required.`);
  const atMs = datum.Timestamp?.getTime() ?? nowMs;
  if (atMs < nowMs - OLDEST_MS || atMs > nowMs + NEWEST_MS) {
    throw invalidParameter(
      `The parameter ${member}.Timestamp must be within the last two weeks or the next two hours.`,
    );
  }
  return { datum, set: statisticSet(datum, member), atMs };
}

function statisticSet(datum: MetricDatum, member: string): StatisticSet {
  const { Value: value, StatisticValues: statistics, Values: values, Counts: counts } = datum;
  if ([value, statistics, values].filter(given => given !== undefined).length !== 1) {
    throw invalidParameter(`The parameter ${member} must have exactly one of Value, StatisticValues and Values.`);
  }
  if (value !== undefined) return valueSet(finite(value, member));
  if (statistics) {
    const { SampleCount = 0, Sum = 0, Minimum = 0, Maximum = 0 } = statistics;
    return { sampleCount: SampleCount, sum: Sum, minimum: Minimum, maximum: Maximum };
  }
  const sets = (values ?? []).map((item, i) => valueSet(finite(item, member), counts?.[i]));
  const [first, ...rest] = sets;
  if (!first) throw invalidParameter(`The parameter ${member}.Values must not be empty.`);
  return rest.reduce(mergeSets, first);
}

function finite(value: number, member: string): number {
  if (!Number.isFinite(value)) throw invalidParameter(`The value ${value} for parameter ${member}.Value is invalid.`);
  return value;
}
