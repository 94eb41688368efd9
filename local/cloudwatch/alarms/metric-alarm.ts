import type { Scheduled } from '../../kernel/timeline';
import type { MetricStore } from '../metrics/metric-store';
import { Alarm, type AlarmServices } from './alarm';
import type { AlarmStateValue, MetricAlarmConfiguration } from './alarm-configuration';
import type { AlarmState, StateChange } from './alarm-state';
import { cloudWatchInstant } from './cloud-watch-instant';
import { type Datapoint, evaluate, evaluationRange, fewestSamplesFor, type Rule, type Verdict } from './evaluation';
import { metricAlarmNotification } from './notification';
import { stateReason } from './reason';
import { type WatchedData, watchedData } from './watched-data';
import { watchedAsEvent, watchedAsHistory } from './watched-documents';

const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/**
 * An alarm on a metric or an expression. It looks at the data when a minute ends, and goes on looking minute by minute only
 * while there is data in its range: after that nothing can change until a metric reports again, however far time jumps.
 *
 * AWS's services report with some delay and alarms notice a little later still; here a minute is judged the moment it
 * ends. That is our choice. Looking is background work: time that passes makes alarms change, `runUntilIdle` does not
 * wait for them.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export class MetricAlarm extends Alarm<MetricAlarmConfiguration> {
  readonly type = 'MetricAlarm';
  private readonly data: WatchedData;
  private readonly rule: Rule;
  private nextEvaluation: Scheduled | undefined;
  private unwatch: (() => void) | undefined;

  constructor(
    configuration: MetricAlarmConfiguration,
    store: MetricStore,
    surroundings: AlarmServices,
    previous?: Alarm,
  ) {
    super(configuration, surroundings, previous);
    this.data = watchedData(store, configuration);
    this.rule = { ...configuration, fewestSamples: fewestSamples(configuration) };
  }

  retire(): void {
    this.unwatch?.();
    this.nextEvaluation?.cancel();
  }

  override setState(value: AlarmStateValue, reason: string, reasonData?: string): void {
    super.setState(value, reason, reasonData);
    this.evaluateAtEndOfMinute();
  }

  eventConfiguration(): object {
    const { alarmDescription: description, watched } = this.configuration;
    return { description, metrics: watchedAsEvent(watched) };
  }

  notification(change: StateChange): object {
    return metricAlarmNotification(this.services.context.place, this.configuration, change);
  }

  protected historyConfiguration(): object {
    return watchedAsHistory(this.configuration);
  }

  protected watch(): void {
    this.unwatch = this.data.watch(() => this.evaluateAtEndOfMinute());
    this.evaluateAtEndOfMinute();
  }

  protected act(change: StateChange): void {
    this.services.actions.stateChanged(this, change);
    this.services.actions.execute(this, change);
  }

  private evaluateAtEndOfMinute(): void {
    if (this.nextEvaluation) return;
    const everyMs = evaluationIntervalSeconds(this.configuration) * SECOND_MS;
    const dueAtMs = (Math.floor(this.nowMs / everyMs) + 1) * everyMs;
    this.nextEvaluation = this.services.context.timeline.inBackground(dueAtMs, () => this.evaluate());
  }

  private evaluate(): void {
    this.nextEvaluation = undefined;
    const range = this.data.read(this.nowMs, evaluationRange(this.configuration.evaluationPeriods));
    const verdict = evaluate(this.rule, range);
    if (verdict.state !== 'retained' && verdict.state !== this.state.value) {
      this.change({
        value: verdict.state,
        reason: stateReason(this.configuration, verdict),
        reasonData: this.reasonData(range, verdict),
      });
    }
    const oldest = range.at(-1);
    if (oldest && this.data.changesFrom(oldest.startMs)) this.evaluateAtEndOfMinute();
  }

  private reasonData(range: readonly Datapoint[], verdict: Verdict): AlarmState['reasonData'] {
    const { watched, threshold, evaluationPeriods } = this.configuration;
    const metric = watched.kind === 'metric' ? watched.metric : undefined;
    const real = [...verdict.breaching, ...verdict.notBreaching].sort((a, b) => a.startMs - b.startMs);
    const oldest = real[0];
    return JSON.stringify({
      version: '1.0',
      queryDate: cloudWatchInstant(this.nowMs),
      startDate: oldest && cloudWatchInstant(oldest.startMs),
      unit: metric?.unit,
      statistic: metric?.statistic.name,
      period: watched.periodSeconds,
      recentDatapoints: real.map(({ value }) => value),
      threshold,
      evaluatedDatapoints: range
        .filter((datapoint, age) => age < evaluationPeriods || datapoint.value !== undefined)
        .map(({ startMs, sampleCount, value }) => ({ timestamp: cloudWatchInstant(startMs), sampleCount, value })),
    });
  }
}

/**
 * How often an alarm looks at its data: every minute, whatever its period, so that its periods slide; every ten seconds
 * when the period is shorter than a minute, and every hour when it looks back on more than a day.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
function evaluationIntervalSeconds({
  watched: { periodSeconds },
  evaluationPeriods,
}: MetricAlarmConfiguration): number {
  if (periodSeconds < MINUTE_SECONDS) return 10;
  return periodSeconds * evaluationPeriods > DAY_SECONDS ? 60 * MINUTE_SECONDS : MINUTE_SECONDS;
}

/** Of how many values a data point must be made to count, where the alarm is asked to mind. */
function fewestSamples({ watched, evaluateLowSampleCountPercentile }: MetricAlarmConfiguration): number | undefined {
  const percentile = watched.kind === 'metric' ? watched.metric.statistic.percentile : undefined;
  return evaluateLowSampleCountPercentile === 'ignore' && percentile !== undefined
    ? fewestSamplesFor(percentile)
    : undefined;
}
