import type { AccessDecision } from '../../../local/kernel/access';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { Measurement } from '../../../local/kernel/telemetry';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import type { LogsHappening } from '../../../local/logs/happenings';
import { Logs } from '../../../local/logs/logs';

export const START_MS = Date.parse('2026-01-02T00:00:00Z');
export const DAY_MS = 24 * 60 * 60_000;

const allowed = (yes: boolean): AccessDecision => ({ allowed: yes, reason: yes ? '' : 'denied by this test' });

/** CloudWatch Logs on a timeline of its own. */
export class World {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<LogsHappening>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly measured: Measurement[] = [];
  /** Actions on keys, and on Logs, that nobody is allowed to do. */
  readonly denied = new Set<string>();
  /** What KMS was asked, as `action by service for encryption context`. */
  readonly askedOfKeys: string[] = [];

  readonly logs = new Logs({
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    random: new Random('logs'),
    access: { decide: ({ action }) => allowed(!this.denied.has(action)) },
    keys: {
      decide: (_keyId, action, { principal, context }) => {
        const service = principal.kind === 'service' ? principal.service : principal.kind;
        this.askedOfKeys.push(`${action} by ${service} for ${context['kms:EncryptionContext:aws:logs:arn']}`);
        return allowed(!this.denied.has(action));
      },
    },
    faults: this.faults,
    metrics: { put: measurement => this.measured.push(measurement) },
    trace: this.trace,
  });

  /** Writes one event as an administrator. */
  write(groupName: string, streamName: string, message: string): void {
    this.logs.write(this.logs.owner, groupName, streamName, message);
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    await this.timeline.advanceTo(this.timeline.nowMs + ms);
  }
}
