import type { Clock } from './clock';

/** How long a scripted behavior applies. */
export interface ActivePeriod {
  /** The first instant at which it no longer applies, in milliseconds since the Unix epoch. @default - never ends */
  readonly untilMs?: number;
  /** How long it applies once it has begun, in milliseconds. @default - never ends */
  readonly forMs?: number;
  /** How many times it applies. @default every time */
  readonly count?: number;
}

/** A sequence of behaviors of an endpoint outside AWS. Each applies for its period, then the next begins. */
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

  /** Returns the behavior for the current request and counts it; undefined once all behaviors are over. */
  next(): Behaviour | undefined {
    const current = this.peek();
    this.used += 1;
    return current;
  }

  /** Returns the behavior that the next request would meet, without counting it. */
  peek(): Behaviour | undefined {
    let current = this.behaviours[this.at];
    for (; current && this.isOver(current); current = this.behaviours[this.at]) this.turn(current);
    return current;
  }

  /** Whether a behavior applies now. Reading it does not change when the next one begins. */
  get applies(): boolean {
    const [current, ...later] = this.behaviours.slice(this.at);
    return current !== undefined && (later.length > 0 || !this.isOver(current));
  }

  private isOver({ untilMs = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY, count }: Behaviour): boolean {
    return this.clock.nowMs >= Math.min(untilMs, this.begunMs + forMs) || (count !== undefined && this.used >= count);
  }

  /**
   * Starts the next behavior. A period that ends by time passes on at that instant; one that ends by `count`, with the
   * first request beyond it.
   */
  private turn({ untilMs = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY }: Behaviour): void {
    this.begunMs = Math.min(untilMs, this.begunMs + forMs, this.clock.nowMs);
    this.at += 1;
    this.used = 0;
  }
}
