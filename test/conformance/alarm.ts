import {
  type Datapoint,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  type MetricAlarm,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
  PutMetricDataCommand,
  SetAlarmStateCommand,
  type StateValue,
  type Statistic,
} from '@aws-sdk/client-cloudwatch';
import { DAY_SECONDS, MINUTE_MS } from '../../policy/time-units';
import type { Target } from './target';

const NAMESPACE = 'dlo-conformance';

type AlarmOptions = Omit<Partial<PutMetricAlarmCommandInput>, 'AlarmName'>;
export type Dimensions = Readonly<Record<string, string>>;

/** A metric of our own, named after nothing else. */
export class Metric {
  readonly name: string;

  constructor(private readonly aws: Target) {
    this.name = aws.name('metric');
  }

  /** Reports a value for now, or for `minutesAgo`. On the embedded AWS a row begins at a full minute. */
  async report(value: number, minutesAgo = 0): Promise<void> {
    const Timestamp = new Date(this.aws.embedded.nowMs - minutesAgo * MINUTE_MS);
    const MetricData = [{ MetricName: this.name, Value: value, Timestamp }];
    await this.aws.cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
  }

  /**
   * Reports what AWS's tables show, so that the newest period ends with the minute that begins now: `0` is within the
   * threshold 0, `X` beyond it, `-` missing.
   */
  async reportAll(signs: string): Promise<void> {
    const newestFirst = signs.split(' ').reverse();
    for (const [age, sign] of newestFirst.entries()) {
      if (sign !== '-') await this.report(sign === 'X' ? 1 : 0, age);
    }
  }

  /** Creates an alarm on the metric. By default it fires above 0 in one period of a minute. */
  alarm(options: AlarmOptions = {}): Promise<Alarm> {
    return Alarm.of(this.aws, { Namespace: NAMESPACE, MetricName: this.name, Statistic: 'Sum', ...options });
  }
}

/** One alarm, deleted at the end. */
export class Alarm {
  private constructor(
    private readonly aws: Target,
    readonly name: string,
  ) {}

  static async of(aws: Target, options: AlarmOptions): Promise<Alarm> {
    const alarm = new Alarm(aws, aws.name('alarm'));
    const usual = {
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
    } as const;
    await aws.cloudWatch.send(new PutMetricAlarmCommand({ AlarmName: alarm.name, ...usual, ...options }));
    aws.afterwards(() => aws.cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: [alarm.name] })));
    return alarm;
  }

  async described(): Promise<MetricAlarm> {
    const { MetricAlarms: [described = {}] = [] } = await this.aws.cloudWatch.send(
      new DescribeAlarmsCommand({ AlarmNames: [this.name] }),
    );
    return described;
  }

  async state(): Promise<StateValue | undefined> {
    return (await this.described()).StateValue;
  }

  async set(StateValue: StateValue): Promise<void> {
    const set = new SetAlarmStateCommand({ AlarmName: this.name, StateValue, StateReason: 'to begin with' });
    await this.aws.cloudWatch.send(set);
  }
}

/** What AWS's services have reported so far. */
export class Reported {
  constructor(
    private readonly aws: Target,
    private readonly namespace: string,
    private readonly dimensions: Dimensions,
  ) {}

  /** One value a minute, oldest first, of the last day; a minute without one is left out. */
  values(metric: string, statistic: Statistic = 'Sum'): Promise<readonly number[]> {
    return this.read(metric, statistic, 60);
  }

  /** Returns the sum of the last two months; 0 without data. */
  async sum(metric: string): Promise<number> {
    const daily = await this.read(metric, 'Sum', DAY_SECONDS);
    return daily.reduce((total, value) => total + value, 0);
  }

  async sums<Name extends string>(...metrics: readonly Name[]): Promise<Partial<Record<Name, number>>> {
    const sums: Partial<Record<Name, number>> = {};
    for (const metric of metrics) sums[metric] = await this.sum(metric);
    return sums;
  }

  private async read(MetricName: string, statistic: Statistic, Period: number): Promise<readonly number[]> {
    const endMs = this.aws.embedded.nowMs + MINUTE_MS;
    const days = Period === DAY_SECONDS ? 60 : 1;
    const { Datapoints = [] } = await this.aws.cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: this.namespace,
        MetricName,
        Dimensions: Object.entries(this.dimensions).map(([Name, Value]) => ({ Name, Value })),
        StartTime: new Date(endMs - days * DAY_SECONDS * 1_000),
        EndTime: new Date(endMs),
        Period,
        Statistics: [statistic],
      }),
    );
    return [...Datapoints].sort(byTime).map(datapoint => datapoint[statistic] ?? Number.NaN);
  }
}

const byTime = (a: Datapoint, b: Datapoint): number => (a.Timestamp?.getTime() ?? 0) - (b.Timestamp?.getTime() ?? 0);
