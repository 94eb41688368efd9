import type { EventPosition, LogEvent } from './log-event';

const isBefore = (a: EventPosition, b: EventPosition): boolean =>
  a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs;

/** Events in the order of their time. Most come in that order, so adding one is cheap. */
export class EventList {
  private readonly kept: LogEvent[] = [];

  get size(): number {
    return this.kept.length;
  }

  get first(): LogEvent | undefined {
    return this.kept[0];
  }

  get last(): LogEvent | undefined {
    return this.kept.at(-1);
  }

  add(event: LogEvent): void {
    const { last } = this;
    if (!last || isBefore(last, event)) this.kept.push(event);
    else this.kept.splice(this.indexOf(event), 0, event);
  }

  /** The index of the first event at or after a position. */
  indexOf(position: EventPosition): number {
    let low = 0;
    let high = this.kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = this.kept[middle];
      if (event && isBefore(event, position)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The index of the first event at or after an instant. */
  indexAt(atMs: number): number {
    return this.indexOf({ atMs, sequence: 0 });
  }

  slice(from: number, to: number): readonly LogEvent[] {
    return this.kept.slice(from, to);
  }

  /** Everything from `fromMs` up to, but not including, `toMs`. */
  between(fromMs: number, toMs: number): readonly LogEvent[] {
    return this.slice(this.indexAt(fromMs), this.indexAt(toMs));
  }

  /** Forgets everything before an instant, and answers what that was. */
  forgetBefore(atMs: number): readonly LogEvent[] {
    const { first } = this;
    return first && first.atMs < atMs ? this.kept.splice(0, this.indexAt(atMs)) : [];
  }
}
