import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';

export const MINUTE_MS = 60_000;

/** Beginning of the minute an instant is in: CloudWatch's figures are of whole minutes. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** A figure, minute by minute. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum';
}

/** One minute's value. */
export interface MetricPoint {
  readonly atMs: number;
  readonly value: number;
}

/** Reads figures of a stretch of time, the oldest point first: a list for each figure, which is empty where there is none. */
export type ReadMetrics = (
  figures: readonly MetricQuery[],
  fromMs: number,
  toMs: number,
) => Promise<readonly (readonly MetricPoint[])[]>;

function query({ namespace, name, dimensions, statistic }: MetricQuery, index: number): MetricDataQuery {
  const metric: Metric = {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  };
  return { Id: `figure${index}`, MetricStat: { Metric: metric, Period: MINUTE_MS / 1_000, Stat: statistic } };
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
export function metricReader(client: CloudWatchClient): ReadMetrics {
  return async (figures, fromMs, toMs) => {
    const points = new Map<string, MetricPoint[]>();
    let NextToken: string | undefined;
    do {
      const answer = await client.send(
        new GetMetricDataCommand({
          MetricDataQueries: figures.map(query),
          StartTime: new Date(fromMs),
          EndTime: new Date(toMs),
          ScanBy: 'TimestampAscending',
          NextToken,
        }),
      );
      for (const { Id = '', Timestamps = [], Values = [] } of answer.MetricDataResults ?? []) {
        const more = Timestamps.map((at, index) => ({ atMs: at.getTime(), value: Values[index] ?? 0 }));
        points.set(Id, [...(points.get(Id) ?? []), ...more]);
      }
      NextToken = answer.NextToken;
    } while (NextToken);
    return figures.map((_, index) => points.get(`figure${index}`) ?? []);
  };
}
