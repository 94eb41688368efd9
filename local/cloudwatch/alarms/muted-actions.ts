import type { Scheduler } from '../../kernel/timeline';
import type { Alarm, AlarmRegistry, StateChange } from './alarm';
import type { AlarmStateValue } from './alarm-configuration';
import type { MuteRule } from './mute-rule';

interface Held {
  readonly alarm: Alarm;
  /** The state for which actions last ran. */
  readonly actedOn: AlarmStateValue;
  readonly change: StateChange;
}

/**
 * The mute rules, and the actions that they hold back. When the last window ends that mutes an alarm, the actions of its
 * state run, if the alarm is still in the state whose actions were muted.
 *
 * **Assumption CW-21:** AWS documents alarms that change once while they are muted, and one that changes back. For
 * several changes, here the last one counts, and nothing runs if the alarm is back in the state before the window.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-mute-rules-behaviour.html
 */
export class MutedActions {
  private readonly rules = new Map<string, MuteRule>();
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly timeline: Scheduler,
    private readonly alarms: AlarmRegistry,
    private readonly release: (alarm: Alarm, change: StateChange) => void,
  ) {}

  /** Sorted by name. */
  get all(): readonly MuteRule[] {
    return [...this.rules.values()].sort((a, b) => (a.configuration.name < b.configuration.name ? -1 : 1));
  }

  find(name: string): MuteRule | undefined {
    return this.rules.get(name);
  }

  put(rule: MuteRule): void {
    this.rules.set(rule.configuration.name, rule);
    this.check();
  }

  /** Deletes a rule. The alarms that only it muted are no longer muted. */
  delete(name: string): void {
    this.rules.delete(name);
    this.check();
  }

  /**
   * Holds back the actions of a change while a rule mutes the alarm.
   * @returns the name of that rule; undefined if the actions may run
   */
  hold(alarm: Alarm, change: StateChange): string | undefined {
    const { name } = alarm;
    const [muting] = this.muting(name);
    const before = this.held.get(name);
    this.held.delete(name);
    if (!muting) return undefined;
    const actedOn = before?.actedOn ?? change.previous.value;
    if (actedOn !== change.next.value) this.held.set(name, { alarm, actedOn, change });
    this.wait(muting.endMs);
    return muting.name;
  }

  /** The rules that mute an alarm now, and when their windows end, the last one first. */
  private muting(alarmName: string): readonly { readonly name: string; readonly endMs: number }[] {
    const { nowMs } = this.timeline;
    return this.all
      .flatMap(rule => {
        const { name, alarmNames } = rule.configuration;
        const endMs = alarmNames.includes(alarmName) ? rule.endOfWindow(nowMs) : undefined;
        return endMs === undefined ? [] : [{ name, endMs }];
      })
      .sort((a, b) => b.endMs - a.endMs);
  }

  private wait(untilMs: number): void {
    this.timeline.inBackground(untilMs, () => this.check());
  }

  /** Runs the actions of alarms that are no longer muted. */
  private check(): void {
    for (const [name, { change }] of [...this.held]) {
      const [muting] = this.muting(name);
      if (muting) {
        this.wait(muting.endMs);
        continue;
      }
      this.held.delete(name);
      const alarm = this.alarms.find(name);
      if (alarm?.state.value === change.next.value) this.release(alarm, { ...change, isAfterMuteWindow: true });
    }
  }
}
