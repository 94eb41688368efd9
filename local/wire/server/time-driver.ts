/**
 * How fast virtual time goes: 1 for the wall clock's pace, 60 for an hour a minute, 0 for a clock that stands still until it
 * is told to advance, `max` for one that jumps from one piece of work to the next until nothing is left to happen.
 */
export type Speed = number | 'max';

/** What is driven: the embedded AWS's own timeline. */
export interface DrivenTimeline {
  readonly nowMs: number;
  readonly nextDueMs: number | undefined;
  readonly isIdle: boolean;
  advanceTo(untilMs: number): Promise<number>;
  pass(untilMs: number): boolean;
  watch(listener: () => void): void;
}

export interface TimeDriverOptions {
  readonly speed: Speed;
  /** Is told of work that broke; time goes on. */
  readonly onError: (error: unknown) => void;
  /** The wall clock, in milliseconds from any instant. @default performance.now */
  readonly wallMs?: () => number;
}

/** A stretch of time somebody lets pass. Two who let an hour pass at once let two hours pass, whoever comes first. */
export interface Journey {
  /** Where it ends; asked once nobody else moves time. */
  untilMs(): number;
  /** Whether anybody waits for it still; time goes no further when nobody does. @default somebody does */
  isWanted?(): boolean;
  /** Called once it has come there, before anybody else moves time. */
  arrived?(): void;
}

/** Work goes on without a break for as long as this, in milliseconds of the wall clock; then requests are looked at. */
const SLICE_MS = 8;

/** The longest a timer of node's sleeps. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/**
 * Moves virtual time by the wall clock. It does not tick: it sleeps until the next piece of work is due, or until somebody
 * schedules an earlier one. Only one thing moves time at once; requests are served between pieces of work.
 */
export class TimeDriver {
  private readonly wallMs: () => number;
  private baseVirtualMs: number;
  private baseWallMs: number;
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Immediate | undefined;
  private moving: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly timeline: DrivenTimeline,
    private readonly options: TimeDriverOptions,
  ) {
    this.wallMs = options.wallMs ?? (() => performance.now());
    this.baseVirtualMs = timeline.nowMs;
    this.baseWallMs = this.wallMs();
    timeline.watch(() => this.sleep());
    this.sleep();
  }

  /**
   * Brings the clock to the instant it is now. Answers nothing when it is there already, or time is moving: whoever asks is
   * served between pieces of work then.
   */
  catchUp(): Promise<void> | undefined {
    const target = this.targetMs();
    if (this.moving || this.timeline.pass(target)) return undefined;
    return this.run(() => target);
  }

  /**
   * Moves time at once, wherever the wall clock is; from there on, the wall clock counts again.
   *
   * @param work moves it, and nobody else does meanwhile
   */
  async jump<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.exclusively(work);
    } finally {
      this.baseVirtualMs = this.timeline.nowMs;
      this.baseWallMs = this.wallMs();
      this.sleep();
    }
  }

  /**
   * Lets virtual time pass until `untilMs`, at once, and does all that is due meanwhile. Answers how much that was.
   *
   * @param isWanted whether anybody waits for it still; time goes no further when nobody does. @default somebody does
   */
  advanceTo(untilMs: number, isWanted = () => true): Promise<number> {
    return this.advance({ untilMs: () => untilMs, isWanted });
  }

  /**
   * Like `advanceTo`, until an instant that is reckoned once it is this one's turn to move time.
   *
   * @throws whatever `untilMs` throws; time has not moved then
   */
  advance({ untilMs, isWanted = () => true, arrived = () => {} }: Journey): Promise<number> {
    return this.jump(async () => {
      const goalMs = untilMs();
      const done = await this.workUntil(() => (isWanted() ? goalMs : this.timeline.nowMs));
      arrived();
      return done;
    });
  }

  /** The clock stands still from now on; resolves once work under way has come to its end. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timeline.watch(() => {});
    clearTimeout(this.timer);
    clearImmediate(this.soon);
    await this.moving;
  }

  /** What breaks is reported, and does not keep other work from happening. */
  private async run(limitMs: () => number): Promise<void> {
    try {
      await this.exclusively(() => this.workUntil(limitMs));
    } catch (error) {
      this.options.onError(error);
    }
  }

  /** What there is to do now that the clock has come so far. */
  private runDue(): Promise<void> {
    if (this.options.speed === 'max') {
      return this.run(() => (this.timeline.isIdle ? this.timeline.nowMs : Number.POSITIVE_INFINITY));
    }
    const target = this.targetMs();
    return this.run(() => target);
  }

  private async exclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.moving) await this.moving;
    const moving = work();
    this.moving = moving.then(
      () => {},
      () => {},
    );
    try {
      return await moving;
    } finally {
      this.moving = undefined;
      this.sleep();
    }
  }

  /**
   * @param limitMs until when work is to be done; asked again after each piece
   * @returns how many pieces of work there were
   */
  private async workUntil(limitMs: () => number): Promise<number> {
    let done = 0;
    let since = this.wallMs();
    for (let next = this.timeline.nextDueMs; next !== undefined && next <= limitMs() && !this.stopped; ) {
      done += await this.timeline.advanceTo(next);
      if (this.wallMs() - since >= SLICE_MS) {
        await new Promise<void>(resolve => setImmediate(resolve));
        since = this.wallMs();
      }
      next = this.timeline.nextDueMs;
    }
    if (Number.isFinite(limitMs())) this.timeline.pass(limitMs());
    return done;
  }

  /** Where the wall clock says virtual time is. */
  private targetMs(): number {
    const { speed } = this.options;
    if (speed === 'max' || speed === 0) return this.timeline.nowMs;
    return Math.max(this.timeline.nowMs, Math.floor(this.baseVirtualMs + (this.wallMs() - this.baseWallMs) * speed));
  }

  /** Wakes when the next piece of work is due. */
  private sleep(): void {
    if (this.stopped || this.moving) return;
    clearTimeout(this.timer);
    const { speed } = this.options;
    const next = this.timeline.nextDueMs;
    if (next === undefined) return;
    if (next <= this.timeline.nowMs || speed === 'max') {
      if (speed !== 'max' || !this.timeline.isIdle) this.runSoon();
    } else if (speed > 0) {
      const sleepMs = (next - this.targetMs()) / speed;
      this.timer = setTimeout(() => this.runSoon(), Math.min(Math.max(Math.ceil(sleepMs), 0), LONGEST_SLEEP_MS));
    }
  }

  /** After whatever else has arrived by now, so that calls that come together meet at one instant. */
  private runSoon(): void {
    if (this.soon) return;
    this.soon = setImmediate(() => {
      this.soon = undefined;
      if (!this.stopped && !this.moving) void this.runDue();
    });
  }
}
