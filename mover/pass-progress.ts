import { MOVE_PASS_ENDS } from '../policy/metric-names';
import type { RedriveCause } from '../policy/redrive/redrive-decision';
import type { NowMs } from './clock';
import type { PassProgress, RemainingMessages, StopReason, WriteMetrics } from './move-step';

/** How long a stint goes on without looking whether it may, unless it is told. */
const CHECK_EVERY_MS = 30_000;

/**
 * Our choice: what is left of the function's time when a stint ends, so that it can be done with what it has in its hands: an
 * attempt, and the answers to what it has to tell SQS.
 */
export const RESERVE_MS = 30_000;

/** How a stint ends. */
export interface PassEnd {
  readonly status: 'COMPLETED' | 'CANCELLED' | 'PAUSED' | 'FAILED';
  readonly reason: string;
  /** Of one that was halted. */
  readonly cause?: RedriveCause;
}

/** What a guard needs of the world. */
export interface PassGuardPorts {
  readonly nowMs: NowMs;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
  readonly check: () => Promise<StopReason | undefined>;
  /** @default 30 s */
  readonly checkEveryMs?: number;
}

/** Knows whether a stint may go on, and why it may not. */
export class PassGuard {
  private first: PassEnd | undefined;
  private lookedAtMs: number;
  private looking: Promise<void> | undefined;

  /** It has been looked just now. */
  constructor(private readonly ports: PassGuardPorts) {
    this.lookedAtMs = ports.nowMs();
  }

  /** Undefined while it goes on. */
  get ending(): PassEnd | undefined {
    return this.first;
  }

  /** Ends the stint, unless it has ended for another reason. */
  end(ending: PassEnd): void {
    this.first ??= ending;
  }

  /** Looks again where it is time to. */
  async mayContinue(): Promise<boolean> {
    const { nowMs, remainingMs, checkEveryMs = CHECK_EVERY_MS } = this.ports;
    if (remainingMs() < RESERVE_MS) this.end({ status: 'PAUSED', reason: 'the time of the function was over' });
    if (!this.first && nowMs() - this.lookedAtMs >= checkEveryMs) {
      this.looking ??= this.look();
      await this.looking;
    }
    return this.first === undefined;
  }

  private async look(): Promise<void> {
    const halt = await this.ports.check();
    this.lookedAtMs = this.ports.nowMs();
    this.looking = undefined;
    if (halt) this.end({ status: 'CANCELLED', ...halt });
  }
}

/** Our choice: what is moved within it is not told of where a function breaks off. */
const WRITE_EVERY_MS = 1_000;

/** Our choice: so many reasons are told apart, for some name what is one letter's alone. */
const MAX_REASONS = 10;

const OTHER_REASONS = 'other reasons';

const COUNTS = ['moved', 'setAside', 'returned'] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

const METRICS = { moved: 'StintMoved', setAside: 'StintSetAside', returned: 'StintReturned' } as const;

/** Counts what a stint does, and tells CloudWatch as it goes, all at the instant it began. */
export class PassCounts {
  private readonly counts: Counts = { moved: 0, setAside: 0, returned: 0 };
  private readonly reported: Counts = { moved: 0, setAside: 0, returned: 0 };
  private readonly leftBecause = new Map<string, RemainingMessages>();
  private reportedAtMs: number;
  readonly startedAtMs: number;

  constructor(
    private readonly begun: { readonly rate: number; readonly toMove: number },
    private readonly nowMs: NowMs,
    private readonly tell: WriteMetrics,
  ) {
    this.startedAtMs = nowMs();
    this.reportedAtMs = this.startedAtMs;
    tell(this.startedAtMs, { StintRate: begun.rate, StintToMove: begun.toMove });
  }

  get soFar(): PassProgress {
    return { startedAtMs: this.startedAtMs, moved: this.counts.moved, toMove: this.begun.toMove };
  }

  get totals(): Readonly<Counts> & { readonly left: readonly RemainingMessages[] } {
    return { ...this.counts, left: [...this.leftBecause.values()] };
  }

  /** How many stay. */
  get left(): number {
    return [...this.leftBecause.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  count(what: keyof Counts, messages = 1): void {
    this.counts[what] += messages;
    if (this.nowMs() - this.reportedAtMs >= WRITE_EVERY_MS) this.tellMore();
  }

  /** @param example the SQS id of one of them */
  countLeft(given: string, example: string, messages = 1): void {
    const isNew = !this.leftBecause.has(given);
    const reason = isNew && this.leftBecause.size >= MAX_REASONS ? OTHER_REASONS : given;
    const known = this.leftBecause.get(reason) ?? { reason, messages: 0, example };
    this.leftBecause.set(reason, { ...known, messages: known.messages + messages });
  }

  tellEnd({ status }: PassEnd): void {
    this.tellMore();
    const StintSeconds = Math.ceil((this.nowMs() - this.startedAtMs) / 1_000);
    this.tell(this.startedAtMs, { StintEnd: MOVE_PASS_ENDS[status], StintSeconds });
  }

  private tellMore(): void {
    this.reportedAtMs = this.nowMs();
    const more = COUNTS.filter(name => this.counts[name] > this.reported[name]);
    if (more.length === 0) return;
    this.tell(
      this.startedAtMs,
      Object.fromEntries(more.map(name => [METRICS[name], this.counts[name] - this.reported[name]])),
    );
    for (const name of more) this.reported[name] = this.counts[name];
  }
}
