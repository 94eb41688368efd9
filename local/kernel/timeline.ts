import TinyQueue from 'tinyqueue';
import { type Clock, isoInstant } from './clock';

/** A piece of due work. It may await real asynchronous work (a function's own code), never virtual time. */
export type Task = () => void | Promise<void>;

/** Work that has been scheduled and has not run yet. */
export interface Scheduled {
  /** Removes the work; does nothing if it has run already. */
  cancel(): void;
}

/** The part of the timeline that services use: they read the clock and schedule work. */
export interface Scheduler extends Clock {
  /**
   * Runs `task` at `dueAtMs`, or as soon as possible if that is past. Work due at the same instant runs in the order in
   * which it was scheduled.
   */
  at(dueAtMs: number, task: Task): Scheduled;
  /** Runs `task` `delayMs` milliseconds from now. */
  after(delayMs: number, task: Task): Scheduled;
  /**
   * Schedules work like `at`, but as housekeeping that repeats forever (a gauge sampled every minute). It runs when
   * time passes, but `runUntilIdle` does not wait for it.
   */
  inBackground(dueAtMs: number, task: Task): Scheduled;
  /**
   * Runs `task` with the result of `promise`, at the instant of the due work that settles it (a queue answers a long
   * poll). Time does not move while the result passes through a chain of promises.
   */
  whenSettled<T>(promise: Promise<T>, task: (result: PromiseSettledResult<T>) => void | Promise<void>): void;
  /**
   * Keeps time where it is and starts no other work, because something real is under way whose result belongs to this
   * instant: a call to another process, or a test's own asynchronous code.
   *
   * @returns a function that lets time go on. Only its first call has an effect
   */
  hold(): () => void;
}

interface DueWork {
  readonly dueAtMs: number;
  readonly sequence: number;
  readonly background: boolean;
  task: Task | undefined;
}

/** Waits until every settled promise has run its handlers as far as it can without time or real asynchronous work. */
async function promisesSettled(): Promise<void> {
  await undefined;
  await new Promise<void>(resolve => process.nextTick(resolve));
}

/** Cancelled work is removed in bulk when there is at least this much of it, and it is at least half of all work. */
const SWEEP_FROM = 1024;

/** After so many pieces of work, other code of this process runs, such as a timer that closes the simulation. */
const YIELD_AFTER = 1024;

/** More work than this at one instant counts as an endless loop. */
const MAX_WORK_AT_ONE_INSTANT = 1_000_000;

export interface TimelineOptions {
  /**
   * How many pieces of work may run at one instant before the run fails as an endless loop: a queue whose consumer
   * sends to it, an alarm that triggers itself. @default 1,000,000
   */
  readonly maxWorkAtOneInstant?: number;
}

/** Due work threw an error, which is the `cause`. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed';

  constructor(
    /** Milliseconds since the Unix epoch. */
    readonly atMs: number,
    cause: unknown,
  ) {
    super(`work due at ${isoInstant(atMs)} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** What moved virtual time was closed before time had reached its goal. */
export class TimeStopped extends Error {
  override readonly name = 'TimeStopped';

  constructor(atMs: number, because: string) {
    super(`virtual time stopped at ${isoInstant(atMs)}, because ${because}`);
  }
}

const soonestFirst = (a: DueWork, b: DueWork): number => a.dueAtMs - b.dueAtMs || a.sequence - b.sequence;

/**
 * The one clock and the one queue of due work. Time stands still while work runs, then jumps to the next due instant.
 * So an outage of 23 days takes only as long as its work.
 */
export class Timeline implements Scheduler {
  private due = new TinyQueue<DueWork>([], soonestFirst);
  private sequence = 0;
  private cancelled = 0;
  private foreground = 0;
  private unsettled = 0;
  private holds = 0;
  private onRelease: (() => void) | undefined;
  private running = false;
  private pieces = 0;
  private piece: Promise<void> | undefined;
  private stopped: TimeStopped | undefined;
  private now: number;
  private readonly maxWorkAtOneInstant: number;
  private onEarlier: (() => void) | undefined;

  constructor(startAtMs: number, { maxWorkAtOneInstant = MAX_WORK_AT_ONE_INSTANT }: TimelineOptions = {}) {
    if (!(maxWorkAtOneInstant >= 1)) {
      throw new RangeError(`maxWorkAtOneInstant must be 1 or more, got ${maxWorkAtOneInstant}`);
    }
    this.now = startAtMs;
    this.maxWorkAtOneInstant = maxWorkAtOneInstant;
  }

  get nowMs(): number {
    return this.now;
  }

  /** When the next work is due, housekeeping included; undefined when none is. */
  get nextDueMs(): number | undefined {
    for (let next = this.due.peek(); next; next = this.due.peek()) {
      if (next.task) return next.dueAtMs;
      this.due.pop();
      this.cancelled -= 1;
    }
    return undefined;
  }

  /** Whether only housekeeping is due, now or later. */
  get isIdle(): boolean {
    return this.foreground === 0;
  }

  /** How many pieces of work have run since the start. The same seed and the same calls give the same number. */
  get piecesDone(): number {
    return this.pieces;
  }

  /** Resolves when the piece of work that is running now has ended; undefined if none is running. */
  get pieceUnderWay(): Promise<void> | undefined {
    return this.piece;
  }

  /** Whether something real is under way that time waits for. */
  get isHeld(): boolean {
    return this.holds > 0;
  }

  at(dueAtMs: number, task: Task): Scheduled {
    return this.schedule(dueAtMs, false, task);
  }

  after(delayMs: number, task: Task): Scheduled {
    return this.schedule(this.now + delayMs, false, task);
  }

  inBackground(dueAtMs: number, task: Task): Scheduled {
    return this.schedule(dueAtMs, true, task);
  }

  whenSettled<T>(promise: Promise<T>, task: (result: PromiseSettledResult<T>) => void | Promise<void>): void {
    this.unsettled += 1;
    const settle = (result: PromiseSettledResult<T>): void => {
      this.unsettled -= 1;
      this.after(0, () => task(result));
    };
    promise.then(
      value => settle({ status: 'fulfilled', value }),
      (reason: unknown) => settle({ status: 'rejected', reason }),
    );
  }

  hold(): () => void {
    let isOver = false;
    this.holds += 1;
    return () => {
      if (isOver) return;
      isOver = true;
      this.holds -= 1;
      if (this.holds === 0) this.onRelease?.();
    };
  }

  /**
   * Runs everything due up to and including `untilMs`, then leaves the clock there. Returns how many pieces of work
   * ran.
   *
   * @throws WorkFailed when a piece of work throws; all other work stays due
   * @throws Error when `maxWorkAtOneInstant` pieces of work have run at one instant and more is due there; it stays due
   * @throws TimeStopped after `close`
   */
  async advanceTo(untilMs: number): Promise<number> {
    return this.exclusively(async () => {
      const done = await this.runWhile(next => next.dueAtMs <= untilMs);
      this.now = Math.max(this.now, untilMs);
      return done;
    });
  }

  /**
   * Runs work until as many pieces as `piecesDone` counts have run, one instant after the other, then leaves the clock at
   * `nowMs`: it repeats an earlier run up to a certain point.
   *
   * @throws WorkFailed and Error like `advanceTo`
   */
  async advanceToPiece(piecesDone: number, nowMs: number): Promise<void> {
    for (let next = this.nextDueMs; next !== undefined && this.pieces < piecesDone; next = this.nextDueMs) {
      const instantMs = next;
      await this.exclusively(() => this.runWhile(due => this.pieces < piecesDone && due.dueAtMs <= instantMs));
    }
    this.now = Math.max(this.now, nowMs);
  }

  /**
   * Runs everything that is due, however far in the future, until only background work is left. The clock stays at the
   * last piece of work.
   *
   * @param untilMs the instant to stop at, for a simulation that never becomes idle
   * @throws WorkFailed and Error like `advanceTo`
   */
  async runUntilIdle(untilMs = Number.POSITIVE_INFINITY): Promise<number> {
    return this.exclusively(() => this.runWhile(next => this.foreground > 0 && next.dueAtMs <= untilMs));
  }

  /**
   * Runs due work until `promise` settles, and returns its result. The clock stays there; time does not move when the
   * promise settles without due work.
   *
   * @throws Error when no due work is left that could settle it; what the promise rejects with; and like `advanceTo`
   */
  async runUntilSettled<T>(promise: Promise<T>): Promise<T> {
    const isSettled = this.awaiting(promise);
    await this.exclusively(() => this.runWhile(() => !isSettled() && this.foreground > 0));
    if (!isSettled()) throw new Error('no work is due any more that could end the wait');
    return promise;
  }

  /**
   * Gives the promise the chance to continue after each piece of work, until it settles.
   *
   * @returns a function that tells whether it has settled
   */
  awaiting(promise: Promise<unknown>): () => boolean {
    let isSettled = false;
    this.unsettled += 1;
    const settle = (): void => {
      isSettled = true;
      this.unsettled -= 1;
    };
    promise.then(settle, settle);
    return () => isSettled;
  }

  /**
   * Moves the clock to `untilMs` without running anything. Returns false, and does not move it, when work is due before
   * then or time is held.
   */
  pass(untilMs: number): boolean {
    const next = this.nextDueMs;
    if (this.running || this.isHeld || (next !== undefined && next <= untilMs)) return false;
    this.now = Math.max(this.now, untilMs);
    return true;
  }

  /**
   * Calls `listener` when new work becomes the next due, or the only work except housekeeping. The real-time driver
   * sleeps until then.
   */
  watch(listener: () => void): void {
    this.onEarlier = listener;
  }

  /** Ends what moves time, once the piece of work that is running now has ended. Nothing moves time afterwards. */
  close(): void {
    this.stopped ??= new TimeStopped(this.now, 'this run of LocalAws was closed');
    this.onRelease?.();
  }

  private schedule(dueAtMs: number, background: boolean, task: Task): Scheduled {
    if (Number.isNaN(dueAtMs)) throw new RangeError('work cannot be due at NaN');
    const work: DueWork = { dueAtMs: Math.max(dueAtMs, this.now), sequence: this.sequence++, background, task };
    if (!background) this.foreground += 1;
    const first = this.due.peek();
    this.due.push(work);
    const isAwaited = !background && this.foreground === 1;
    if (this.onEarlier && (isAwaited || !first || first.dueAtMs > work.dueAtMs)) this.onEarlier();
    return { cancel: () => this.cancel(work) };
  }

  private cancel(work: DueWork): void {
    if (!this.take(work)) return;
    this.cancelled += 1;
    if (this.cancelled < SWEEP_FROM || this.cancelled * 2 < this.due.length) return;
    this.due = new TinyQueue(
      this.due.data.filter(({ task }) => task),
      soonestFirst,
    );
    this.cancelled = 0;
  }

  /** Marks the work as done or cancelled and returns its task, once. */
  private take(work: DueWork): Task | undefined {
    const { task } = work;
    if (task && !work.background) this.foreground -= 1;
    work.task = undefined;
    return task;
  }

  private async runWhile(wanted: (next: DueWork) => boolean): Promise<number> {
    let done = 0;
    let doneNow = 0;
    // Code that called a service without awaiting it called it at this instant.
    await promisesSettled();
    for (;;) {
      if (this.isHeld) await this.released();
      if (this.stopped) throw this.stopped;
      const next = this.due.peek();
      if (!next || !wanted(next)) return done;
      doneNow = next.dueAtMs > this.now ? 0 : doneNow;
      if (next.task && doneNow >= this.maxWorkAtOneInstant) throw this.endlessLoop();
      this.due.pop();
      const task = this.take(next);
      if (!task) {
        this.cancelled -= 1;
        continue;
      }
      this.now = next.dueAtMs;
      this.pieces += 1;
      try {
        const pending = task();
        if (pending) {
          this.piece = Promise.allSettled([pending]).then(() => {});
          await pending;
        }
      } catch (error) {
        throw new WorkFailed(this.now, error);
      } finally {
        this.piece = undefined;
      }
      if (this.unsettled > 0) await promisesSettled();
      done += 1;
      doneNow += 1;
      if (done % YIELD_AFTER === 0) await new Promise<void>(resolve => setImmediate(resolve));
    }
  }

  /** Waits until nothing real is under way, and its results have been passed on. */
  private async released(): Promise<void> {
    while (this.isHeld && !this.stopped) {
      await new Promise<void>(resolve => {
        this.onRelease = resolve;
      });
      await promisesSettled();
    }
  }

  private endlessLoop(): Error {
    const count = this.maxWorkAtOneInstant.toLocaleString('en');
    return new Error(
      `${count} pieces of work have run at ${isoInstant(this.now)} and more is due at that instant. This is an endless loop that ` +
        'takes no time, such as a function that sends to its own queue: see the end of the trace. If the simulation is only ' +
        'busy, set a higher maxWorkAtOneInstant',
    );
  }

  private async exclusively(run: () => Promise<number>): Promise<number> {
    if (this.running) throw new Error('time is already moving: await the previous advance() or runUntilIdle() first');
    this.running = true;
    try {
      return await run();
    } finally {
      this.running = false;
    }
  }
}
