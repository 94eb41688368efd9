import type { ServiceContext } from '../kernel/services';
import { Alarm } from './alarms/alarm';
import type { AlarmConfiguration } from './alarms/alarm-configuration';
import type { CloudWatchHappening } from './happenings';
import { MetricStore } from './metrics/metric-store';
import type { AlarmActionTarget } from './ports';

/** What CloudWatch knows, and what its actions work on. */
export class CloudWatchState {
  readonly metrics = new MetricStore();
  private readonly byName = new Map<string, Alarm>();

  constructor(
    readonly context: ServiceContext<CloudWatchHappening>,
    private readonly actionTarget: AlarmActionTarget,
  ) {}

  /** In the order of their names, as CloudWatch lists them. */
  get alarms(): readonly Alarm[] {
    return [...this.byName.values()].sort((a, b) => (a.configuration.alarmName < b.configuration.alarmName ? -1 : 1));
  }

  alarm(name: string): Alarm | undefined {
    return this.byName.get(name);
  }

  /** Makes an alarm, or gives the one of this name a new configuration; its state and history stay. */
  putAlarm(configuration: AlarmConfiguration): void {
    const previous = this.byName.get(configuration.alarmName);
    previous?.retire();
    const { namespace, metricName, dimensions } = configuration;
    const series = this.metrics.series(namespace, metricName, dimensions);
    const neighbours = { context: this.context, actionTarget: this.actionTarget };
    this.byName.set(configuration.alarmName, new Alarm(configuration, series, neighbours, previous));
  }

  deleteAlarm(name: string): void {
    this.byName.get(name)?.retire();
    this.byName.delete(name);
  }
}
