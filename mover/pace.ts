import type { NowMs, Wait } from './clock';

const SECOND_MS = 1_000;

/** Our choice: how far a late turn is made up for by those that follow, within what a second may see. */
const CATCH_UP_MS = 200;

/** Messages on their way, or that came there less than a second ago. */
interface Taken {
  readonly messages: number;
  /** A second after the answer. @default - there is none yet */
  freeAtMs?: number;
}

/**
 * Keeps to a rate: in no second does more reach the destination. When exactly a message does, between the call and its
 * answer, nobody knows, so its place is free again a second after the answer. Within a second messages are spread.
 */
export class Pace {
  private taken: Taken[] = [];
  private freeAtMs = 0;
  /** Turns are taken one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private answered: (() => void) | undefined;

  constructor(
    /** Messages a second. */
    private readonly rate: number,
    private readonly nowMs: NowMs,
    private readonly wait: Wait,
  ) {}

  /**
   * Waits until so many messages may be on their way. What it resolves with is to be called once they are answered.
   * @param messages at most as many as the rate
   */
  turn(messages: number): Promise<() => void> {
    const turn = this.last.then(() => this.admit(messages));
    this.last = turn;
    return turn;
  }

  /** Nobody's turn comes for so long. */
  rest(milliseconds: number): void {
    this.freeAtMs = Math.max(this.freeAtMs, this.nowMs() + milliseconds);
  }

  /** Waits until whoever comes next, another invocation it may be, may have the whole rate for itself. */
  async quiet(): Promise<void> {
    for (const { freeAtMs = 0 } of this.taken) await this.until(freeAtMs);
  }

  private async admit(messages: number): Promise<() => void> {
    for (;;) {
      await this.until(this.freeAtMs);
      const nowMs = this.nowMs();
      if (this.freeAtMs > nowMs) continue;
      this.taken = this.taken.filter(({ freeAtMs = Number.POSITIVE_INFINITY }) => freeAtMs > nowMs);
      const inSecond = this.taken.reduce((sum, taken) => sum + taken.messages, 0);
      if (inSecond + messages <= this.rate) break;
      await this.untilPlace();
    }
    const mine: Taken = { messages };
    this.taken.push(mine);
    this.freeAtMs = Math.max(this.freeAtMs, this.nowMs() - CATCH_UP_MS) + (messages * SECOND_MS) / this.rate;
    return () => {
      mine.freeAtMs = this.nowMs() + SECOND_MS;
      this.answered?.();
    };
  }

  /** Until one place is free: those that were answered are free before any that is not. */
  private untilPlace(): Promise<void> {
    const times = this.taken.flatMap(({ freeAtMs }) => (freeAtMs === undefined ? [] : [freeAtMs]));
    if (times.length > 0) return this.until(Math.min(...times));
    return new Promise(resolve => {
      this.answered = resolve;
    });
  }

  private async until(atMs: number): Promise<void> {
    // A timer of node's may be a millisecond early.
    for (let leftMs = atMs - this.nowMs(); leftMs > 0; leftMs = atMs - this.nowMs()) await this.wait(leftMs);
  }
}

/** As many as one call takes. */
const MOST = 10;

/** Our choice: at least so many calls a second, so that a slow rate is no row of bursts. */
const CALLS_A_SECOND = 5;

/** Our choice: how much slower than its rate a stint may be, so that it makes fewer calls. */
const LOSS = 0.02;

/**
 * How many messages go in one call: as many as can be without bursts, and so that whole calls fill a second, or nearly. A
 * rate of 499 is kept by 49 calls of 10, and one of 47 by as many calls of one.
 */
export function messagesACall(rate: number): number {
  const most = Math.min(MOST, Math.ceil(rate / CALLS_A_SECOND));
  const sizes = Array.from({ length: most }, (_, smaller) => most - smaller);
  return sizes.find(size => rate % size <= rate * LOSS) ?? 1;
}

/** How many letters a stint may still move. */
export class Quota {
  /** @param remaining at first */
  constructor(private remaining: number) {}

  /** Takes as many as there are, and no more than `wanted`. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.remaining);
    this.remaining -= taken;
    return taken;
  }

  /** They are not moved, so others can be. */
  giveBack(deadLetters: number): void {
    this.remaining += deadLetters;
  }

  get isSpent(): boolean {
    return this.remaining === 0;
  }
}
