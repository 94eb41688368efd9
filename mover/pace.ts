import { QUEUE_BATCH_SIZE } from '../policy/aws-limits';
import { SECOND_MS } from '../policy/time-units';
import { forwardOnly, type NowMs, type Wait } from './aws/clock';

/** How much of a late turn the following turns may make up for. The limit of each second still holds. */
const CATCH_UP_MS = 200;

/** Messages under way, or answered less than a second ago. */
interface Taken {
  readonly messages: number;
  /** A second after the answer. @default - there is no answer yet */
  freeAtMs?: number;
}

/**
 * Limits a rate: within any second the destination gets at most `rate` messages. They are spread over the second. A message
 * reaches the destination at an unknown time between call and answer, so its place is free a second after the answer.
 */
export class Pace {
  private taken: Taken[] = [];
  private freeAtMs = 0;
  /** Turns are granted one after another. */
  private last: Promise<unknown> = Promise.resolve();
  private answered: (() => void) | undefined;
  private readonly nowMs: NowMs;

  constructor(
    /** Messages per second. */
    private readonly rate: number,
    clock: NowMs,
    private readonly wait: Wait,
  ) {
    this.nowMs = forwardOnly(clock);
  }

  /**
   * Waits until so many messages may be sent. Call the function it resolves with when they are answered.
   * @param messages at most the rate
   */
  turn(messages: number): Promise<() => void> {
    const turn = this.last.then(() => this.admit(messages));
    this.last = turn;
    return turn;
  }

  /** Grants no turn for a time. */
  pause(milliseconds: number): void {
    this.freeAtMs = Math.max(this.freeAtMs, this.nowMs() + milliseconds);
  }

  /** Waits until the next invocation may use the whole rate from its first second on. */
  async idle(): Promise<void> {
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

  /** Waits until one place is free. Answered calls free their place before any unanswered one. */
  private untilPlace(): Promise<void> {
    const times = this.taken.flatMap(({ freeAtMs }) => (freeAtMs === undefined ? [] : [freeAtMs]));
    if (times.length > 0) return this.until(Math.min(...times));
    return new Promise(resolve => {
      this.answered = resolve;
    });
  }

  private async until(atMs: number): Promise<void> {
    // Node's timers may fire a millisecond early.
    for (let leftMs = atMs - this.nowMs(); leftMs > 0; leftMs = atMs - this.nowMs()) await this.wait(leftMs);
  }
}

/** So that a slow rate does not come in bursts. */
const MIN_CALLS_PER_SECOND = 5;

/** How much slower than its rate a pass may be to make fewer calls. */
const RATE_LOSS = 0.02;

/**
 * Returns how many messages to send in one call: as many as possible without bursts, so that whole calls nearly fill a second.
 * A rate of 499 takes 49 calls of 10; a rate of 47 takes 47 calls of one.
 */
export function messagesPerCall(rate: number): number {
  const max = Math.min(QUEUE_BATCH_SIZE, Math.ceil(rate / MIN_CALLS_PER_SECOND));
  const sizes = Array.from({ length: max }, (_, smaller) => max - smaller);
  return sizes.find(size => rate % size <= rate * RATE_LOSS) ?? 1;
}

/** How many messages a pass may still move. */
export class Quota {
  constructor(private remaining: number) {}

  /** Takes up to `wanted` of the quota and returns how many it got. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.remaining);
    this.remaining -= taken;
    return taken;
  }

  /** Returns a part that was taken for messages that are not moved. */
  giveBack(messages: number): void {
    this.remaining += messages;
  }

  get isSpent(): boolean {
    return this.remaining === 0;
  }
}
