import { type HealthSettings, probeDelayMs } from '../../policy/fleet/endpoint-health';
import type { EndedAttempt } from '../../policy/fleet/state-item';

/** A failure of an endpoint that is not in the table. */
interface Failure {
  readonly ended: EndedAttempt;
  readonly failures: number;
  readonly tryAtMs: number;
}

/** An environment keeps the failures of so many endpoints. What it forgets is tried like an endpoint that has not failed. */
const MOST_KEPT = 10_000;

/**
 * Endpoints that failed while the table did not take it. Their breakers in the table cannot open, so each execution environment makes an
 * attempt only after 1, 2, 4 … minutes, as the prober would.
 */
export class Unrecorded {
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly settings: HealthSettings) {}

  /** The last failure, which the table does not have yet. */
  last(group: string): EndedAttempt | undefined {
    return this.failures.get(group)?.ended;
  }

  /** @param receiveCount of the message: others may have been tried by other environments */
  add(group: string, ended: EndedAttempt, receiveCount: number): void {
    const failures = Math.max((this.failures.get(group)?.failures ?? 0) + 1, receiveCount);
    // A map keeps the order in which its keys were set.
    this.failures.delete(group);
    this.failures.set(group, { ended, failures, tryAtMs: ended.nowMs + probeDelayMs(failures - 1, this.settings) });
    const [oldest = group] = this.failures.keys();
    if (this.failures.size > MOST_KEPT) this.failures.delete(oldest);
  }

  /** Whether an attempt may be made now. The next one is then later. */
  mayTry(group: string, nowMs: number): boolean {
    const known = this.failures.get(group);
    if (!known || known.tryAtMs > nowMs) return false;
    this.failures.set(group, { ...known, tryAtMs: nowMs + probeDelayMs(known.failures, this.settings) });
    return true;
  }

  /** The table has it, or the endpoint works. */
  forget(group: string): void {
    this.failures.delete(group);
  }
}
