import type { Scheduled, Scheduler } from '../../../kernel/timeline';
import type { ActionsSuppressor, AlarmStateValue } from '../alarm-configuration';
import type { StateChange } from '../alarm-state';

export type SuppressedBy = 'Alarm' | 'WaitPeriod' | 'ExtensionPeriod';

const SECOND_MS = 1_000;

export interface SuppressionProps {
  readonly suppressor: ActionsSuppressor;
  readonly timeline: Scheduler;
  /** The state for which the alarm last acted, or in which it began. */
  readonly actedOn: AlarmStateValue;
  readonly isSuppressorInAlarm: () => boolean;
  /** Takes the actions of a change that was held back. */
  readonly release: (change: StateChange) => void;
}

/**
 * Holds back the actions of a composite alarm while another alarm is in ALARM, for a while before, in case it comes to that,
 * and for a while after. When the time is over, the actions of the state the alarm is then in are taken; none, if it is back
 * in the state for which it acted last. Both periods hold for a change to any state. AWS's guide leaves that open: our choice.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-suppression.html
 */
export class ActionsSuppression {
  private suppressedBy: SuppressedBy | undefined;
  private held: StateChange | undefined;
  private timer: Scheduled | undefined;
  private actedOn: AlarmStateValue;

  constructor(private readonly props: SuppressionProps) {
    this.actedOn = props.actedOn;
    this.suppressedBy = props.isSuppressorInAlarm() ? 'Alarm' : undefined;
  }

  /** What holds actions back at this moment. */
  get by(): SuppressedBy | undefined {
    return this.suppressedBy;
  }

  /** The change whose actions are held back. */
  get heldBack(): StateChange | undefined {
    return this.held;
  }

  /** Holds back the actions of a change until they may be taken. */
  hold(change: StateChange): void {
    const isBack = change.next.value === this.actedOn;
    this.held = isBack ? undefined : change;
    if (this.suppressedBy === undefined && !isBack) {
      this.waitFor('WaitPeriod', this.props.suppressor.waitPeriodSeconds);
    } else if (this.suppressedBy === 'WaitPeriod' && isBack) {
      this.end();
    }
  }

  /** The suppressor has changed its state. */
  suppressorChanged(): void {
    if (this.props.isSuppressorInAlarm()) {
      this.timer?.cancel();
      this.suppressedBy = 'Alarm';
    } else if (this.suppressedBy === 'Alarm') {
      this.waitFor('ExtensionPeriod', this.props.suppressor.extensionPeriodSeconds);
    }
  }

  /** Nothing is held back any longer, and nothing released. */
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
