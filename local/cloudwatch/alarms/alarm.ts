import type { ServiceContext } from '../../kernel/services';
import type { CloudWatchHappening } from '../happenings';
import type { AlarmActions } from './alarm-actions';
import type { AlarmRegistry } from './alarm-book';
import type { AlarmConfiguration, AlarmStateValue } from './alarm-configuration';
import type { AlarmHistory } from './alarm-history';
import { type AlarmState, initialState, type StateChange } from './alarm-state';
import { cloudWatchInstant } from './cloud-watch-instant';

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
