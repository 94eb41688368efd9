import { BucketList } from './bucket-list';
import { mergeSets, type StatisticSet } from './statistics';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * How finely data is kept, by its age. Our choice is shorter than AWS's 15 days of minutes and skips its five-minute
 * stage, so that a busy metric never holds more than about 16,000 buckets; no alarm looks back further than its
 * resolution allows (a day of minutes, a week of hours).
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#metrics-retention
 */
const STAGES = [
  { bucketMs: SECOND_MS, keptForMs: 3 * HOUR_MS },
  { bucketMs: MINUTE_MS, keptForMs: 3 * DAY_MS },
  { bucketMs: HOUR_MS, keptForMs: 455 * DAY_MS },
] as const;

/** Seconds between the data points of a metric: `1` is high resolution, `60` is what every AWS service reports. */
type StorageResolutionSeconds = 1 | 60;

export interface MetricIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Everything known of one metric: one combination of namespace, name and dimensions. */
export class MetricSeries {
  private readonly stagesByUnit = new Map<string, readonly BucketList[]>();
  private readonly allStages: BucketList[] = [];
  private readonly watchers = new Set<() => void>();

  constructor(readonly identity: MetricIdentity) {}

  /** Calls `onNewData` when there is data for a stretch of time that had none. Answers what ends that. */
  watch(onNewData: () => void): () => void {
    this.watchers.add(onNewData);
    return () => this.watchers.delete(onNewData);
  }

  add(nowMs: number, atMs: number, set: StatisticSet, unit: string, resolution: StorageResolutionSeconds): void {
    const stages = this.stagesOf(unit);
    const isNewBucket = stages[resolution === 1 ? 0 : 1]?.add(atMs, set);
    if (!isNewBucket) return;
    rollUp(stages, nowMs);
    for (const onNewData of this.watchers) onNewData();
  }

  /**
   * All values from `fromMs` up to, but not including, `toMs`, as one set.
   *
   * @param unit only data reported in this unit @default any unit
   */
  between(fromMs: number, toMs: number, unit?: string): StatisticSet | undefined {
    let merged: StatisticSet | undefined;
    for (const stage of this.stages(unit)) {
      const set = stage.between(fromMs, toMs);
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
    let stages = this.stagesByUnit.get(unit);
    if (!stages) {
      stages = STAGES.map(({ bucketMs }) => new BucketList(bucketMs));
      this.stagesByUnit.set(unit, stages);
      this.allStages.push(...stages);
    }
    return stages;
  }
}

/** Moves what has grown old into the next, coarser stage, an hour at a time; what outgrows the last one is forgotten. */
function rollUp(stages: readonly BucketList[], nowMs: number): void {
  STAGES.forEach(({ keptForMs }, index) => {
    const outgrown = stages[index]?.takeBefore(Math.floor((nowMs - keptForMs) / HOUR_MS) * HOUR_MS) ?? [];
    for (const { startMs, set } of outgrown) stages[index + 1]?.add(startMs, set);
  });
}
