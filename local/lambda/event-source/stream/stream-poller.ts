import type { RoleTrust } from '../../../kernel/access';
import { AccessRefused, AwsError } from '../../../kernel/aws-error';
import { roleCaller } from '../../../kernel/caller';
import type { Scheduled } from '../../../kernel/timeline';
import type { DestinationSender } from '../../asynchronous/destinations';
import { isThrottle } from '../../errors';
import type { FunctionTarget } from '../../function/deployed-function';
import { qualified } from '../../function/function-configuration';
import type { Outcome } from '../../invocation';
import type { LambdaContext } from '../../trace-events';
import type { MappingConfiguration } from '../mapping-configuration';
import { MappingMetrics, MappingTrace } from '../mapping-telemetry';
import { executionRole, REFUSED_PAUSE_MS } from '../queue-client';
import { type LanePorts, ShardLane, type StreamBatch } from './shard-lane';
import { type StreamConfiguration, streamServiceOf } from './stream-configuration';
import { type DiscardCondition, discardedMessage, RecordFilter, type StreamSource, streamEvent } from './stream-event';
import type { StreamRecord, Streams } from './streams';

/** What pollers need besides the queue. */
export interface PollerDependencies {
  readonly streams: Streams;
  readonly sender: DestinationSender;
  readonly roles: RoleTrust;
}

export class StreamPoller implements LanePorts {
  readonly timeline;
  readonly configuration: MappingConfiguration;
  private readonly lanes = new Map<string, ShardLane>();
  private readonly trace: MappingTrace;
  private readonly metrics: MappingMetrics;
  private stopFollowing: (() => void) | undefined;
  /** The sequence number up to which records have been taken. Undefined until the mapping first reads the stream. */
  private taken: string | undefined;
  /** Set while the mapping waits because the stream refused to be read. */
  private pause: Scheduled | undefined;

  constructor(
    uuid: string,
    configuration: MappingConfiguration,
    readonly target: FunctionTarget,
    readonly stream: StreamConfiguration,
    private readonly context: LambdaContext,
    private readonly dependencies: PollerDependencies,
  ) {
    this.configuration = configuration;
    this.timeline = context.timeline;
    this.trace = new MappingTrace(uuid, configuration.queueArn, target, context.trace);
    this.metrics = new MappingMetrics(uuid, context.metrics, configuration.countsEvents);
  }

  get isPolling(): boolean {
    return this.stopFollowing !== undefined;
  }

  /** Continues where another poller of the same mapping has stopped. */
  takeOver(predecessor: StreamPoller): void {
    predecessor.stop();
    this.taken = predecessor.taken;
    for (const [name, lane] of predecessor.lanes) this.lanes.set(name, lane.movedTo(this));
  }

  start(): void {
    if (this.isPolling) return;
    const { queueArn: streamArn } = this.configuration;
    const { streams } = this.dependencies;
    this.stopFollowing = streams.follow(streamArn, records => this.read(records));
    for (const lane of this.lanes.values()) lane.start();
    const records = streams.recordsOf(streamArn);
    // **Assumption LAMBDA-22:** AWS does not say when a disabled mapping gets its position LATEST.
    this.taken ??= records.findLast(record => !this.isWanted(record))?.sequenceNumber ?? '';
    this.read(this.untaken());
  }

  /** How long the stream keeps records. */
  get retentionMs(): number {
    return this.dependencies.streams.retentionMs(this.configuration.queueArn);
  }

  /** Traces the records that expire while the mapping is disabled. */
  expire(records: readonly StreamRecord[]): void {
    if (this.isPolling && !this.pause) return;
    const inLanes = this.isPolling ? [] : [...this.lanes.values()].flatMap(lane => lane.withdraw(records));
    const untaken = records.filter(record => this.isWanted(record));
    this.trace.unread('Expired', idsOf([...inLanes, ...untaken]));
  }

  /** Traces the records that a deleted mapping has not processed. */
  abandon(): void {
    const inLanes = [...this.lanes.values()].flatMap(lane => lane.unprocessed);
    this.trace.unread('MappingDeleted', idsOf([...inLanes, ...this.untaken()]));
  }

  /** Stops reading. Running batches end. */
  stop(): void {
    this.stopFollowing?.();
    this.stopFollowing = undefined;
    this.pause?.cancel();
    this.pause = undefined;
    for (const lane of this.lanes.values()) lane.stop();
  }

  invoke(batch: StreamBatch, done: (outcome: Outcome, version: string) => void): Promise<void> | undefined {
    const unavailable = this.target.unavailable();
    const requestId = this.context.random.uuid();
    const ids = idsOf(batch.records);
    this.trace.received(requestId, ids);
    if (unavailable) {
      this.trace.finished(requestId, isThrottle(unavailable) ? 'throttled' : 'error', 0, ids);
      return undefined;
    }
    const payload = streamEvent(batch.records, this.source);
    const traceHeader = this.target.deployed.traceHeader(undefined);
    const invocation = {
      requestId,
      payload,
      traceHeader,
      trigger: 'EventSourceMapping',
      attempt: batch.invocations + 1,
    } as const;
    try {
      const started = this.target.start(invocation, (outcome, version) => {
        this.trace.finished(requestId, outcome.kind, 0, outcome.kind === 'success' ? [] : ids);
        done(outcome, version);
      });
      this.metrics.count('InvokedEventCount', ids.length);
      if (started) this.reportAge(batch.records);
      else this.trace.finished(requestId, 'throttled', 0, ids);
      return started;
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      // The function, version or alias has been deleted.
      this.trace.finished(requestId, 'error', 0, ids);
      return undefined;
    }
  }

  /** Sends the message about discarded records to the destination, if there is one. */
  discard(batch: StreamBatch, condition: DiscardCondition): void {
    const { stream, context, target } = this;
    const { functionArn, roleArn } = target.configuration;
    const requestId = context.random.uuid();
    const named = target.qualifier === undefined ? functionArn : qualified(functionArn, target.qualifier);
    const { records, invocations, last } = batch;
    const discarded = { records, requestId, functionArn: named, condition, invocations, last };
    const body = discardedMessage(discarded, this.configuration.queueArn, context.timeline.nowMs);
    this.metrics.count('DroppedEventCount', records.length);
    const destinationArn = stream.onFailureArn;
    const about = { functionArn, requestId };
    let isKept = false;
    if (destinationArn !== undefined) {
      try {
        const record = { body, isSuccess: false, functionArn: named };
        this.dependencies.sender.sendRecord(destinationArn, roleCaller(roleArn), record);
        this.metrics.count('OnFailureDestinationDeliveredEventCount', records.length);
        isKept = true;
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        const { code, reason } = error;
        context.trace.record({ type: 'lambda.destination-failed', ...about, targetArn: destinationArn, code, reason });
      }
    }
    this.trace.discarded(requestId, condition, idsOf(records), isKept ? destinationArn : undefined);
  }

  private get source(): StreamSource {
    const { roleArn } = this.target.configuration;
    return { streamArn: this.configuration.queueArn, region: this.context.place.region, roleArn };
  }

  private untaken(): readonly StreamRecord[] {
    const records = this.dependencies.streams.recordsOf(this.configuration.queueArn);
    return records.filter(record => this.isWanted(record));
  }

  /** Takes new records, if the function's role still may read them. If not, it reads all that are new after a pause. */
  private read(records: readonly StreamRecord[]): void {
    if (this.pause || records.length === 0) return;
    const refusal = this.refusal();
    if (!refusal) {
      this.trace.receiveAccepted();
      this.take(records);
      return;
    }
    this.trace.receiveRejected(refusal, 'GetRecords');
    this.pause = this.timeline.inBackground(this.timeline.nowMs + REFUSED_PAUSE_MS, () => {
      this.pause = undefined;
      this.read(this.untaken());
    });
  }

  private refusal(): AwsError | undefined {
    const resource = this.configuration.queueArn;
    const action = `${streamServiceOf(resource)}:GetRecords`;
    try {
      const caller = executionRole(this.dependencies.roles, this.target.configuration.roleArn);
      const { allowed, reason } = this.context.access.decide({ caller, action, resource });
      if (allowed) return undefined;
      return new AccessRefused('AccessDeniedException', `The role may not call ${action} on ${resource}`, 400, reason);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return error;
    }
  }

  private take(records: readonly StreamRecord[]): void {
    if (records.length === 0) return;
    this.taken = records.at(-1)?.sequenceNumber;
    this.metrics.count('PolledEventCount', records.length);
    const filter = new RecordFilter(this.configuration.filters, this.source);
    const wanted = records.filter(record => filter.passes(record));
    const unwanted = idsOf(records.filter(record => !wanted.includes(record)));
    this.metrics.count('FilteredOutEventCount', unwanted.length);
    if (unwanted.length > 0) this.trace.filteredOut(unwanted);
    for (const record of wanted) this.laneOf(record).add([record]);
  }

  /** Records that a starting mapping still has to read. */
  private isWanted({ sequenceNumber, arrivedAtMs }: StreamRecord): boolean {
    if (this.taken !== undefined) return sequenceNumber > this.taken;
    const { startingPosition, startingAtMs = 0 } = this.stream;
    return startingPosition === 'TRIM_HORIZON' || (startingPosition === 'AT_TIMESTAMP' && arrivedAtMs >= startingAtMs);
  }

  private laneOf({ shardId, partitionKey }: StreamRecord): ShardLane {
    const { parallelizationFactor } = this.stream;
    const name = `${shardId}/${hashOf(partitionKey) % parallelizationFactor}`;
    const known = this.lanes.get(name);
    if (known) return known;
    const lane = new ShardLane(this);
    this.lanes.set(name, lane);
    return lane;
  }

  private reportAge(records: readonly StreamRecord[]): void {
    const arrivedAtMs = records.at(-1)?.arrivedAtMs ?? this.timeline.nowMs;
    this.target.metrics.milliseconds('IteratorAge', this.timeline.nowMs - arrivedAtMs);
  }
}

const idsOf = (records: readonly StreamRecord[]): readonly string[] => records.map(record => record.sequenceNumber);

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
