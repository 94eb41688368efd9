import type { Clock } from './clock';

/** For how long something behaves as a scenario says. */
export interface ActivePeriod {
  /** First instant, in milliseconds since the Unix epoch, at which it no longer does so. @default for ever */
  readonly untilMs?: number;
  /** How long it does so once its turn has come, in milliseconds. @default for ever */
  readonly forMs?: number;
  /** How many times it does so. @default every time */
  readonly count?: number;
}

/** How somebody outside behaves, one behaviour after the other, each for its spell. */
export class Script<Behaviour extends ActivePeriod> {
  private at = 0;
  private used = 0;
  private begunMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly behaviours: readonly Behaviour[] = [],
  ) {
    this.begunMs = clock.nowMs;
  }

  /** The behaviour towards whoever comes now; undefined once they are all over. */
  next(): Behaviour | undefined {
    const current = this.peek();
    this.used += 1;
    return current;
  }

  /** The behaviour whoever comes now would meet, without anybody's coming. */
  peek(): Behaviour | undefined {
    let current = this.behaviours[this.at];
    for (; current && this.isOver(current); current = this.behaviours[this.at]) this.turn(current);
    return current;
  }

  private isOver({ untilMs = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY, count }: Behaviour): boolean {
    return this.clock.nowMs >= Math.min(untilMs, this.begunMs + forMs) || (count !== undefined && this.used >= count);
  }

  /** The next one's turn comes when this one's time is up; when its count is, with the first request it does not get. */
  private turn({ untilMs = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY }: Behaviour): void {
    this.begunMs = Math.min(untilMs, this.begunMs + forMs, this.clock.nowMs);
    this.at += 1;
    this.used = 0;
  }
}
