import type { Clock } from '../../kernel/clock';
import type { ServiceContext } from '../../kernel/service-api';
import type { CloudWatchHappening } from '../ports';
import type { AlarmActions } from './alarm-actions';
import { type AlarmConfiguration, type AlarmStateValue, cloudWatchInstant } from './alarm-configuration';

export type AlarmType = 'MetricAlarm' | 'CompositeAlarm';

/** What an alarm lives among. */
export interface AlarmServices {
  readonly context: ServiceContext<CloudWatchHappening>;
  readonly alarms: AlarmRegistry;
  readonly actions: AlarmActions;
}

/** A state to be in, before it is known since when. */
export type NewState = Pick<AlarmState, 'value' | 'reason'> & Partial<Pick<AlarmState, 'reasonData'>>;

/** How the history words what becomes of an alarm's configuration. */
const OPERATIONS = {
  create: { verb: 'created', type: 'Create', key: 'createdAlarm' },
  update: { verb: 'updated', type: 'Update', key: 'updatedAlarm' },
  delete: { verb: 'deleted', type: 'Delete', key: 'deletedAlarm' },
} as const;

export type Operation = keyof typeof OPERATIONS;

/** What metric alarms and composite alarms have in common: a state, a history, and what happens on a change. */
export abstract class Alarm<Configuration extends AlarmConfiguration = AlarmConfiguration> {
  abstract readonly type: AlarmType;
  private current: AlarmState;

  /** @param previous the alarm of this name until now: its state and its history stay */
  constructor(
    readonly configuration: Configuration,
    protected readonly services: AlarmServices,
    private readonly previous?: Alarm,
  ) {
    this.current = previous?.state ?? initialState(services.context.timeline.nowMs);
  }

  get name(): string {
    return this.configuration.alarmName;
  }

  get state(): AlarmState {
    return this.current;
  }

  get history(): AlarmHistory {
    return this.services.alarms.historyFor(this.name, this.type);
  }

  /** Begins to look, now that the alarm is in its place. */
  start(): void {
    this.noteConfiguration(this.previous ? 'update' : 'create');
    this.watch(this.previous);
  }

  /** The alarm looks no more. */
  abstract retire(): void;

  noteDeletion(): void {
    this.noteConfiguration('delete');
  }

  /** Puts the alarm into a state until it next looks for itself. */
  setState(value: AlarmStateValue, reason: string, reasonData = ''): void {
    this.change({ value, reason, reasonData });
  }

  /** What events and functions are told of how the alarm is put. */
  abstract eventConfiguration(): object;
  /** What a topic is told of the alarm beside its change. */
  abstract notification(change: StateChange): object;
  /** What events and functions are told of a state; composite alarms add what keeps them from acting. */
  eventState({ value, reason, reasonData, updatedAtMs }: AlarmState): object {
    return {
      value,
      reason,
      ...(reasonData === '' ? {} : { reasonData }),
      timestamp: cloudWatchInstant(updatedAtMs),
    };
  }

  /** What of the configuration is particular to this type of alarm, as the history gives it. */
  protected abstract historyConfiguration(): object;
  /** @param previous the alarm of this name until now */
  protected abstract watch(previous: Alarm | undefined): void;
  /** What a change of state brings about. */
  protected abstract act(change: StateChange): void;

  protected get nowMs(): number {
    return this.services.context.timeline.nowMs;
  }

  protected change({ value, reason, reasonData = '' }: NewState): void {
    const { nowMs, current: previous } = this;
    const hasChanged = previous.value !== value;
    const transitionedAtMs = hasChanged ? nowMs : previous.transitionedAtMs;
    this.current = { value, reason, reasonData, updatedAtMs: nowMs, transitionedAtMs };
    if (!hasChanged) return;
    const { alarmName, alarmArn } = this.configuration;
    this.services.context.trace.record({
      type: 'cloudwatch.alarm-state-changed',
      alarmName,
      alarmArn,
      from: previous.value,
      to: value,
      reason,
    });
    this.history.add('StateUpdate', `Alarm updated from ${previous.value} to ${value}`, {
      oldState: historyState(previous),
      newState: historyState(this.current),
    });
    this.act({ previous, next: this.current });
    this.services.alarms.changed(this.name);
  }

  private noteConfiguration(operation: Operation): void {
    const { verb, type, key } = OPERATIONS[operation];
    const { alarmName, alarmDescription, alarmArn, updatedAtMs, actionsEnabled, actions } = this.configuration;
    this.history.add('ConfigurationUpdate', `Alarm "${alarmName}" ${verb}`, {
      type,
      [key]: {
        alarmName,
        alarmDescription,
        alarmArn,
        alarmConfigurationUpdatedTimestamp: cloudWatchInstant(updatedAtMs),
        ...this.historyConfiguration(),
        stateValue: this.current.value,
        stateUpdatedTimestamp: cloudWatchInstant(this.current.updatedAtMs),
        actionsEnabled,
        alarmActions: actions.ALARM,
        insufficientDataActions: actions.INSUFFICIENT_DATA,
        okactions: actions.OK,
      },
    });
    this.services.actions.configurationChanged(this, operation);
  }
}

function historyState({ value, reason, reasonData }: AlarmState): object {
  const data: unknown = reasonData === '' ? undefined : JSON.parse(reasonData);
  return { stateValue: value, stateReason: reason, stateReasonData: data };
}

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

export type HistoryItemType = 'ConfigurationUpdate' | 'StateUpdate' | 'Action';

export interface AlarmHistoryItem {
  readonly atMs: number;
  readonly type: HistoryItemType;
  readonly summary: string;
  /** A JSON document. */
  readonly data: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html */
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1_000;

/** What happened to the alarms of one name in the last 30 days; a deleted alarm's history stays. */
export class AlarmHistory {
  private readonly kept: AlarmHistoryItem[] = [];

  constructor(
    private readonly clock: Clock,
    readonly alarmName: string,
    readonly alarmType: 'MetricAlarm' | 'CompositeAlarm',
  ) {}

  add(type: HistoryItemType, summary: string, data: object): void {
    this.kept.push({ atMs: this.clock.nowMs, type, summary, data: JSON.stringify({ version: '1.0', ...data }) });
    const firstKept = this.kept.findIndex(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
    this.kept.splice(0, firstKept);
  }

  /** Oldest first. */
  get items(): readonly AlarmHistoryItem[] {
    return this.kept.filter(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
  }
}

export const INITIAL_REASON = 'Unchecked: Initial alarm creation';

/** What an alarm makes of things, since when, and why. */
export interface AlarmState {
  readonly value: AlarmStateValue;
  readonly reason: string;
  /** A JSON document; empty when there is none. */
  readonly reasonData: string;
  /** When it was last set, to whatever value. Milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** When the value last changed. Milliseconds since the Unix epoch. */
  readonly transitionedAtMs: number;
}

/** A value turned into another. */
export interface StateChange {
  readonly previous: AlarmState;
  readonly next: AlarmState;
}

/** The state of an alarm that has not looked at anything yet. */
export const initialState = (nowMs: number): AlarmState => ({
  value: 'INSUFFICIENT_DATA',
  reason: INITIAL_REASON,
  reasonData: '',
  updatedAtMs: nowMs,
  transitionedAtMs: nowMs,
});
