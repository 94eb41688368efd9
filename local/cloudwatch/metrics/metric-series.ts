import type { Dimension } from '@aws-sdk/client-cloudwatch';
import { seriesOn, type TimeSeries } from '../math/time-series';
import { BucketList } from './bucket-list';
import type { Grid } from './periods';
import { mergeSets, type StatisticSet } from './statistic-set';
import type { Statistic } from './statistics';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * How finely data is kept, by its age: a second of detail for three hours, a minute for 15 days, five minutes for 63, an hour
 * for 455. Our choice: data moves on to the next stage an hour's worth at a time, when new data of the metric comes in.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#metrics-retention
 */
const STAGES = [
  { bucketMs: SECOND_MS, keptForMs: 3 * HOUR_MS },
  { bucketMs: MINUTE_MS, keptForMs: 15 * DAY_MS },
  { bucketMs: 5 * MINUTE_MS, keptForMs: 63 * DAY_MS },
  { bucketMs: HOUR_MS, keptForMs: 455 * DAY_MS },
] as const;

/** Seconds between the data points of a metric: `1` is high resolution, `60` is what every AWS service reports. */
export type StorageResolutionSeconds = 1 | 60;

export interface MetricIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** What to read of a stretch of time. */
export interface Reading {
  /** Only data reported in this unit. @default any unit */
  readonly unit?: string | undefined;
  /** Whether the single values are wanted, for percentiles. @default false */
  readonly withValues?: boolean;
}

/** Everything known of one metric: one combination of namespace, name and dimensions. */
export class MetricSeries {
  private readonly stagesByUnit = new Map<string, readonly BucketList[]>();
  private readonly allStages: BucketList[] = [];
  private readonly watchers = new Set<() => void>();
  private lastReportMs: number | undefined;
  /** Where the last value went: a metric is almost always reported in one unit. */
  private recentUnit: string | undefined;
  private recentStages: readonly BucketList[] = [];

  constructor(readonly identity: MetricIdentity) {}

  /** When data last came in, in milliseconds since the Unix epoch; undefined when none ever did. */
  get reportedAtMs(): number | undefined {
    return this.lastReportMs;
  }

  /** Calls `onNewData` when there is data for a stretch of time that had none. Answers what ends that. */
  watch(onNewData: () => void): () => void {
    this.watchers.add(onNewData);
    return () => this.watchers.delete(onNewData);
  }

  add(nowMs: number, atMs: number, set: StatisticSet, unit: string, resolution: StorageResolutionSeconds): void {
    this.lastReportMs = nowMs;
    const stages = this.stagesOf(unit);
    const isNewBucket = stages[stageOf(nowMs - atMs, resolution)]?.add(atMs, set);
    if (!isNewBucket) return;
    rollUp(stages, nowMs);
    for (const onNewData of this.watchers) onNewData();
  }

  /**
   * All values from `fromMs` up to, but not including, `toMs`, as one set. Data that is kept more coarsely than that stretch
   * is long does not count, as on AWS.
   */
  between(fromMs: number, toMs: number, { unit, withValues = false }: Reading = {}): StatisticSet | undefined {
    let merged: StatisticSet | undefined;
    for (const stage of this.stages(unit)) {
      if (stage.size === 0 || stage.lengthMs > toMs - fromMs) continue;
      const set = stage.between(fromMs, toMs, withValues);
      if (set) merged = merged ? mergeSets(merged, set) : set;
    }
    return merged;
  }

  /** Is there data from `fromMs` on? */
  hasFrom(fromMs: number, unit?: string): boolean {
    return this.stages(unit).some(stage => stage.hasFrom(fromMs));
  }

  /** The units data was reported in, in the order in which they first came. */
  get units(): readonly string[] {
    return [...this.stagesByUnit.keys()];
  }

  /** How many buckets the metric holds. */
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
      stages = STAGES.map(({ bucketMs }) => new BucketList(bucketMs));
      this.stagesByUnit.set(unit, stages);
      this.allStages.push(...stages);
    }
    this.recentUnit = unit;
    this.recentStages = stages;
    return stages;
  }
}

/** Where data of this age and resolution belongs: almost always where the finest of it is kept. */
function stageOf(ageMs: number, resolution: StorageResolutionSeconds): number {
  let stage = resolution === 1 ? 0 : 1;
  while (stage < STAGES.length - 1 && ageMs >= (STAGES[stage]?.keptForMs ?? ageMs)) stage += 1;
  return stage;
}

/** Moves what has grown old into the next, coarser stage, an hour at a time; what outgrows the last one is forgotten. */
function rollUp(stages: readonly BucketList[], nowMs: number): void {
  STAGES.forEach(({ keptForMs }, index) => {
    const outgrown = stages[index]?.takeBefore(Math.floor((nowMs - keptForMs) / HOUR_MS) * HOUR_MS) ?? [];
    for (const { startMs, set } of outgrown) stages[index + 1]?.add(startMs, set);
  });
}

type Dimensions = Readonly<Record<string, string>>;

/** Every metric that was ever reported or asked for, by namespace, name and dimensions. */
export class MetricStore {
  private readonly byKey = new Map<string, MetricSeries>();
  /** By the very object that named the dimensions: services keep theirs, and need no key to be made for each value. */
  private readonly byObject = new WeakMap<Dimensions, MetricSeries[]>();

  /** Every metric that has data, in the order in which they were first seen. */
  get reported(): readonly MetricSeries[] {
    return [...this.byKey.values()].filter(({ reportedAtMs }) => reportedAtMs !== undefined);
  }

  /** The series of this identity, if anybody ever reported or watched it. */
  find(namespace: string, name: string, dimensions: Dimensions): MetricSeries | undefined {
    return this.byKey.get(keyOf(namespace, name, dimensions));
  }

  /** Like `series`, and quick for whoever hands over the same dimensions, unchanged, again and again. */
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

  /** The series of this identity; made when it is new, so that an alarm can wait for a metric nobody reported yet. */
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

/** Names and values in one order, with a separator that AWS allows in neither. */
function dimensionKey(dimensions: Dimensions): string {
  const names = Object.keys(dimensions);
  if (names.length > 1) names.sort();
  let key = '';
  for (const name of names) key += `${name}\0${dimensions[name]}\0`;
  return key;
}

/** One statistic of a metric over a grid of periods; nobody has reported anything where there is no metric. */
export function readSeries(
  metric: MetricSeries | undefined,
  statistic: Statistic,
  unit: string | undefined,
  grid: Grid,
): TimeSeries {
  const reading = { unit, withValues: statistic.needsValues };
  return seriesOn(grid, (_, atMs) => {
    const set = metric?.between(atMs, atMs + grid.periodMs, reading);
    return set && statistic.of(set);
  });
}

/** AWS's list of name and value as a record. */
export function dimensionsOf(dimensions: readonly Dimension[] | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((dimensions ?? []).map(({ Name = '', Value = '' }) => [Name, Value]));
}

/** And back. */
export function dimensionList(dimensions: Readonly<Record<string, string>>): Dimension[] {
  return Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
}
