import type { Tag } from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../kernel/clock';
import type { ServiceContext } from '../kernel/service-api';
import { ResourceTags, refuseByModel, type TagRules } from '../kernel/tags';
import { AlarmRegistry, type AlarmServices } from './alarms/alarm';
import { AlarmActions } from './alarms/alarm-actions';
import type { CompositeAlarmConfiguration, MetricAlarmConfiguration } from './alarms/alarm-configuration';
import { parseAlarmRule } from './alarms/alarm-rule';
import { CompositeAlarm } from './alarms/composite-alarm';
import { MetricAlarm } from './alarms/metric-alarm';
import type { MutedActions } from './alarms/muted-actions';
import { validationError } from './errors';
import { MetricStore } from './metrics/metric-series';
import type { CloudWatchDependencies } from './ports';
import type { CloudWatchTraceEvent } from './trace-events';

/** The metrics, alarms, dashboards and tags that the API actions read and write. */
export class CloudWatchState {
  readonly metrics = new MetricStore();
  readonly tags = new TagRegistry();
  readonly alarms: AlarmRegistry;
  readonly dashboards: DashboardRegistry;
  readonly muted: MutedActions;
  private readonly services: AlarmServices;

  constructor(
    readonly context: ServiceContext<CloudWatchTraceEvent>,
    dependencies: CloudWatchDependencies,
  ) {
    this.alarms = new AlarmRegistry(context.timeline);
    this.dashboards = new DashboardRegistry(context.timeline);
    const actions = new AlarmActions(context, dependencies, this.alarms);
    this.muted = actions.muted;
    this.services = { context, alarms: this.alarms, actions };
  }

  /** Creates an alarm, or replaces the configuration of an existing one, which keeps its state and history. */
  putMetricAlarm(configuration: MetricAlarmConfiguration): void {
    const previous = this.alarms.find(configuration.alarmName);
    this.alarms.put(new MetricAlarm(configuration, this.metrics, this.services, previous));
  }

  /** Creates or replaces a composite alarm. @throws AwsError `ValidationError` for an invalid rule */
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

  enableActions(name: string, actionsEnabled: boolean): void {
    const alarm = this.alarms.find(name);
    const change = { actionsEnabled, updatedAtMs: this.context.timeline.nowMs };
    if (alarm instanceof MetricAlarm) this.putMetricAlarm({ ...alarm.configuration, ...change });
    if (alarm instanceof CompositeAlarm) this.putCompositeAlarm({ ...alarm.configuration, ...change });
  }
}

interface Dashboard {
  readonly name: string;
  readonly arn: string;
  /** A JSON document. */
  readonly body: string;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
}

/** All dashboards by name. They can be read back, but are not rendered. */
class DashboardRegistry {
  private readonly byName = new Map<string, Dashboard>();

  constructor(private readonly clock: Clock) {}

  /** Sorted by name, as CloudWatch lists them. */
  get all(): readonly Dashboard[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Dashboard | undefined {
    return this.byName.get(name);
  }

  put(name: string, arn: string, body: string): void {
    this.byName.set(name, { name, arn, body, modifiedAtMs: this.clock.nowMs });
  }

  delete(name: string): void {
    this.byName.delete(name);
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Tag.html */
const RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationError) };

/** The tags of alarms and dashboards, by ARN. */
class TagRegistry {
  private readonly byArn = new Map<string, ResourceTags>();

  of(arn: string): Tag[] {
    return this.byArn.get(arn)?.list() ?? [];
  }

  /** @throws AwsError `ValidationError` when a tag is malformed, or the resource would have more than 50 tags */
  add(arn: string, tags: readonly Tag[]): void {
    const all = this.byArn.get(arn) ?? new ResourceTags(RULES);
    all.put(tags);
    this.byArn.set(arn, all);
  }

  remove(arn: string, keys: readonly string[]): void {
    this.byArn.get(arn)?.remove(keys);
  }

  forget(arn: string): void {
    this.byArn.delete(arn);
  }
}
