import { DAY_MS } from '../../../policy/time-units';
import type { Clock } from '../../kernel/clock';
import type { ServiceContext } from '../../kernel/service-api';
import type { CloudWatchTraceEvent } from '../trace-events';
import { type AlarmConfiguration, type AlarmStateValue, cloudWatchInstant } from './alarm-configuration';
import { JsonDocument, jsonText } from './json-text';

export type AlarmType = 'MetricAlarm' | 'CompositeAlarm';

export interface AlarmServices {
  readonly context: ServiceContext<CloudWatchTraceEvent>;
  readonly alarms: AlarmRegistry;
  readonly actions: AlarmChangeHandler;
}

export interface AlarmChangeHandler {
  /** Sends every change to EventBridge, even if the alarm's actions are disabled. */
  stateChanged(alarm: Alarm, change: StateChange): void;
  configurationChanged(alarm: Alarm, operation: Operation): void;
  /** Runs the actions that the alarm names for its new state, unless its actions are disabled. */
  execute(alarm: Alarm, change: StateChange): void;
}

/** A new state, before the time of the change is added. */
type NewState = Pick<AlarmState, 'value' | 'reason'> & Partial<Pick<AlarmState, 'reasonData'>>;

/** How the alarm history words changes of the configuration. */
const OPERATIONS = {
  create: { verb: 'created', type: 'Create', key: 'createdAlarm' },
  update: { verb: 'updated', type: 'Update', key: 'updatedAlarm' },
  delete: { verb: 'deleted', type: 'Delete', key: 'deletedAlarm' },
} as const;

export type Operation = keyof typeof OPERATIONS;

/** The parts that metric alarms and composite alarms share: a state, a history, and actions on a change. */
export abstract class Alarm<Configuration extends AlarmConfiguration = AlarmConfiguration> {
  abstract readonly type: AlarmType;
  private current: AlarmState;

  /** @param previous the alarm that this one replaces: its state and history are kept */
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

  /** Begins to evaluate. Called once the alarm is registered. */
  start(): void {
    this.recordConfiguration(this.previous ? 'update' : 'create');
    this.watch(this.previous);
  }

  /** Stops evaluating. */
  abstract retire(): void;

  recordDeletion(): void {
    this.recordConfiguration('delete');
  }

  /** Sets the state until the alarm's next evaluation. */
  setState(value: AlarmStateValue, reason: string, reasonData = ''): void {
    this.change({ value, reason, reasonData });
  }

  /** The configuration as events and function invocations contain it. */
  abstract eventConfiguration(): object;
  /** The parts of an SNS notification that describe the alarm. */
  abstract notification(change: StateChange): object;
  /** A state as events and function invocations contain it. Composite alarms add what suppresses their actions. */
  eventState({ value, reason, reasonData, updatedAtMs }: AlarmState): object {
    return {
      value,
      reason,
      ...(reasonData === '' ? {} : { reasonData }),
      timestamp: cloudWatchInstant(updatedAtMs),
    };
  }

  /** The members of the configuration that the history shows only for this type of alarm. */
  protected abstract historyConfiguration(): object;
  /** @param previous the alarm that this one replaces */
  protected abstract watch(previous: Alarm | undefined): void;
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

  private recordConfiguration(operation: Operation): void {
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
  const data = reasonData === '' ? undefined : new JsonDocument(reasonData);
  return { stateValue: value, stateReason: reason, stateReasonData: data };
}

/** All alarms by name, the listeners for their changes, and their histories. */
export class AlarmRegistry {
  private readonly byName = new Map<string, Alarm>();
  private readonly watchers = new Map<string, Set<() => void>>();
  private readonly histories = new Map<string, AlarmHistory>();

  constructor(private readonly clock: Clock) {}

  /** Sorted by name, as CloudWatch lists them. */
  get all(): readonly Alarm[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Alarm | undefined {
    return this.byName.get(name);
  }

  put(alarm: Alarm): void {
    this.byName.get(alarm.name)?.retire();
    this.byName.set(alarm.name, alarm);
    alarm.start();
  }

  delete(name: string): void {
    const alarm = this.byName.get(name);
    alarm?.retire();
    alarm?.recordDeletion();
    this.byName.delete(name);
  }

  /** Calls `listener` whenever the alarm changes its state. @returns a function that stops the calls */
  watch(name: string, listener: () => void): () => void {
    const listeners = this.watchers.get(name) ?? new Set();
    this.watchers.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Notifies the listeners that the alarm has changed its state. */
  changed(name: string): void {
    for (const listener of [...(this.watchers.get(name) ?? [])]) listener();
  }

  /** Returns the history of the alarms of this name, or of all alarms, sorted by name. Includes deleted alarms. */
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

type HistoryItemType = 'ConfigurationUpdate' | 'StateUpdate' | 'Action';

interface AlarmHistoryItem {
  readonly atMs: number;
  readonly type: HistoryItemType;
  readonly summary: string;
  /** A JSON document. */
  readonly data: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html */
const KEPT_FOR_MS = 30 * DAY_MS;

/** The events of the last 30 days for one alarm name. It outlives the alarm. */
export class AlarmHistory {
  private readonly kept: AlarmHistoryItem[] = [];

  constructor(
    private readonly clock: Clock,
    readonly alarmName: string,
    readonly alarmType: 'MetricAlarm' | 'CompositeAlarm',
  ) {}

  add(type: HistoryItemType, summary: string, data: object): void {
    this.kept.push({ atMs: this.clock.nowMs, type, summary, data: jsonText({ version: '1.0', ...data }) });
    const firstKept = this.kept.findIndex(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
    this.kept.splice(0, firstKept);
  }

  /** Oldest first. */
  get items(): readonly AlarmHistoryItem[] {
    return this.kept.filter(({ atMs }) => atMs > this.clock.nowMs - KEPT_FOR_MS);
  }
}

const INITIAL_REASON = 'Unchecked: Initial alarm creation';

/** An alarm's state, with its time and reason. */
export interface AlarmState {
  readonly value: AlarmStateValue;
  readonly reason: string;
  /** A JSON document; empty when there is none. */
  readonly reasonData: string;
  /** When the state was last set, even to the same value. Milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** When the value last changed. Milliseconds since the Unix epoch. */
  readonly transitionedAtMs: number;
}

export interface StateChange {
  readonly previous: AlarmState;
  readonly next: AlarmState;
  /** Whether its actions were muted, and run now because the alarm is no longer muted. @default false */
  readonly isAfterMuteWindow?: boolean;
}

/** The state of an alarm that has not been evaluated yet. */
const initialState = (nowMs: number): AlarmState => ({
  value: 'INSUFFICIENT_DATA',
  reason: INITIAL_REASON,
  reasonData: '',
  updatedAtMs: nowMs,
  transitionedAtMs: nowMs,
});
