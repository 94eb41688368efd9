import type { Clock } from '../../consumer/heartbeat';
import type { LocalAws } from '../../local';

/** The embedded AWS answers at once, unless a fault makes it slow, and then as time moves: all of it is promises. */
const settled = () => new Promise(setImmediate);

interface Due {
  readonly atMs: number;
  readonly then: () => void;
}

/** The clock of a consumer that lives in an embedded AWS: its timers fire as time moves there. */
export class ConsumerClock implements Clock {
  private readonly due = new Set<Due>();

  constructor(private readonly aws: LocalAws) {}

  /** How many timers run. */
  get running(): number {
    return this.due.size;
  }

  nowMs(): number {
    return this.aws.nowMs;
  }

  after(milliseconds: number, then: () => void): () => void {
    const due = { atMs: this.nowMs() + milliseconds, then };
    this.due.add(due);
    return () => this.due.delete(due);
  }

  /** Lets time pass for both, and whatever is due happen. */
  async pass(seconds: number): Promise<void> {
    const untilMs = this.nowMs() + seconds * 1_000;
    for (let next = this.next(untilMs); next; next = this.next(untilMs)) {
      await this.moveTo(next.atMs);
      if (this.due.delete(next)) next.then();
      await settled();
    }
    await this.moveTo(untilMs);
  }

  /** What AWS answers on the way may cancel what was due. */
  private async moveTo(atMs: number): Promise<void> {
    await this.aws.advanceTo(atMs);
    await settled();
  }

  private next(untilMs: number): Due | undefined {
    const soon = [...this.due].filter(({ atMs }) => atMs <= untilMs);
    return soon.sort((a, b) => a.atMs - b.atMs)[0];
  }
}
