import type { MetricFilter } from './metric-filter';

/** One line of a log. */
export interface LogEvent {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly streamName: string;
  readonly message: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The events of one log group, in the order in which they were written. */
export class LogGroup {
  /** @default events are kept for ever */
  retentionInDays: number | undefined;
  /** Noted, since it decides who may create the group; what is kept in memory is not encrypted. */
  kmsKeyId: string | undefined;
  readonly streams = new Set<string>();
  readonly metricFilters = new Map<string, MetricFilter>();
  private readonly kept: LogEvent[] = [];

  constructor(
    readonly name: string,
    readonly createdAtMs: number,
  ) {}

  add(event: LogEvent): void {
    this.kept.push(event);
    this.forgetExpired(event.atMs);
  }

  /** Everything from `fromMs` up to, but not including, `toMs` that has not expired by `nowMs`. */
  events(nowMs: number, fromMs: number, toMs: number): readonly LogEvent[] {
    this.forgetExpired(nowMs);
    return this.kept.slice(firstFrom(this.kept, fromMs), firstFrom(this.kept, toMs));
  }

  private forgetExpired(nowMs: number): void {
    if (this.retentionInDays === undefined) return;
    const oldestMs = nowMs - this.retentionInDays * DAY_MS;
    const oldest = this.kept[0];
    if (oldest && oldest.atMs < oldestMs) this.kept.splice(0, firstFrom(this.kept, oldestMs));
  }
}

/** The index of the first event at or after `fromMs`; time never runs backwards, so the events are in order. */
function firstFrom(events: readonly LogEvent[], fromMs: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.atMs ?? fromMs) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
