import { SECOND_MS } from '../../../policy/time-units';
import type { Scheduled, Scheduler } from '../../kernel/timeline';
import { Alarm, type AlarmServices, type AlarmState, type StateChange } from './alarm';
import {
  type ActionsSuppressor,
  type AlarmStateValue,
  type CompositeAlarmConfiguration,
  cloudWatchInstant,
} from './alarm-configuration';
import { type AlarmRule, alarmNameOf, alarmsIn, holds } from './alarm-rule';
import { compositeAlarmNotification } from './notification';

/** One of the alarms in the rule, as the state's reason names it. */
interface TriggeringAlarm {
  readonly arn: string;
  readonly state: { readonly value: AlarmStateValue; readonly timestamp: string };
}

/**
 * An alarm on the states of other alarms. It is evaluated when it is put and whenever one of them changes.
 *
 * **Assumption CW-3:** AWS evaluates a little later, and does not publish the delay. Here there is none.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create_Composite_Alarm.html
 */
export class CompositeAlarm extends Alarm<CompositeAlarmConfiguration> {
  readonly type = 'CompositeAlarm';
  private readonly unwatch: (() => void)[] = [];
  private suppression: ActionsSuppression | undefined;
  /** The alarms that caused the current state; empty when the state was set by hand. */
  private triggering: readonly TriggeringAlarm[] = [];

  constructor(
    configuration: CompositeAlarmConfiguration,
    readonly rule: AlarmRule,
    surroundings: AlarmServices,
    previous?: Alarm,
  ) {
    super(configuration, surroundings, previous);
  }

  /** The names of the alarms in its rule, without repetitions, in the rule's order. */
  get children(): readonly string[] {
    return [...new Set(alarmsIn(this.rule).map(alarmNameOf))];
  }

  /** The alarms that cannot be deleted while this alarm exists. */
  get dependsOn(): readonly string[] {
    const { suppressor } = this.configuration;
    return suppressor ? [...this.children, alarmNameOf(suppressor.alarm)] : this.children;
  }

  /** The reason why the alarm's actions are currently suppressed. */
  get suppressedBy(): SuppressedBy | undefined {
    return this.suppression?.by;
  }

  /** The change whose actions are suppressed. */
  get heldBack(): StateChange | undefined {
    return this.suppression?.heldBack;
  }

  retire(): void {
    for (const end of this.unwatch) end();
    this.suppression?.stop();
  }

  override setState(value: AlarmStateValue, reason: string, reasonData?: string): void {
    this.triggering = [];
    super.setState(value, reason, reasonData);
  }

  eventConfiguration(): object {
    return { description: this.configuration.alarmDescription, ...this.historyConfiguration() };
  }

  override eventState(state: AlarmState): object {
    const by = state === this.state ? this.suppressedBy : undefined;
    return {
      ...(by ? { actionsSuppressedBy: by, actionsSuppressedReason: suppressedReason(by) } : {}),
      ...super.eventState(state),
    };
  }

  notification(change: StateChange): object {
    const children = this.triggering.map(({ arn, state: { value, timestamp } }) => ({
      Arn: arn,
      State: { Value: value, Timestamp: timestamp },
    }));
    return compositeAlarmNotification(this.services.context.place, this.configuration, change, children);
  }

  protected historyConfiguration(): object {
    const { alarmRule, suppressor } = this.configuration;
    return {
      alarmRule,
      actionsSuppressor: suppressor?.alarm,
      actionsSuppressorWaitPeriod: suppressor?.waitPeriodSeconds,
      actionsSuppressorExtensionPeriod: suppressor?.extensionPeriodSeconds,
    };
  }

  protected watch(previous: Alarm | undefined): void {
    const { alarms, context } = this.services;
    const { alarmArn, suppressor } = this.configuration;
    for (const name of this.children) this.unwatch.push(alarms.watch(name, () => this.childChanged(name)));
    if (suppressor) {
      const name = alarmNameOf(suppressor.alarm);
      const suppression = new ActionsSuppression({
        suppressor,
        timeline: context.timeline,
        actedOn:
          (previous instanceof CompositeAlarm ? previous.heldBack?.previous : undefined)?.value ?? this.state.value,
        isSuppressorInAlarm: () => alarms.find(name)?.state.value === 'ALARM',
        release: change => this.services.actions.execute(this, change),
      });
      this.suppression = suppression;
      this.unwatch.push(alarms.watch(name, () => suppression.suppressorChanged()));
    }
    if (previous instanceof CompositeAlarm && previous.heldBack) this.execute(previous.heldBack);
    const verb = previous ? 'updated' : 'created';
    this.evaluate(value => `${alarmArn} was ${verb} and its alarm rule evaluates to ${value}`, this.children);
  }

  protected act(change: StateChange): void {
    this.execute(change);
    this.services.actions.stateChanged(this, change);
  }

  private execute(change: StateChange): void {
    const { suppression } = this;
    const { alarmName, alarmArn } = this.configuration;
    if (!suppression) {
      this.services.actions.execute(this, change);
      return;
    }
    suppression.hold(change);
    const { by } = suppression;
    if (by) this.services.context.trace.record({ type: 'cloudwatch.actions-suppressed', alarmName, alarmArn, by });
  }

  private childChanged(name: string): void {
    const child = this.services.alarms.find(name);
    if (!child) return;
    const { value, updatedAtMs } = child.state;
    const reason = `${child.configuration.alarmArn} transitioned to ${value} at ${longDate(updatedAtMs)}`;
    this.evaluate(() => reason, [name]);
  }

  private evaluate(reasonFor: (value: AlarmStateValue) => string, because: readonly string[]): void {
    const { alarms } = this.services;
    const isTrue = holds(this.rule, reference => alarms.find(alarmNameOf(reference))?.state.value);
    const value = isTrue ? 'ALARM' : 'OK';
    if (value === this.state.value) return;
    this.triggering = because.flatMap((name): TriggeringAlarm[] => {
      const alarm = alarms.find(name);
      if (!alarm) return [];
      const { value: state, updatedAtMs } = alarm.state;
      return [
        { arn: alarm.configuration.alarmArn, state: { value: state, timestamp: cloudWatchInstant(updatedAtMs) } },
      ];
    });
    this.change({ value, reason: reasonFor(value), reasonData: JSON.stringify({ triggeringAlarms: this.triggering }) });
  }
}

/** `Actions suppressed by WaitPeriod` is recorded from AWS. The other reasons follow its wording. */
export const suppressedReason = (by: SuppressedBy): string => `Actions suppressed by ${by}`;

type SuppressedBy = 'Alarm' | 'WaitPeriod' | 'ExtensionPeriod';

interface SuppressionProps {
  readonly suppressor: ActionsSuppressor;
  readonly timeline: Scheduler;
  /** The state for which the alarm last ran its actions; at first, its initial state. */
  readonly actedOn: AlarmStateValue;
  readonly isSuppressorInAlarm: () => boolean;
  /** Runs the actions of a change that was suppressed. */
  readonly release: (change: StateChange) => void;
}

/**
 * Suppresses the actions of a composite alarm while the suppressor is in ALARM, for a wait period before that, and for
 * an extension period after it. At the end, it runs the actions of the alarm's current state, unless actions last ran
 * for that same state.
 *
 * **Assumption CW-4:** AWS does not publish whether the periods apply to every change. Here both apply to a change to
 * any state.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-suppression.html
 */
class ActionsSuppression {
  private suppressedBy: SuppressedBy | undefined;
  private held: StateChange | undefined;
  private timer: Scheduled | undefined;
  private actedOn: AlarmStateValue;

  constructor(private readonly props: SuppressionProps) {
    this.actedOn = props.actedOn;
    this.suppressedBy = props.isSuppressorInAlarm() ? 'Alarm' : undefined;
  }

  get by(): SuppressedBy | undefined {
    return this.suppressedBy;
  }

  /** The change whose actions are suppressed. */
  get heldBack(): StateChange | undefined {
    return this.held;
  }

  /** Suppresses the actions of a change until they may run. */
  hold(change: StateChange): void {
    const isBack = change.next.value === this.actedOn;
    this.held = isBack ? undefined : change;
    if (this.suppressedBy === undefined && !isBack) {
      this.waitFor('WaitPeriod', this.props.suppressor.waitPeriodSeconds);
    } else if (this.suppressedBy === 'WaitPeriod' && isBack) {
      this.end();
    }
  }

  suppressorChanged(): void {
    if (this.props.isSuppressorInAlarm()) {
      this.timer?.cancel();
      this.suppressedBy = 'Alarm';
    } else if (this.suppressedBy === 'Alarm') {
      this.waitFor('ExtensionPeriod', this.props.suppressor.extensionPeriodSeconds);
    }
  }

  /** Ends the suppression without running the suppressed actions. */
  stop(): void {
    this.timer?.cancel();
  }

  private waitFor(why: 'WaitPeriod' | 'ExtensionPeriod', seconds: number): void {
    const { timeline } = this.props;
    this.timer?.cancel();
    this.suppressedBy = why;
    this.timer = timeline.inBackground(timeline.nowMs + seconds * SECOND_MS, () => this.end());
  }

  private end(): void {
    const { held } = this;
    this.timer?.cancel();
    this.suppressedBy = undefined;
    this.held = undefined;
    if (!held) return;
    this.actedOn = held.next.value;
    this.props.release(held);
  }
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Formats an instant as the reasons of composite alarms do: `Friday 22 July, 2022 15:57:45 UTC`. */
export function longDate(atMs: number): string {
  const at = new Date(atMs);
  const day = String(at.getUTCDate()).padStart(2, '0');
  const time = at.toISOString().slice(11, 19);
  return `${DAYS[at.getUTCDay()]} ${day} ${MONTHS[at.getUTCMonth()]}, ${at.getUTCFullYear()} ${time} UTC`;
}
