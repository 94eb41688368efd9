import { AwsError } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import type { ServiceContext } from '../../kernel/services';
import type { Scheduled } from '../../kernel/timeline';
import type { CloudWatchHappening } from '../happenings';
import type { MetricSeries } from '../metrics/metric-series';
import { STATISTICS } from '../metrics/statistics';
import type { AlarmActionTarget } from '../ports';
import type { AlarmConfiguration, AlarmStateValue } from './alarm-configuration';
import { AlarmHistory } from './alarm-history';
import { type Datapoint, evaluate, evaluationRange, type Verdict } from './evaluation';
import { alarmNotification, cloudWatchInstant } from './notification';
import { INITIAL_REASON, stateReason } from './reason';

const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

export interface AlarmState {
  readonly value: AlarmStateValue;
  readonly reason: string;
  /** A JSON document. */
  readonly reasonData: string;
  readonly updatedAtMs: number;
}

export interface AlarmNeighbours {
  readonly context: ServiceContext<CloudWatchHappening>;
  readonly actionTarget: AlarmActionTarget;
}

/**
 * An alarm on one metric. It looks at the data when a minute ends, and goes on looking minute by minute only while there
 * is data in its range: after that nothing can change until the metric reports again, however far time jumps.
 *
 * AWS's services report with some delay and alarms notice a little later still; here a minute is judged the moment it
 * ends. That is our choice. Looking is background work: time that passes makes alarms change, `runUntilIdle` does not
 * wait for them.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export class Alarm {
  readonly history: AlarmHistory;
  private current: AlarmState;
  private nextLook: Scheduled | undefined;
  private readonly unwatch: () => void;

  constructor(
    readonly configuration: AlarmConfiguration,
    private readonly series: MetricSeries,
    private readonly neighbours: AlarmNeighbours,
    previous?: Alarm,
  ) {
    const { timeline } = neighbours.context;
    this.history = previous?.history ?? new AlarmHistory(timeline);
    this.current = previous?.state ?? {
      value: 'INSUFFICIENT_DATA',
      reason: INITIAL_REASON,
      reasonData: '',
      updatedAtMs: timeline.nowMs,
    };
    const verb = previous ? 'updated' : 'created';
    this.history.add('ConfigurationUpdate', `Alarm "${configuration.alarmName}" ${verb}`, {
      type: previous ? 'Update' : 'Create',
    });
    this.unwatch = series.watch(() => this.lookAtTheEndOfTheMinute());
    this.lookAtTheEndOfTheMinute();
  }

  get state(): AlarmState {
    return this.current;
  }

  /** The alarm looks no more. */
  retire(): void {
    this.unwatch();
    this.nextLook?.cancel();
  }

  /** Puts the alarm into a state until it next looks at its data. */
  setState(value: AlarmStateValue, reason: string, reasonData = ''): void {
    this.change({ value, reason, reasonData, updatedAtMs: this.nowMs });
    this.lookAtTheEndOfTheMinute();
  }

  private get nowMs(): number {
    return this.neighbours.context.timeline.nowMs;
  }

  private lookAtTheEndOfTheMinute(): void {
    if (this.nextLook) return;
    const everyMs = lookEverySeconds(this.configuration) * SECOND_MS;
    const dueAtMs = (Math.floor(this.nowMs / everyMs) + 1) * everyMs;
    this.nextLook = this.neighbours.context.timeline.inBackground(dueAtMs, () => this.look());
  }

  private look(): void {
    this.nextLook = undefined;
    const range = this.datapoints();
    const verdict = evaluate(this.configuration, range);
    if (verdict.state !== 'retained' && verdict.state !== this.current.value) {
      this.change({
        value: verdict.state,
        reason: stateReason(this.configuration, verdict),
        reasonData: this.reasonData(range, verdict),
        updatedAtMs: this.nowMs,
      });
    }
    const oldest = range.at(-1);
    if (oldest && this.series.hasFrom(oldest.startMs, this.configuration.unit)) this.lookAtTheEndOfTheMinute();
  }

  /** The periods of the evaluation range that end now, newest first. */
  private datapoints(): readonly Datapoint[] {
    const { periodSeconds, evaluationPeriods, statistic, unit } = this.configuration;
    const periodMs = periodSeconds * SECOND_MS;
    return Array.from({ length: evaluationRange(evaluationPeriods) }, (_, age) => {
      const startMs = this.nowMs - (age + 1) * periodMs;
      const set = this.series.between(startMs, startMs + periodMs, unit);
      return set ? { startMs, value: STATISTICS[statistic](set), sampleCount: set.sampleCount } : { startMs };
    });
  }

  private reasonData(range: readonly Datapoint[], verdict: Verdict): string {
    const { statistic, periodSeconds, threshold, unit, evaluationPeriods } = this.configuration;
    const real = [...verdict.breaching, ...verdict.notBreaching].sort((a, b) => a.startMs - b.startMs);
    const oldest = real[0];
    return JSON.stringify({
      version: '1.0',
      queryDate: cloudWatchInstant(this.nowMs),
      ...(oldest ? { startDate: cloudWatchInstant(oldest.startMs) } : {}),
      ...(unit === undefined ? {} : { unit }),
      statistic,
      period: periodSeconds,
      recentDatapoints: real.map(({ value }) => value),
      threshold,
      evaluatedDatapoints: range
        .filter((datapoint, age) => age < evaluationPeriods || datapoint.value !== undefined)
        .map(({ startMs, sampleCount, value }) => ({ timestamp: cloudWatchInstant(startMs), sampleCount, value })),
    });
  }

  private change(next: AlarmState): void {
    const previous = this.current;
    this.current = next;
    if (previous.value === next.value) return;
    const { alarmName, alarmArn, actions, actionsEnabled } = this.configuration;
    this.neighbours.context.trace.record({
      type: 'cloudwatch.alarm-state-changed',
      alarmName,
      alarmArn,
      from: previous.value,
      to: next.value,
      reason: next.reason,
    });
    this.history.add('StateUpdate', `Alarm updated from ${previous.value} to ${next.value}`, {
      oldState: { stateValue: previous.value, stateReason: previous.reason },
      newState: { stateValue: next.value, stateReason: next.reason },
    });
    if (actionsEnabled) for (const actionArn of actions[next.value]) this.act(actionArn, previous, next);
  }

  /** Tells one target. Whoever is refused learns nothing, and neither does the alarm: only the history says so. */
  private act(actionArn: string, previous: AlarmState, next: AlarmState): void {
    const { context, actionTarget } = this.neighbours;
    const { alarmName, alarmArn } = this.configuration;
    const { subject, message } = alarmNotification(context.place, this.configuration, {
      from: previous.value,
      to: next.value,
      reason: next.reason,
      atMs: next.updatedAtMs,
    });
    const caller = serviceCaller('cloudwatch.amazonaws.com', alarmArn, context.place.account);
    try {
      actionTarget.notify(actionArn, caller, subject, message);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      context.trace.record({
        type: 'cloudwatch.action-failed',
        alarmName,
        alarmArn,
        actionArn,
        reason: `${error.code}: ${error.message}`,
      });
      this.history.add('Action', `Failed to execute action ${actionArn}. Received error: "${error.message}"`, {
        actionState: 'Failed',
        notificationResource: actionArn,
        stateUpdateTimestamp: next.updatedAtMs,
        error: error.message,
      });
      return;
    }
    context.trace.record({ type: 'cloudwatch.action-executed', alarmName, alarmArn, actionArn });
    this.history.add('Action', `Successfully executed action ${actionArn}`, {
      actionState: 'Succeeded',
      notificationResource: actionArn,
      stateUpdateTimestamp: next.updatedAtMs,
    });
  }
}

/**
 * How often an alarm looks at its data: every minute, whatever its period, so that its periods slide; every ten seconds
 * when the period is shorter than a minute, and every hour when it looks back on more than a day.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
function lookEverySeconds({ periodSeconds, evaluationPeriods }: AlarmConfiguration): number {
  if (periodSeconds < MINUTE_SECONDS) return 10;
  return periodSeconds * evaluationPeriods > DAY_SECONDS ? 60 * MINUTE_SECONDS : MINUTE_SECONDS;
}
