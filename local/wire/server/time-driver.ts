import { TimeStopped } from '../../kernel/timeline';

/**
 * How fast virtual time moves: 1 for real time, 60 for one hour a minute, 0 to stand still until a caller advances it,
 * `max` to jump from one piece of work to the next until none is left.
 */
export type Speed = number | 'max';

interface DrivenTimeline {
  readonly nowMs: number;
  readonly nextDueMs: number | undefined;
  readonly isIdle: boolean;
  /** Whether time waits for something real, which `advanceTo` also waits for. */
  readonly isHeld: boolean;
  readonly pieceUnderWay: Promise<void> | undefined;
  advanceTo(untilMs: number): Promise<number>;
  pass(untilMs: number): boolean;
  watch(listener: () => void): void;
}

interface TimeDriverOptions {
  readonly speed: Speed;
  /** Receives errors of due work. Time continues. */
  readonly onError: (error: unknown) => void;
  /** Real time in milliseconds, from any instant. @default performance.now */
  readonly wallMs?: () => number;
}

/**
 * A request to move virtual time. Requests add up: two callers that each let an hour pass at the same time let two
 * hours pass.
 */
export interface TimeAdvance {
  /** The instant at which it ends. It is evaluated when nothing else moves time. */
  untilMs(): number;
  /** Whether the caller still waits for it; time stops when not. @default - the caller waits */
  isWanted?(): boolean;
  /** Called when time has reached the instant, before anything else moves time. */
  arrived?(): void;
}

/** How long work runs before requests are served again, in milliseconds of real time. */
const SLICE_MS = 8;

/** The longest timer of Node.js. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/**
 * Moves virtual time according to real time. It sleeps until the next work is due, or until earlier work is scheduled.
 * Only one caller moves time at once, and requests are served between pieces of work.
 */
export class TimeDriver {
  private readonly wallMs: () => number;
  private current: Speed;
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
    this.current = options.speed;
    this.baseVirtualMs = timeline.nowMs;
    this.baseWallMs = this.wallMs();
    timeline.watch(() => this.sleep());
    this.sleep();
  }

  get speed(): Speed {
    return this.current;
  }

  /** Changes how fast time moves from now on. */
  async setSpeed(speed: Speed): Promise<void> {
    await this.catchUp();
    this.current = speed;
    this.restart();
    this.sleep();
  }

  /**
   * Moves the clock to the current instant. Returns undefined when it is already there, or when time is moving: then
   * the caller is served between pieces of work.
   */
  catchUp(): Promise<void> | undefined {
    const target = this.targetMs();
    if (this.moving || this.timeline.pass(target)) return undefined;
    return this.run(() => target);
  }

  /** Resolves when the piece of work that runs now has ended; undefined if none runs. */
  get pieceUnderWay(): Promise<void> | undefined {
    return this.timeline.pieceUnderWay;
  }

  /**
   * Moves time immediately, independent of real time. Afterwards real time continues from there.
   *
   * @param work moves time, while nothing else does
   */
  async jump<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.exclusively(work);
    } finally {
      this.restart();
      this.sleep();
    }
  }

  /** From now on, virtual time follows the real time that passes after this moment. */
  private restart(): void {
    this.baseVirtualMs = this.timeline.nowMs;
    this.baseWallMs = this.wallMs();
  }

  /**
   * Moves virtual time to `untilMs` immediately, and runs all work that is due. Returns the number of pieces of work.
   *
   * @param isWanted whether the caller still waits. Time stops as soon as it returns false. @default - always true
   */
  advanceTo(untilMs: number, isWanted = () => true): Promise<number> {
    return this.advance({ untilMs: () => untilMs, isWanted });
  }

  /**
   * Moves time like `advanceTo`, to an instant that is evaluated when nothing else moves time.
   *
   * @throws what `untilMs` throws; time has not moved then
   * @throws TimeStopped when the clock is stopped before
   */
  advance({ untilMs, isWanted = () => true, arrived = () => {} }: TimeAdvance): Promise<number> {
    return this.jump(async () => {
      const goalMs = untilMs();
      const done = await this.workUntil(() => (isWanted() ? goalMs : this.timeline.nowMs));
      arrived();
      return done;
    });
  }

  /** Stops the clock. Resolves when running work has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timeline.watch(() => {});
    clearTimeout(this.timer);
    clearImmediate(this.soon);
    await this.moving;
  }

  /** Reports errors of work and continues with other work. */
  private async run(limitMs: () => number): Promise<void> {
    try {
      await this.exclusively(() => this.workUntil(limitMs));
    } catch (error) {
      if (!(error instanceof TimeStopped)) this.options.onError(error);
    }
  }

  private runDue(): Promise<void> {
    if (this.current === 'max') {
      // A change of the speed ends the run.
      return this.run(() =>
        this.timeline.isIdle || this.current !== 'max' ? this.timeline.nowMs : Number.POSITIVE_INFINITY,
      );
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
   * @param limitMs the instant until which work runs; evaluated again after each piece
   * @returns the number of pieces of work
   */
  private async workUntil(limitMs: () => number): Promise<number> {
    let done = 0;
    let since = this.wallMs();
    for (;;) {
      while (this.timeline.isHeld) done += await this.timeline.advanceTo(this.timeline.nowMs);
      const next = this.timeline.nextDueMs;
      if (next === undefined || next > limitMs()) break;
      if (this.stopped) throw new TimeStopped(this.timeline.nowMs, 'its port was closed, or its run began again');
      done += await this.timeline.advanceTo(next);
      if (this.wallMs() - since >= SLICE_MS) {
        await new Promise<void>(resolve => setImmediate(resolve));
        since = this.wallMs();
      }
    }
    if (Number.isFinite(limitMs())) this.timeline.pass(limitMs());
    return done;
  }

  /** The virtual time according to real time. */
  private targetMs(): number {
    const speed = this.current;
    if (speed === 'max' || speed === 0) return this.timeline.nowMs;
    return Math.max(this.timeline.nowMs, Math.floor(this.baseVirtualMs + (this.wallMs() - this.baseWallMs) * speed));
  }

  /** Sleeps until the next work is due. */
  private sleep(): void {
    if (this.stopped || this.moving) return;
    clearTimeout(this.timer);
    const speed = this.current;
    const next = this.timeline.nextDueMs;
    if (next === undefined) return;
    if (next <= this.timeline.nowMs || speed === 'max') {
      if (speed !== 'max' || !this.timeline.isIdle) this.runSoon();
    } else if (speed > 0) {
      const sleepMs = (next - this.targetMs()) / speed;
      this.timer = setTimeout(() => this.runSoon(), Math.min(Math.max(Math.ceil(sleepMs), 0), LONGEST_SLEEP_MS));
    }
  }

  /** Runs after all requests that have arrived by now, so that simultaneous calls happen at the same instant. */
  private runSoon(): void {
    if (this.soon) return;
    this.soon = setImmediate(() => {
      this.soon = undefined;
      if (!this.stopped && !this.moving) void this.runDue();
    });
  }
}
