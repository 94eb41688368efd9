import type { Clock } from '../../kernel/clock';
import type { Alarm } from './alarm';
import { AlarmHistory } from './alarm-history';

/** Every alarm by its name, who waits for its changes, and what happened to it. */
export class AlarmRegistry {
  private readonly byName = new Map<string, Alarm>();
  private readonly watchers = new Map<string, Set<() => void>>();
  private readonly histories = new Map<string, AlarmHistory>();

  constructor(private readonly clock: Clock) {}

  /** In the order of their names, as CloudWatch lists them. */
  get all(): readonly Alarm[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Alarm | undefined {
    return this.byName.get(name);
  }

  /** Puts an alarm in the place of the one that had its name, if there was one. */
  put(alarm: Alarm): void {
    this.byName.get(alarm.name)?.retire();
    this.byName.set(alarm.name, alarm);
    alarm.start();
  }

  delete(name: string): void {
    const alarm = this.byName.get(name);
    alarm?.retire();
    alarm?.noteDeletion();
    this.byName.delete(name);
  }

  /** Calls `listener` whenever the alarm of this name changes its state. Answers what ends that. */
  watch(name: string, listener: () => void): () => void {
    const listeners = this.watchers.get(name) ?? new Set();
    this.watchers.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Tells whoever waits for it that the alarm has changed its state. */
  changed(name: string): void {
    for (const listener of [...(this.watchers.get(name) ?? [])]) listener();
  }

  /** What happened to the alarms of this name, or to all, deleted ones too, in the order of their names. */
  historiesOf(name?: string): readonly AlarmHistory[] {
    const all = [...this.histories.values()].sort((a, b) => (a.alarmName < b.alarmName ? -1 : 1));
    return all.filter(({ alarmName }) => (name ?? alarmName) === alarmName);
  }

  historyFor(alarmName: string, alarmType: 'MetricAlarm' | 'CompositeAlarm'): AlarmHistory {
    const key = `${alarmType}\n${alarmName}`;
    let history = this.histories.get(key);
    if (!history) {
      history = new AlarmHistory(this.clock, alarmName, alarmType);
      this.histories.set(key, history);
    }
    return history;
  }
}
