import { MOVE_PASS_ENDS } from '../policy/metric-names';
import type { RedriveCause } from '../policy/redrive/redrive-decision';
import type { NowMs } from './clock';
import type { PassProgress, RemainingMessages, StopReason, WriteMetrics } from './step-runner';

const CHECK_EVERY_MS = 30_000;

/**
 * A pass ends when the function has less time left than this. It covers what is still under way: one attempt that is answered
 * in a moment, and the calls that delete messages and make the remaining ones visible.
 */
export const RESERVE_MS = 30_000;

/** How and why a pass ended. */
export interface PassEnd {
  readonly status: 'COMPLETED' | 'CANCELLED' | 'PAUSED' | 'FAILED';
  readonly reason: string;
  /** Set if a check stopped the pass. */
  readonly cause?: RedriveCause;
}

/** What a `PassGuard` needs. */
export interface PassGuardPorts {
  readonly nowMs: NowMs;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
  /** The pass ends when less time remains. @default 30 s */
  readonly reserveMs?: number;
  /** Returns why the pass must stop; undefined if it may continue. */
  readonly check: () => Promise<StopReason | undefined>;
  /** @default 30 s */
  readonly checkEveryMs?: number;
}

/** Decides whether a pass may continue, and keeps the first reason why not. */
export class PassGuard {
  private firstEnd: PassEnd | undefined;
  private checkedAtMs: number;
  private checking: Promise<void> | undefined;

  /** Counts as checked now: the pass was decided by fresh facts. */
  constructor(private readonly ports: PassGuardPorts) {
    this.checkedAtMs = ports.nowMs();
  }

  /** Undefined while the pass may continue. */
  get ending(): PassEnd | undefined {
    return this.firstEnd;
  }

  /** Ends the pass, unless it has already ended for another reason. */
  end(ending: PassEnd): void {
    this.firstEnd ??= ending;
  }

  /** Checks again if the last check is too old. */
  async mayContinue(): Promise<boolean> {
    const { nowMs, checkEveryMs = CHECK_EVERY_MS } = this.ports;
    if (this.hasTime() && nowMs() - this.checkedAtMs >= checkEveryMs) {
      this.checking ??= this.check();
      await this.checking;
    }
    return this.firstEnd === undefined;
  }

  /** Whether the pass has not ended and has time for another attempt. */
  hasTime(): boolean {
    const { remainingMs, reserveMs = RESERVE_MS } = this.ports;
    if (remainingMs() < reserveMs) this.end({ status: 'PAUSED', reason: 'the function ran out of time' });
    return this.firstEnd === undefined;
  }

  private async check(): Promise<void> {
    const stop = await this.ports.check();
    this.checkedAtMs = this.ports.nowMs();
    this.checking = undefined;
    if (stop) this.end({ status: 'CANCELLED', ...stop });
  }
}

/** At most this much of the counting is lost if the function dies. */
const WRITE_EVERY_MS = 1_000;

/** Further reasons are counted together: some contain a message id, so that each would be a reason of its own. */
const MAX_REASONS = 10;

const OTHER_REASONS = 'other reasons';

const COUNTS = ['moved', 'quarantined', 'returned'] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

const METRICS = { moved: 'StintMoved', quarantined: 'StintSetAside', returned: 'StintReturned' } as const;

/** Counts what a pass does, and writes the counts as metrics while it runs. All data points have the start of the pass. */
export class PassCounts {
  private readonly counts: Counts = { moved: 0, quarantined: 0, returned: 0 };
  private readonly written: Counts = { moved: 0, quarantined: 0, returned: 0 };
  private readonly remainingByReason = new Map<string, RemainingMessages>();
  private writtenAtMs: number;
  readonly startedAtMs: number;

  constructor(
    private readonly pass: { readonly messagesPerSecond: number; readonly toMove: number },
    private readonly nowMs: NowMs,
    private readonly writeMetrics: WriteMetrics,
  ) {
    this.startedAtMs = nowMs();
    this.writtenAtMs = this.startedAtMs;
    writeMetrics(this.startedAtMs, { StintRate: pass.messagesPerSecond, StintToMove: pass.toMove });
  }

  get progress(): PassProgress {
    const { moved, returned, quarantined: setAside } = this.counts;
    return { startedAtMs: this.startedAtMs, moved, returned, setAside, toMove: this.pass.toMove };
  }

  get totals(): Readonly<Counts> & { readonly left: readonly RemainingMessages[] } {
    return { ...this.counts, left: [...this.remainingByReason.values()] };
  }

  /** How many messages remain in the dead-letter queue. */
  get remaining(): number {
    return [...this.remainingByReason.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  count(what: keyof Counts, messages = 1): void {
    this.counts[what] += messages;
    if (this.nowMs() - this.writtenAtMs >= WRITE_EVERY_MS) this.writeNewCounts();
  }

  /** @param example the SQS message id of one of them */
  countRemaining(why: string, example: string, messages = 1): void {
    const isNew = !this.remainingByReason.has(why);
    const reason = isNew && this.remainingByReason.size >= MAX_REASONS ? OTHER_REASONS : why;
    const before = this.remainingByReason.get(reason) ?? { reason, messages: 0, example };
    this.remainingByReason.set(reason, { ...before, messages: before.messages + messages });
  }

  writeEnd({ status }: PassEnd): void {
    this.writeNewCounts();
    const StintSeconds = Math.ceil((this.nowMs() - this.startedAtMs) / 1_000);
    this.writeMetrics(this.startedAtMs, { StintEnd: MOVE_PASS_ENDS[status], StintSeconds });
  }

  private writeNewCounts(): void {
    this.writtenAtMs = this.nowMs();
    const increased = COUNTS.filter(name => this.counts[name] > this.written[name]);
    if (increased.length === 0) return;
    const increases = increased.map(name => [METRICS[name], this.counts[name] - this.written[name]]);
    this.writeMetrics(this.startedAtMs, Object.fromEntries(increases));
    for (const name of increased) this.written[name] = this.counts[name];
  }
}
