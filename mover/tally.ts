import type { PassProgress, RemainingMessages, WriteMetrics } from '../lambda/redrive/ports';
import type { NowMs } from '../lambda/shared/clock';
import { MOVE_PASS_ENDS } from '../policy/redrive/redrive-metrics';
import type { PassEnd } from './guard';

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
