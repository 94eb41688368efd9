import type { ResourcePolicy } from '@aws-sdk/client-cloudwatch-logs';
import type { PolicyDocument } from '../kernel/access';
import { notImplemented } from '../kernel/aws-error';
import type { RequestChecks, ServiceContext } from '../kernel/service-api';
import { readPolicyText } from '../policy-document/policy';
import { groupExists, groupMissing, invalidParameter, limitExceeded, resourceMissing, streamMissing } from './errors';
import { QueryDefinitions, RunningQueries } from './insights/queries';
import type { LogEvent, LogStream, NewEvent } from './log-events';
import { LogGroup } from './log-group';
import type { Functions, LogsDependencies } from './ports';
import type { LogsTraceEvent } from './trace-events';

/** All log groups, and everything else the API actions read and write. */
export class LogsState {
  readonly resourcePolicies = new ResourcePolicies();
  readonly queryDefinitions = new QueryDefinitions();
  readonly queries: RunningQueries;
  private readonly byName = new Map<string, LogGroup>();
  private eventCount = 0;

  constructor(
    readonly context: ServiceContext<LogsTraceEvent>,
    readonly checks: RequestChecks,
    private readonly dependencies: LogsDependencies,
  ) {
    this.queries = new RunningQueries(context);
  }

  /** The functions that subscription filters invoke. @throws AwsError when the simulation has no functions */
  readonly functions = (): Functions => {
    const { lambda } = this.dependencies;
    if (!lambda) throw notImplemented('subscription filters in a simulation without functions');
    return lambda();
  };

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** Sorted by name, as CloudWatch Logs lists them. */
  get groups(): readonly LogGroup[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): LogGroup | undefined {
    return this.byName.get(name);
  }

  get(name: string): LogGroup {
    const group = this.byName.get(name);
    if (!group) throw groupMissing();
    return group;
  }

  stream(groupName: string, streamName: string): LogStream {
    const stream = this.get(groupName).streams.get(streamName);
    if (!stream) throw streamMissing();
    return stream;
  }

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
   * Stores events, then passes them to CloudWatch and to the group's filters.
   *
   * @param entries sorted by time
   */
  store(group: LogGroup, stream: LogStream, entries: readonly NewEvent[]): void {
    const { nowMs } = this;
    const events = entries.map(({ atMs, message }) => {
      this.eventCount += 1;
      return { atMs, sequence: this.eventCount, ingestedAtMs: nowMs, streamName: stream.name, message };
    });
    group.add(stream, events, nowMs);
    for (const event of events) this.passOn(group, event);
  }

  private passOn(group: LogGroup, event: LogEvent): void {
    const { timeline, metrics } = this.context;
    const { streamName: logStreamName, message } = event;
    this.dependencies.cloudWatch?.takeLogEvent({ logGroupName: group.name, logStreamName, message });
    for (const filter of group.metricFilters.values()) filter.take(message, timeline, metrics);
    for (const filter of group.subscriptionFilters.values()) filter.take(event);
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const MAX_POLICIES = 10;

interface Kept {
  readonly text: string;
  readonly document: PolicyDocument;
  readonly updatedAtMs: number;
}

/**
 * The resource policies of an account, which let services write to its log groups. They are evaluated as one policy.
 */
class ResourcePolicies {
  private readonly byName = new Map<string, Kept>();
  private joined: PolicyDocument | undefined;

  /** The policy that applies to every log group of the account; undefined when there is none. */
  get document(): PolicyDocument | undefined {
    return this.joined;
  }

  put(name: string, text: string, nowMs: number): ResourcePolicy {
    const document = readPolicyText(text, 'resource', problem =>
      invalidParameter(
        problem === undefined ? 'The specified policy document is invalid.' : `Invalid policy: ${problem}`,
      ),
    );
    if (!this.byName.has(name) && this.byName.size >= MAX_POLICIES) throw limitExceeded();
    const kept = { text, document, updatedAtMs: nowMs };
    this.byName.set(name, kept);
    this.join();
    return describe(name, kept);
  }

  delete(name: string): void {
    if (!this.byName.delete(name)) throw resourceMissing();
    this.join();
  }

  list(): readonly ResourcePolicy[] {
    return [...this.byName].map(([name, kept]) => describe(name, kept));
  }

  private join(): void {
    const statements = [...this.byName.values()].flatMap(({ document: { Statement } }) => Statement);
    this.joined = statements.length > 0 ? { Version: '2012-10-17', Statement: statements } : undefined;
  }
}

function describe(policyName: string, { text, updatedAtMs }: Kept): ResourcePolicy {
  return { policyName, policyDocument: text, lastUpdatedTime: updatedAtMs };
}
