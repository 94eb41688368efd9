import type { NowMs } from './aws/clock';

const CHECK_EVERY_MS = 30_000;

/**
 * A pass ends when the function has less time left than this. It covers what is still under way: one attempt that is answered
 * in a moment, and the calls that delete messages and make the remaining ones visible.
 */
export const RESERVE_MS = 30_000;

export interface PassEnd {
  /** `CANCELLED` if a check stopped the pass; `PAUSED` if another pass may continue it. */
  readonly status: 'COMPLETED' | 'CANCELLED' | 'PAUSED' | 'FAILED';
  readonly reason: string;
}

/** What a `PassGuard` needs. */
export interface PassGuardPorts {
  readonly nowMs: NowMs;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
  /** The pass ends when less time remains. @default 30 s */
  readonly reserveMs?: number;
  /** Returns why the pass must stop; undefined if it may continue. */
  readonly check: () => Promise<string | undefined>;
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
    const reason = await this.ports.check();
    this.checkedAtMs = this.ports.nowMs();
    this.checking = undefined;
    if (reason !== undefined) this.end({ status: 'CANCELLED', reason });
  }
}

/** At most this much of the counting is lost if the process dies. */
const REPORT_EVERY_MS = 1_000;

/** Further reasons are counted together: some contain a message id, so that each would be a reason of its own. */
const MAX_REASONS = 10;

const OTHER_REASONS = 'other reasons';

/** How many messages a pass has handled, by result. */
export interface PassCounts {
  /** Messages that the destination has, or may have. */
  readonly moved: number;
  /** Messages sent to the quarantine. */
  readonly quarantined: number;
  /** Messages that the function was invoked with and failed. They count as moved. */
  readonly returned: number;
}

const NONE: PassCounts = { moved: 0, quarantined: 0, returned: 0 };

/** Messages that a move pass left in the dead-letter queue, for one reason. */
export interface RemainingMessages {
  /** In AWS's words if AWS gave a reason. */
  readonly reason: string;
  readonly messages: number;
  /** The SQS message id of the first of them. */
  readonly example: string;
}

export class PassCounter {
  private counts = NONE;
  private reported = NONE;
  private readonly remainingByReason = new Map<string, RemainingMessages>();
  private reportedAtMs: number;

  /** @param onCounted receives what was added since the last call */
  constructor(
    private readonly nowMs: NowMs,
    private readonly onCounted: (added: PassCounts) => void,
  ) {
    this.reportedAtMs = nowMs();
  }

  get totals(): PassCounts {
    return this.counts;
  }

  get left(): readonly RemainingMessages[] {
    return [...this.remainingByReason.values()];
  }

  count(what: keyof PassCounts, messages = 1): void {
    this.counts = { ...this.counts, [what]: this.counts[what] + messages };
    if (this.nowMs() - this.reportedAtMs >= REPORT_EVERY_MS) this.report();
  }

  countRemaining(why: string, id: string): void {
    const isNew = !this.remainingByReason.has(why);
    const reason = isNew && this.remainingByReason.size >= MAX_REASONS ? OTHER_REASONS : why;
    const before = this.remainingByReason.get(reason) ?? { reason, messages: 0, example: id };
    this.remainingByReason.set(reason, { ...before, messages: before.messages + 1 });
  }

  report(): void {
    this.reportedAtMs = this.nowMs();
    const added = {
      moved: this.counts.moved - this.reported.moved,
      quarantined: this.counts.quarantined - this.reported.quarantined,
      returned: this.counts.returned - this.reported.returned,
    };
    if (added.moved + added.quarantined + added.returned === 0) return;
    this.reported = this.counts;
    this.onCounted(added);
  }
}
