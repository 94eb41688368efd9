import type { ServiceContext } from '../kernel/services';
import type { AlarmServices } from './alarms/alarm';
import { AlarmActions } from './alarms/alarm-actions';
import { AlarmRegistry } from './alarms/alarm-book';
import type { CompositeAlarmConfiguration, MetricAlarmConfiguration } from './alarms/alarm-configuration';
import { CompositeAlarm } from './alarms/composite/composite-alarm';
import { parseAlarmRule } from './alarms/composite/rule-parser';
import { MetricAlarm } from './alarms/metric-alarm';
import { DashboardRegistry } from './dashboards/dashboard-book';
import type { CloudWatchHappening } from './happenings';
import { MetricStore } from './metrics/metric-store';
import type { CloudWatchNeighbours } from './ports';
import { TagRegistry } from './tags/tag-book';

/** What CloudWatch knows, and what its actions work on. */
export class CloudWatchState {
  readonly metrics = new MetricStore();
  readonly tags = new TagRegistry();
  readonly alarms: AlarmRegistry;
  readonly dashboards: DashboardRegistry;
  private readonly services: AlarmServices;

  constructor(
    readonly context: ServiceContext<CloudWatchHappening>,
    neighbours: CloudWatchNeighbours,
  ) {
    this.alarms = new AlarmRegistry(context.timeline);
    this.dashboards = new DashboardRegistry(context.timeline);
    this.services = { context, alarms: this.alarms, actions: new AlarmActions(context, neighbours) };
  }

  /** Makes an alarm, or gives the one of this name a new configuration; its state and history stay. */
  putMetricAlarm(configuration: MetricAlarmConfiguration): void {
    const previous = this.alarms.find(configuration.alarmName);
    this.alarms.put(new MetricAlarm(configuration, this.metrics, this.services, previous));
  }

  /** Likewise. @throws AwsError `ValidationError` for a rule that is none */
  putCompositeAlarm(configuration: CompositeAlarmConfiguration): void {
    const previous = this.alarms.find(configuration.alarmName);
    const rule = parseAlarmRule(configuration.alarmRule);
    this.alarms.put(new CompositeAlarm(configuration, rule, this.services, previous));
  }

  deleteAlarm(name: string): void {
    const alarm = this.alarms.find(name);
    if (alarm) this.tags.forget(alarm.configuration.alarmArn);
    this.alarms.delete(name);
  }

  /** Whether the alarm acts from now on. */
  enableActions(name: string, actionsEnabled: boolean): void {
    const alarm = this.alarms.find(name);
    const change = { actionsEnabled, updatedAtMs: this.context.timeline.nowMs };
    if (alarm instanceof MetricAlarm) this.putMetricAlarm({ ...alarm.configuration, ...change });
    if (alarm instanceof CompositeAlarm) this.putCompositeAlarm({ ...alarm.configuration, ...change });
  }
}
