import { notImplemented } from '../kernel/aws-error';
import type { RequestChecks } from '../kernel/doorkeeper';
import type { ServiceContext } from '../kernel/services';
import { groupExists, groupMissing, streamMissing } from './errors';
import type { LogsHappening } from './happenings';
import { QueryDefinitions } from './insights/query-definitions';
import { RunningQueries } from './insights/running-queries';
import type { Entry, LogEvent } from './log-event';
import { LogGroup } from './log-group';
import type { LogStream } from './log-stream';
import type { Functions, LogsNeighbours } from './ports';
import { ResourcePolicies } from './resource-policies';

/** Every log group, and what its actions work on. */
export class LogsState {
  readonly resourcePolicies = new ResourcePolicies();
  readonly queryDefinitions = new QueryDefinitions();
  readonly queries: RunningQueries;
  private readonly byName = new Map<string, LogGroup>();
  private taken = 0;

  constructor(
    readonly context: ServiceContext<LogsHappening>,
    readonly keeper: RequestChecks,
    private readonly neighbours: LogsNeighbours,
  ) {
    this.queries = new RunningQueries(context);
  }

  /** Where subscription filters deliver to. @throws AwsError where there are no functions */
  readonly functions = (): Functions => {
    const { lambda } = this.neighbours;
    if (!lambda) throw notImplemented('subscription filters where there are no functions');
    return lambda();
  };

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** In the order of their names, as CloudWatch Logs lists them. */
  get groups(): readonly LogGroup[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): LogGroup | undefined {
    return this.byName.get(name);
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(name: string): LogGroup {
    const group = this.byName.get(name);
    if (!group) throw groupMissing();
    return group;
  }

  /** @throws AwsError `ResourceNotFoundException` */
  stream(groupName: string, streamName: string): LogStream {
    const stream = this.get(groupName).streams.get(streamName);
    if (!stream) throw streamMissing();
    return stream;
  }

  /** @throws AwsError `ResourceAlreadyExistsException` */
  create(name: string): LogGroup {
    if (this.byName.has(name)) throw groupExists();
    const group = new LogGroup(name, this.nowMs);
    this.byName.set(name, group);
    this.context.trace.record({ type: 'logs.group-created', logGroupName: name });
    return group;
  }

  delete(group: LogGroup): void {
    this.byName.delete(group.name);
    this.context.trace.record({ type: 'logs.group-deleted', logGroupName: group.name });
  }

  /**
   * Takes events in, and shows them to CloudWatch and to the group's filters.
   *
   * @param entries in the order of their time
   */
  take(group: LogGroup, stream: LogStream, entries: readonly Entry[]): void {
    const { nowMs } = this;
    const events = entries.map(({ atMs, message }) => {
      this.taken += 1;
      return { atMs, sequence: this.taken, ingestedAtMs: nowMs, streamName: stream.name, message };
    });
    group.add(stream, events, nowMs);
    for (const event of events) this.show(group, event);
  }

  private show(group: LogGroup, event: LogEvent): void {
    const { timeline, metrics } = this.context;
    const { streamName: logStreamName, message } = event;
    this.neighbours.cloudWatch?.takeLogEvent({ logGroupName: group.name, logStreamName, message });
    for (const filter of group.metricFilters.values()) filter.take(message, timeline, metrics);
    for (const filter of group.subscriptionFilters.values()) filter.take(event);
  }
}
