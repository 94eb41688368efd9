import { accessDenied, RequestChecks, ServiceApi, type ServiceContext } from '../kernel/service-api';
import type { Measurement, MetricSink } from '../kernel/telemetry';
import { CLOUD_WATCH_ACTIONS, type CloudWatchActions } from './actions';
import type { AlarmState } from './alarms/alarm';
import { CloudWatchState } from './cloud-watch-state';
import { takeLogEvent, type WrittenLogEvent } from './embedded-metrics';
import { valueSet } from './metrics/statistic-set';
import type { CloudWatchDependencies } from './ports';
import type { CloudWatchTraceEvent } from './trace-events';

/** AWS services report their metrics with a resolution of one minute. */
const SERVICE_RESOLUTION_SECONDS = 60;

/**
 * CloudWatch's metrics and alarms. Other services of the simulation report metrics with `put`; API callers use `call`.
 */
export class CloudWatch extends ServiceApi<CloudWatchState, CloudWatchActions> implements MetricSink {
  constructor(
    private readonly context: Omit<ServiceContext<CloudWatchTraceEvent>, 'metrics'>,
    dependencies: CloudWatchDependencies,
  ) {
    const checks = new RequestChecks('cloudwatch', context, accessDenied(context.place, 'AccessDenied', 403));
    const metrics: MetricSink = { put: measurement => this.put(measurement) };
    super(checks, CLOUD_WATCH_ACTIONS, new CloudWatchState({ ...context, metrics }, dependencies));
  }

  put({ namespace, name, dimensions, value, unit = 'Count' }: Measurement): void {
    const { nowMs } = this.context.timeline;
    const series = this.state.metrics.seriesOfService(namespace, name, dimensions);
    series.add(nowMs, nowMs, valueSet(value), unit, SERVICE_RESOLUTION_SECONDS);
  }

  /** Stores the metrics that a log event contains in the embedded metric format. */
  takeLogEvent(event: WrittenLogEvent): void {
    takeLogEvent(this.state, event);
  }

  alarms(): readonly { readonly name: string; readonly state: AlarmState }[] {
    return this.state.alarms.all.map(({ name, state }) => ({ name, state }));
  }

  /** Returns the state of an alarm, without a permission check; undefined when the alarm does not exist. */
  alarmState(alarmName: string): AlarmState | undefined {
    return this.state.alarms.find(alarmName)?.state;
  }

  /** Whether an alarm with this name exists. Metric alarms and composite alarms share one namespace. */
  hasAlarm(alarmName: string): boolean {
    return this.state.alarms.find(alarmName) !== undefined;
  }

  hasMuteRule(name: string): boolean {
    return this.state.muted.find(name) !== undefined;
  }

  hasDashboard(dashboardName: string): boolean {
    return this.state.dashboards.find(dashboardName) !== undefined;
  }
}
