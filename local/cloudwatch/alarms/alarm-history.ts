import type { Clock } from '../../kernel/clock';

interface AlarmHistoryItem {
  readonly atMs: number;
  readonly type: 'ConfigurationUpdate' | 'StateUpdate' | 'Action';
  readonly summary: string;
  /** A JSON document. */
  readonly data: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html */
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1_000;

/** What happened to one alarm in the last 30 days. */
export class AlarmHistory {
  private readonly kept: AlarmHistoryItem[] = [];

  constructor(private readonly clock: Clock) {}

  add(type: AlarmHistoryItem['type'], summary: string, data: object): void {
    this.kept.push({ atMs: this.clock.nowMs, type, summary, data: JSON.stringify({ version: '1.0', ...data }) });
    const firstKept = this.kept.findIndex(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
    this.kept.splice(0, firstKept);
  }

  /** Oldest first. */
  get items(): readonly AlarmHistoryItem[] {
    return this.kept.filter(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
  }
}
