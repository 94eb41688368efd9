import type { Clock } from '../../kernel/clock';

export type HistoryItemType = 'ConfigurationUpdate' | 'StateUpdate' | 'Action';

export interface AlarmHistoryItem {
  readonly atMs: number;
  readonly type: HistoryItemType;
  readonly summary: string;
  /** A JSON document. */
  readonly data: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html */
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1_000;

/** What happened to the alarms of one name in the last 30 days; a deleted alarm's history stays. */
export class AlarmHistory {
  private readonly kept: AlarmHistoryItem[] = [];

  constructor(
    private readonly clock: Clock,
    readonly alarmName: string,
    readonly alarmType: 'MetricAlarm' | 'CompositeAlarm',
  ) {}

  add(type: HistoryItemType, summary: string, data: object): void {
    this.kept.push({ atMs: this.clock.nowMs, type, summary, data: JSON.stringify({ version: '1.0', ...data }) });
    const firstKept = this.kept.findIndex(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
    this.kept.splice(0, firstKept);
  }

  /** Oldest first. */
  get items(): readonly AlarmHistoryItem[] {
    return this.kept.filter(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
  }
}
