import type { Dimension } from '@aws-sdk/client-cloudwatch';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../policy/time-units';
import { seriesOn, type TimeSeries } from '../math/time-series';
import { BucketList } from './bucket-list';
import type { Grid } from './periods';
import { mergeSets, type StatisticSet } from './statistic-set';
import type { Statistic } from './statistics';

/**
 * The resolution of stored data by age: one second for 3 hours, one minute for 15 days, five minutes for 63 days, one
 * hour for 455 days.
 *
 * **Assumption CW-12:** AWS does not publish when it aggregates data further. Here one hour of data moves to the next
 * stage at a time, when the metric receives new data.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#metrics-retention
 */
const RETENTION_STAGES = [
  { bucketMs: SECOND_MS, keptForMs: 3 * HOUR_MS },
  { bucketMs: MINUTE_MS, keptForMs: 15 * DAY_MS },
  { bucketMs: 5 * MINUTE_MS, keptForMs: 63 * DAY_MS },
  { bucketMs: HOUR_MS, keptForMs: 455 * DAY_MS },
] as const;

/** Seconds between the data points of a metric: `1` is high resolution, `60` is what AWS services report. */
export type StorageResolutionSeconds = 1 | 60;

interface MetricIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Selects the data to read. */
interface Reading {
  /** Reads only data reported in this unit. @default any unit */
  readonly unit?: string | undefined;
  /** Whether to read the single values, which percentiles need. @default false */
  readonly withValues?: boolean;
}

/** The data of one metric: one combination of namespace, name and dimensions. */
export class MetricSeries {
  private readonly stagesByUnit = new Map<string, readonly BucketList[]>();
  private readonly allStages: BucketList[] = [];
  private readonly watchers = new Set<() => void>();
  private lastReportMs: number | undefined;
  private finest: StorageResolutionSeconds = 60;
  /** The unit of the last value: a metric is almost always reported in a single unit. */
  private recentUnit: string | undefined;
  private recentStages: readonly BucketList[] = [];

  constructor(readonly identity: MetricIdentity) {}

  /** When the metric last received data, in milliseconds since the Unix epoch; undefined when it never has. */
  get reportedAtMs(): number | undefined {
    return this.lastReportMs;
  }

  /** Whether any data was reported with a resolution of one second. */
  get isHighResolution(): boolean {
    return this.finest === 1;
  }

  /** Calls `onNewData` when a period without data receives data. @returns a function that stops the calls */
  watch(onNewData: () => void): () => void {
    this.watchers.add(onNewData);
    return () => this.watchers.delete(onNewData);
  }

  add(nowMs: number, atMs: number, set: StatisticSet, unit: string, resolution: StorageResolutionSeconds): void {
    this.lastReportMs = nowMs;
    if (resolution < this.finest) this.finest = resolution;
    const stages = this.stagesOf(unit);
    const isNewBucket = stages[stageOf(nowMs - atMs, resolution)]?.add(atMs, set);
    if (!isNewBucket) return;
    rollUp(stages, nowMs);
    for (const onNewData of this.watchers) onNewData();
  }

  /**
   * Merges the values from `fromMs` up to, but not including, `toMs` into one set. Like AWS, ignores data that is stored
   * by five minutes or by the hour if the range is shorter. The data of a minute counts in every range that contains
   * the minute's start, even in one of 10 seconds (recorded on AWS).
   */
  between(fromMs: number, toMs: number, { unit, withValues = false }: Reading = {}): StatisticSet | undefined {
    let merged: StatisticSet | undefined;
    for (const stage of this.stages(unit)) {
      if (stage.size === 0 || stage.lengthMs > Math.max(toMs - fromMs, MINUTE_MS)) continue;
      const set = stage.between(fromMs, toMs, withValues);
      if (set) merged = merged ? mergeSets(merged, set) : set;
    }
    return merged;
  }

  /** Whether there is data from `fromMs` on. */
  hasFrom(fromMs: number, unit?: string): boolean {
    return this.stages(unit).some(stage => stage.hasFrom(fromMs));
  }

  /** The units in which data was reported, in the order of their first report. */
  get units(): readonly string[] {
    return [...this.stagesByUnit.keys()];
  }

  get bucketCount(): number {
    return this.stages(undefined).reduce((total, stage) => total + stage.size, 0);
  }

  private stages(unit: string | undefined): readonly BucketList[] {
    return unit === undefined ? this.allStages : (this.stagesByUnit.get(unit) ?? []);
  }

  private stagesOf(unit: string): readonly BucketList[] {
    if (unit === this.recentUnit) return this.recentStages;
    let stages = this.stagesByUnit.get(unit);
    if (!stages) {
      stages = RETENTION_STAGES.map(({ bucketMs }) => new BucketList(bucketMs));
      this.stagesByUnit.set(unit, stages);
      this.allStages.push(...stages);
    }
    this.recentUnit = unit;
    this.recentStages = stages;
    return stages;
  }
}

/** The stage for data of this age and resolution: almost always the finest stage of that resolution. */
function stageOf(ageMs: number, resolution: StorageResolutionSeconds): number {
  let stage = resolution === 1 ? 0 : 1;
  while (stage < RETENTION_STAGES.length - 1 && ageMs >= (RETENTION_STAGES[stage]?.keptForMs ?? ageMs)) stage += 1;
  return stage;
}

/**
 * Moves old data to the next, coarser stage, one hour at a time. Data that is too old for the last stage is deleted.
 */
function rollUp(stages: readonly BucketList[], nowMs: number): void {
  RETENTION_STAGES.forEach(({ keptForMs }, index) => {
    const outgrown = stages[index]?.takeBefore(Math.floor((nowMs - keptForMs) / HOUR_MS) * HOUR_MS) ?? [];
    for (const { startMs, set } of outgrown) stages[index + 1]?.add(startMs, set);
  });
}

type Dimensions = Readonly<Record<string, string>>;

/** Every metric that was ever reported or read, by namespace, name and dimensions. */
export class MetricStore {
  private readonly byKey = new Map<string, MetricSeries>();
  /**
   * By the identity of the dimensions object. Services pass the same object each time, so no key is computed per value.
   */
  private readonly byObject = new WeakMap<Dimensions, MetricSeries[]>();

  /** Every metric with data, in the order of their first report. */
  get reported(): readonly MetricSeries[] {
    return [...this.byKey.values()].filter(({ reportedAtMs }) => reportedAtMs !== undefined);
  }

  /** Returns the series; undefined when it was never reported or watched. */
  find(namespace: string, name: string, dimensions: Dimensions): MetricSeries | undefined {
    return this.byKey.get(keyOf(namespace, name, dimensions));
  }

  /** Like `series`, but faster for a caller that passes the same unmodified `dimensions` object each time. */
  seriesOfService(namespace: string, name: string, dimensions: Dimensions): MetricSeries {
    const known = this.byObject.get(dimensions);
    if (known) {
      for (const series of known) {
        if (series.identity.name === name && series.identity.namespace === namespace) return series;
      }
    }
    const series = this.series(namespace, name, dimensions);
    if (known) known.push(series);
    else this.byObject.set(dimensions, [series]);
    return series;
  }

  /** Returns the series. Creates it if needed, so that an alarm can watch a metric before its first report. */
  series(namespace: string, name: string, dimensions: Dimensions): MetricSeries {
    const key = keyOf(namespace, name, dimensions);
    let series = this.byKey.get(key);
    if (!series) {
      const identity: MetricIdentity = { namespace, name, dimensions: { ...dimensions } };
      series = new MetricSeries(identity);
      this.byKey.set(key, series);
    }
    return series;
  }
}

function keyOf(namespace: string, name: string, dimensions: Dimensions): string {
  return `${namespace}\n${name}\n${dimensionKey(dimensions)}`;
}

/** Joins sorted names and values with a separator that AWS allows in neither. */
function dimensionKey(dimensions: Dimensions): string {
  const names = Object.keys(dimensions);
  if (names.length > 1) names.sort();
  let key = '';
  for (const name of names) key += `${name}\0${dimensions[name]}\0`;
  return key;
}

/**
 * Reads one statistic of a metric over a grid of periods. A metric that does not exist has no data.
 *
 * @param isReadable whether the data of a period can still be read with the grid's period. @default every period's can
 */
export function readSeries(
  metric: MetricSeries | undefined,
  statistic: Statistic,
  unit: string | undefined,
  grid: Grid,
  isReadable: (atMs: number) => boolean = () => true,
): TimeSeries {
  const reading = { unit, withValues: statistic.needsValues };
  const isEmpty = !metric?.hasFrom(grid.startMs, unit);
  return seriesOn(grid, (_, atMs) => {
    const set = !isEmpty && isReadable(atMs) ? metric?.between(atMs, atMs + grid.periodMs, reading) : undefined;
    return set && statistic.of(set);
  });
}

/** Converts AWS's list of names and values to a record. */
export function dimensionsOf(dimensions: readonly Dimension[] | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((dimensions ?? []).map(({ Name = '', Value = '' }) => [Name, Value]));
}

/** Converts a record to AWS's list of names and values. */
export function dimensionList(dimensions: Readonly<Record<string, string>>): Dimension[] {
  return Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
}
