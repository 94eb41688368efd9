import { administrator, type Caller } from '../kernel/caller';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';
import type { Measurement, MetricSink } from '../kernel/telemetry';
import { CLOUD_WATCH_ACTIONS } from './actions';
import type { AlarmState } from './alarms/alarm';
import type { CloudWatchActionName, CloudWatchActions } from './cloud-watch-actions';
import { CloudWatchState } from './cloud-watch-state';
import { takeLogEvent, type WrittenLogEvent } from './embedded-metrics';
import { valueSet } from './metrics/statistic-set';
import type { CloudWatchHappening, CloudWatchNeighbours } from './ports';

/** Every AWS service reports its metrics by the minute. */
const SERVICE_RESOLUTION_SECONDS = 60;

/** CloudWatch's metrics and alarms. Other services report through `put`, everybody else comes in through `call`. */
export class CloudWatch implements Api<CloudWatchActions>, MetricSink {
  private readonly state: CloudWatchState;
  private readonly door: ServiceApi<CloudWatchState, CloudWatchActions>;

  constructor(
    private readonly context: Omit<ServiceContext<CloudWatchHappening>, 'metrics'>,
    neighbours: CloudWatchNeighbours,
  ) {
    this.state = new CloudWatchState({ ...context, metrics: this }, neighbours);
    const keeper = new RequestChecks('cloudwatch', context, accessDenied(context.place, 'AccessDenied', 403));
    this.door = new ServiceApi(keeper, CLOUD_WATCH_ACTIONS, this.state);
  }

  put({ namespace, name, dimensions, value, unit = 'Count' }: Measurement): void {
    const { nowMs } = this.context.timeline;
    const series = this.state.metrics.seriesOfService(namespace, name, dimensions);
    series.add(nowMs, nowMs, valueSet(value), unit, SERVICE_RESOLUTION_SECONDS);
  }

  /** Takes the metrics a log event carries in the embedded metric format, if it carries any. */
  takeLogEvent(event: WrittenLogEvent): void {
    takeLogEvent(this.state, event);
  }

  call<Name extends CloudWatchActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<CloudWatchActions[Name]>,
  ): OutputOf<CloudWatchActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }

  /** All alarms, in the order of their names. */
  alarms(): readonly { readonly name: string; readonly state: AlarmState }[] {
    return this.state.alarms.all.map(({ name, state }) => ({ name, state }));
  }

  /** What an administrator reads of an alarm's state. */
  alarmState(alarmName: string): AlarmState | undefined {
    return this.state.alarms.find(alarmName)?.state;
  }

  /** Whether there is an alarm of this name: metric alarms and composite ones share theirs. */
  hasAlarm(alarmName: string): boolean {
    return this.state.alarms.find(alarmName) !== undefined;
  }

  hasDashboard(dashboardName: string): boolean {
    return this.state.dashboards.find(dashboardName) !== undefined;
  }

  /** An administrator's view, for the library and for resources that are deployed. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }
}
