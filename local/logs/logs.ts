import type { Caller } from '../kernel/caller';
import { accessDenied, RequestChecks, ServiceApi, type ServiceContext } from '../kernel/service-api';
import type { LogSink } from '../kernel/telemetry';
import { LOGS_ACTIONS, type LogsActions } from './actions';
import { parseFilterPattern } from './filter/filter-pattern';
import type { LogEvent } from './log-events';
import { LogsState } from './logs-state';
import { type LogsDependencies, logStreamArn } from './ports';
import type { LogsTraceEvent } from './trace-events';

/** Selects the events of a group to read. */
interface LogQuery {
  /** The first millisecond, inclusive. @default the oldest stored event */
  readonly fromMs?: number;
  /** The end, exclusive. @default now */
  readonly toMs?: number;
  /** @default every event */
  readonly filterPattern?: string;
}

/** CloudWatch Logs. Functions and other services of the simulation write with `write`; API callers use `call`. */
export class Logs extends ServiceApi<LogsState, LogsActions> implements LogSink {
  constructor(
    private readonly context: ServiceContext<LogsTraceEvent>,
    dependencies: LogsDependencies = {},
  ) {
    const checks = new RequestChecks('logs', context, accessDenied(context.place, 'AccessDeniedException', 400));
    super(checks, LOGS_ACTIONS, new LogsState(context, checks, dependencies));
  }

  write(caller: Caller, groupName: string, streamName: string, message: string): void {
    if (!this.state.find(groupName)) this.call('CreateLogGroup', caller, { logGroupName: groupName });
    const group = this.state.get(groupName);
    const arn = logStreamArn(this.context.place, groupName, streamName);
    const resource = { arn, policy: this.state.resourcePolicies.document };
    const known = group.streams.get(streamName);
    if (!known) this.checks.checkAll('CreateLogStream', 'logs:CreateLogStream', caller, resource);
    const stream = known ?? group.addStream(streamName, this.context.timeline.nowMs);
    this.checks.checkAll('PutLogEvents', 'logs:PutLogEvents', caller, resource);
    this.state.store(group, stream, [{ atMs: this.context.timeline.nowMs, message }]);
  }

  /** Returns the events of a group, oldest first. A group that does not exist has none. */
  events(groupName: string, { fromMs = 0, toMs = Number.POSITIVE_INFINITY, filterPattern }: LogQuery = {}): LogEvent[] {
    const pattern = parseFilterPattern(filterPattern ?? '');
    const events = this.state.find(groupName)?.events(this.context.timeline.nowMs).between(fromMs, toMs) ?? [];
    return events.filter(({ message }) => pattern.matches(message));
  }

  /** The names of all groups, sorted. */
  get groupNames(): readonly string[] {
    return this.state.groups.map(({ name }) => name);
  }

  hasGroup(groupName: string): boolean {
    return this.state.find(groupName) !== undefined;
  }

  hasMetricFilter(groupName: string, filterName: string): boolean {
    return this.state.find(groupName)?.metricFilters.has(filterName) ?? false;
  }

  hasSubscriptionFilter(groupName: string, filterName: string): boolean {
    return this.state.find(groupName)?.subscriptionFilters.has(filterName) ?? false;
  }
}
