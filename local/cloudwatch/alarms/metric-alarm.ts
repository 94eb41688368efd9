import { DAY_SECONDS, MINUTE_SECONDS, SECOND_MS } from '../../../policy/time-units';
import type { Scheduled } from '../../kernel/timeline';
import { ExpressionError } from '../math/program';
import { isSeries, type TimeSeries } from '../math/time-series';
import type { MetricQuery, Query } from '../metrics/metric-queries';
import { type MetricSeries, type MetricStore, readSeries } from '../metrics/metric-series';
import { type Grid, instantOf } from '../metrics/periods';
import { Alarm, type AlarmServices, type AlarmState, type StateChange } from './alarm';
import {
  type AlarmStateValue,
  cloudWatchInstant,
  type MetricAlarmConfiguration,
  type WatchedMetric,
  type WatchedQuery,
} from './alarm-configuration';
import {
  type AlarmEvaluation,
  type Datapoint,
  evaluate,
  evaluationRange,
  fewestSamplesFor,
  type Rule,
  rangeOverMinutes,
  stateReason,
} from './evaluation';
import { Double, jsonText } from './json-text';
import { metricAlarmNotification, watchedForEvent, watchedForHistory } from './notification';

/**
 * An alarm on a metric or an expression. It is evaluated at the end of a minute, and every minute after that while its
 * range contains data. Without data its state cannot change until the metric reports again, however far time jumps.
 *
 * **Assumption CW-2:** AWS services report with a delay, alarms are evaluated a little later, and AWS publishes neither
 * delay. Here a minute is evaluated the moment it ends.
 *
 * The evaluation is background work: it runs when time passes, but `runUntilIdle` does not wait for it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export class MetricAlarm extends Alarm<MetricAlarmConfiguration> {
  readonly type = 'MetricAlarm';
  private readonly data: WatchedData;
  private readonly rule: Rule;
  private nextEvaluation: Scheduled | undefined;
  private heldUntilMs = 0;
  private unwatch: (() => void) | undefined;

  constructor(
    configuration: MetricAlarmConfiguration,
    store: MetricStore,
    surroundings: AlarmServices,
    previous?: Alarm,
  ) {
    super(configuration, surroundings, previous);
    this.data = watchedData(store, configuration);
    this.rule = { ...configuration, fewestSamples: fewestSamples(configuration) };
  }

  retire(): void {
    this.unwatch?.();
    this.nextEvaluation?.cancel();
  }

  /**
   * Sets the state by hand. Without data it stays for a minute, so that what follows does not depend on the second in
   * which it was set: if the minute ended between two calls, the alarms above this one would change in between.
   *
   * **Assumption CW-19:** AWS says only that an alarm "returns to its actual state quickly, often within seconds".
   * Recorded on AWS: states set by hand one after the other on alarms without data, and every change of the composite
   * alarm above.
   *
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html
   */
  override setState(value: AlarmStateValue, reason: string, reasonData?: string): void {
    super.setState(value, reason, reasonData);
    this.heldUntilMs = this.nowMs + MINUTE_SECONDS * SECOND_MS;
    this.evaluateAtEndOfMinute();
  }

  eventConfiguration(): object {
    const { alarmDescription: description, watched } = this.configuration;
    return { description, metrics: watchedForEvent(watched) };
  }

  notification(change: StateChange): object {
    return metricAlarmNotification(this.services.context.place, this.configuration, change);
  }

  protected historyConfiguration(): object {
    return watchedForHistory(this.configuration);
  }

  protected watch(): void {
    this.unwatch = this.data.watch(() => this.evaluateAtEndOfMinute());
    this.evaluateAtEndOfMinute();
  }

  protected act(change: StateChange): void {
    this.services.actions.stateChanged(this, change);
    this.services.actions.execute(this, change);
  }

  private evaluateAtEndOfMinute(): void {
    if (this.nextEvaluation) return;
    const everyMs = evaluationIntervalSeconds(this.configuration) * SECOND_MS;
    const dueAtMs = (Math.floor(this.nowMs / everyMs) + 1) * everyMs;
    this.nextEvaluation = this.services.context.timeline.inBackground(dueAtMs, () => this.evaluate());
  }

  private evaluate(): void {
    this.nextEvaluation = undefined;
    const range = this.data.read(this.nowMs, this.periodsRead());
    const evaluation = evaluate(this.rule, range);
    const hasData = evaluation.breaching.length + evaluation.notBreaching.length > 0;
    if (!hasData && this.nowMs < this.heldUntilMs) {
      this.evaluateAtEndOfMinute();
      return;
    }
    if (evaluation.state !== 'retained' && evaluation.state !== this.state.value) {
      this.change({
        value: evaluation.state,
        reason: stateReason(this.configuration, evaluation),
        reasonData: this.reasonData(range, evaluation),
      });
    }
    const oldest = range.at(-1);
    if (oldest && this.data.changesFrom(oldest.startMs)) this.evaluateAtEndOfMinute();
  }

  private periodsRead(): number {
    const { evaluationPeriods, watched } = this.configuration;
    return this.data.isHighResolution()
      ? evaluationRange(evaluationPeriods)
      : rangeOverMinutes(evaluationPeriods, watched.periodSeconds);
  }

  private reasonData(range: readonly Datapoint[], evaluation: AlarmEvaluation): AlarmState['reasonData'] {
    const { watched, threshold, evaluationPeriods } = this.configuration;
    const metric = watched.kind === 'metric' ? watched.metric : undefined;
    const real = [...evaluation.breaching, ...evaluation.notBreaching].sort((a, b) => a.startMs - b.startMs);
    const oldest = real[0];
    return jsonText({
      version: '1.0',
      queryDate: cloudWatchInstant(this.nowMs),
      startDate: oldest && cloudWatchInstant(oldest.startMs),
      unit: metric?.unit,
      statistic: metric?.statistic.name,
      period: watched.periodSeconds,
      recentDatapoints: real.map(({ value }) => new Double(value)),
      threshold: new Double(threshold),
      evaluatedDatapoints: range
        .filter((datapoint, age) => age < evaluationPeriods || datapoint.value !== undefined)
        .map(({ startMs, sampleCount, value }) => ({
          timestamp: cloudWatchInstant(startMs),
          sampleCount: sampleCount === undefined ? undefined : new Double(sampleCount),
          value: value === undefined ? undefined : new Double(value),
        })),
    });
  }
}

/**
 * How often an alarm is evaluated: every minute, whatever its period, so that its periods slide. Every ten seconds if
 * the period is shorter than a minute; every hour if it evaluates more than a day.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
function evaluationIntervalSeconds({
  watched: { periodSeconds },
  evaluationPeriods,
}: MetricAlarmConfiguration): number {
  if (periodSeconds < MINUTE_SECONDS) return 10;
  return periodSeconds * evaluationPeriods > DAY_SECONDS ? 60 * MINUTE_SECONDS : MINUTE_SECONDS;
}

/** The number of values below which a data point is ignored, if the alarm is configured to ignore such data points. */
function fewestSamples({ watched, evaluateLowSampleCountPercentile }: MetricAlarmConfiguration): number | undefined {
  const percentile = watched.kind === 'metric' ? watched.metric.statistic.percentile : undefined;
  return evaluateLowSampleCountPercentile === 'ignore' && percentile !== undefined
    ? fewestSamplesFor(percentile)
    : undefined;
}

const MS_PER_SECOND = 1_000;

interface WatchedData {
  /** Calls `onNewData` when a period without data receives data. @returns a function that stops the calls */
  watch(onNewData: () => void): () => void;
  /** Returns the data points of the last `periods` periods before `nowMs`, newest first. */
  read(nowMs: number, periods: number): readonly Datapoint[];
  /** Whether a metric was ever reported with a resolution of one second. */
  isHighResolution(): boolean;
  /** Whether the data from `fromMs` on can still change as time passes, without a new report. */
  changesFrom(fromMs: number): boolean;
}

function watchedData(store: MetricStore, { watched }: MetricAlarmConfiguration): WatchedData {
  return watched.kind === 'metric' ? metricData(store, watched) : queryData(store, watched);
}

const seriesFor = (store: MetricStore, { namespace, name, dimensions }: MetricQuery): MetricSeries =>
  store.series(namespace, name, dimensions);

function metricData(store: MetricStore, { metric, periodSeconds }: WatchedMetric): WatchedData {
  const series = seriesFor(store, metric);
  const periodMs = periodSeconds * MS_PER_SECOND;
  const { statistic, unit } = metric;
  const reading = { unit, withValues: statistic.needsValues };
  return {
    watch: onNewData => series.watch(onNewData),
    isHighResolution: () => series.isHighResolution,
    changesFrom: fromMs => series.hasFrom(fromMs, unit),
    read: (nowMs, periods) =>
      Array.from({ length: periods }, (_, age): Datapoint => {
        const startMs = nowMs - (age + 1) * periodMs;
        const set = series.between(startMs, startMs + periodMs, reading);
        const value = set && statistic.of(set);
        return value === undefined ? { startMs } : { startMs, value, sampleCount: set?.sampleCount };
      }),
  };
}

function queryData(store: MetricStore, { set, returned, periodSeconds }: WatchedQuery): WatchedData {
  const metrics = set.queries.flatMap(({ id, metric }) =>
    metric ? [{ id, metric, series: seriesFor(store, metric) }] : [],
  );
  const periodMs = periodSeconds * MS_PER_SECOND;
  const readMetric = (id: string, startMs: number, endMs: number): TimeSeries => {
    const found = metrics.find(it => it.id === id);
    if (!found) throw new Error(`this alarm has no metric with the id ${id}`);
    const { metric, series } = found;
    const ownPeriodMs = metric.periodSeconds * MS_PER_SECOND;
    const grid = { startMs, periodMs: ownPeriodMs, count: Math.floor((endMs - startMs) / ownPeriodMs) };
    return readSeries(series, metric.statistic, metric.unit, grid);
  };
  return {
    watch: onNewData => {
      const ends = metrics.map(({ series }) => series.watch(onNewData));
      return () => {
        for (const end of ends) end();
      };
    },
    isHighResolution: () => metrics.some(({ series }) => series.isHighResolution),
    changesFrom: fromMs =>
      set.program.readsTheClock || metrics.some(({ series, metric }) => series.hasFrom(fromMs, metric.unit)),
    read: (nowMs, periods) => {
      const startMs = nowMs - periods * periodMs;
      const grid = { startMs, periodMs, count: periods };
      const series = evaluated({ set, returned }, grid, id => readMetric(id, startMs, nowMs));
      return Array.from({ length: periods }, (_, age): Datapoint => {
        const atMs = instantOf(grid, periods - 1 - age);
        const value = series?.values[periods - 1 - age];
        return value === undefined ? { startMs: atMs } : { startMs: atMs, value };
      });
    },
  };
}

/**
 * Evaluates an expression. The result is empty when the input leaves a function nothing to work on, such as the first
 * of no series.
 */
function evaluated(
  { set, returned }: { readonly set: WatchedQuery['set']; readonly returned: Query },
  grid: Grid,
  readMetric: (id: string) => TimeSeries,
): TimeSeries | undefined {
  try {
    const value = set.program.evaluate(returned.id, grid, readMetric);
    return isSeries(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
