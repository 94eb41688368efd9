import type { StopReason } from '../lambda/redrive/ports';
import type { NowMs } from '../lambda/shared/clock';
import type { RedriveCause } from '../policy/redrive/redrive-decision';

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
