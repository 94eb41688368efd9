import type { Api, InputOf, OutputOf } from '../kernel/api';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import type { ServiceContext } from '../kernel/services';
import type { LogSink } from '../kernel/telemetry';
import { createLogGroup, logGroupArn } from './actions/create-log-group';
import { describeLogGroups } from './actions/describe-log-groups';
import { filterLogEvents } from './actions/filter-log-events';
import { putMetricFilter } from './actions/put-metric-filter';
import { putRetentionPolicy } from './actions/put-retention-policy';
import { parseFilterPattern } from './filter/filter-pattern';
import type { LogsHappening } from './happenings';
import type { LogEvent } from './log-group';
import type { LogsActionName, LogsActions } from './logs-actions';
import { LogsState } from './logs-state';

/** Which events of a group to read. */
export interface LogQuery {
  /** The first millisecond. @default everything that is kept */
  readonly fromMs?: number;
  /** The first millisecond after the last. @default up to now */
  readonly toMs?: number;
  /** @default every event */
  readonly filterPattern?: string;
}

/** CloudWatch Logs. Other services and functions write through `write`, everybody else comes in through `call`. */
export class Logs implements Api<LogsActions>, LogSink {
  private readonly state: LogsState;
  private readonly actions: LogsActions;

  constructor(private readonly context: ServiceContext<LogsHappening>) {
    this.state = new LogsState(context);
    this.actions = {
      CreateLogGroup: createLogGroup(this.state),
      DescribeLogGroups: describeLogGroups(this.state),
      FilterLogEvents: filterLogEvents(this.state),
      PutMetricFilter: putMetricFilter(this.state),
      PutRetentionPolicy: putRetentionPolicy(this.state),
    };
  }

  write(groupName: string, streamName: string, message: string): void {
    const group = this.state.find(groupName) ?? this.state.create(groupName);
    group.add({ atMs: this.context.timeline.nowMs, streamName, message });
    for (const filter of group.metricFilters.values()) {
      const measurement = filter.measure(message);
      if (measurement) this.context.metrics.put(measurement);
    }
  }

  /** The events of a group, oldest first; none for a group that does not exist. */
  events(groupName: string, { fromMs = 0, toMs = Number.POSITIVE_INFINITY, filterPattern }: LogQuery = {}): LogEvent[] {
    const matches = parseFilterPattern(filterPattern ?? '');
    const events = this.state.find(groupName)?.events(this.context.timeline.nowMs, fromMs, toMs) ?? [];
    return events.filter(({ message }) => matches(message));
  }

  /** The names of all groups, in order. */
  get groupNames(): readonly string[] {
    return this.state.groups.map(({ name }) => name);
  }

  call<Name extends LogsActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<LogsActions[Name]>,
  ): OutputOf<LogsActions[Name]> {
    const resource = this.resourceOf(input);
    const fault = this.context.faults.check('logs', action, resource);
    if (fault) throw fault;
    const permission = `logs:${action}`;
    const { allowed, reason } = this.context.access.decide({ caller, action: permission, resource });
    if (!allowed) {
      throw new AwsError('AccessDeniedException', `Not authorized to perform ${permission}: ${reason}`, 400);
    }
    const run = this.actions[action] as (call: object) => OutputOf<LogsActions[Name]>;
    return run({ caller, input, requestId: this.context.random.uuid() });
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return Object.hasOwn(this.actions, action);
  }

  /** An administrator's view, for resources that are deployed. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }

  private resourceOf(input: object): string {
    const name = 'logGroupName' in input && typeof input.logGroupName === 'string' ? input.logGroupName : '';
    return `${logGroupArn(this.context.place, name)}:*`;
  }
}
