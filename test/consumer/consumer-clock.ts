import type { Clock } from '../../consumer';
import type { LocalAws } from '../../local';

/** Waits for pending promises: the embedded AWS answers at once, or, if a fault makes it slow, when time advances. */
const settled = () => new Promise(setImmediate);

interface Due {
  readonly atMs: number;
  readonly then: () => void;
}

/** The clock of a consumer in the embedded AWS. Its timers fire when time advances there. */
export class ConsumerClock implements Clock {
  private readonly due = new Set<Due>();

  constructor(private readonly aws: LocalAws) {}

  /** How many timers run. */
  get running(): number {
    return this.due.size;
  }

  get nowMs(): number {
    return this.aws.nowMs;
  }

  after(milliseconds: number, then: () => void) {
    const due = { atMs: this.nowMs + milliseconds, then };
    this.due.add(due);
    return { cancel: () => void this.due.delete(due) };
  }

  /** Advances the time of both, and runs what is due. */
  async pass(seconds: number): Promise<void> {
    const untilMs = this.nowMs + seconds * 1_000;
    for (let next = this.next(untilMs); next; next = this.next(untilMs)) {
      await this.moveTo(next.atMs);
      if (this.due.delete(next)) next.then();
      await settled();
    }
    await this.moveTo(untilMs);
  }

  /** Advances in steps, because an answer of AWS may cancel a timer that was due. */
  private async moveTo(atMs: number): Promise<void> {
    await this.aws.advanceTo(atMs);
    await settled();
  }

  private next(untilMs: number): Due | undefined {
    const soon = [...this.due].filter(({ atMs }) => atMs <= untilMs);
    return soon.sort((a, b) => a.atMs - b.atMs)[0];
  }
}
