import type { Message } from '@aws-sdk/client-sqs';
import type { RoleTrust } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import { afterLatency } from '../../kernel/caller';
import type { Scheduled } from '../../kernel/timeline';
import { isThrottle } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Outcome } from '../invocation';
import type { Queues } from '../ports';
import type { LambdaContext } from '../trace-events';
import { headerOfBatch } from '../trace-header';
import { failedMessages, MessageFilter, type MessageSource, OpenBatch, sqsEvent } from './batch';
import type { MappingConfiguration } from './mapping-configuration';
import { MappingMetrics, MappingTrace } from './mapping-telemetry';
import { QueueClient, REFUSED_PAUSE_MS, Receiver } from './queue-client';
import { BatchConcurrency, ThreadShare } from './scaling';

interface Batch {
  readonly requestId: string;
  readonly messages: readonly Message[];
}

/** Why a batch was not run. */
type NotRun = 'throttled' | 'error';

/**
 * Does the work of an event source mapping: receives messages and invokes the function. It never polls periodically.
 * The queue notifies it of receivable messages, and the end of a batch makes room for another. The queue itself
 * preserves the order of FIFO groups: it returns no messages of a group that has messages in flight.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class Poller {
  private readonly source: MessageSource;
  private readonly trace: MappingTrace;
  private readonly queue: QueueClient;
  private readonly receiver: Receiver;
  private readonly filter: MessageFilter;
  private readonly metrics: MappingMetrics;
  private readonly concurrency: BatchConcurrency;
  private readonly threads: ThreadShare;
  private readonly open = new OpenBatch();
  /** The function's role. Kept when the function is deleted, to delete the messages it has processed. */
  private roleArn: string;
  private stopListening: (() => void) | undefined;
  private window: Scheduled | undefined;
  private pause: Scheduled | undefined;
  private growth: Scheduled | undefined;
  private isWaiting = false;
  /** The poller that this one replaced, and the one that replaced this one. */
  private predecessor: Poller | undefined;
  private successor: Poller | undefined;

  /** @throws EventPatternError for an invalid filter */
  constructor(
    uuid: string,
    readonly configuration: MappingConfiguration,
    readonly target: FunctionTarget,
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
    roles: RoleTrust,
  ) {
    const { queueArn, filters, countsEvents } = configuration;
    this.source = { queueArn, region: context.place.region };
    this.roleArn = target.configuration.roleArn;
    this.trace = new MappingTrace(uuid, queueArn, target, context.trace);
    this.queue = new QueueClient({ sqs, roles }, queueArn, () => this.roleArn);
    this.receiver = new Receiver(this.queue, configuration, target, this.trace, () => this.poll());
    this.filter = new MessageFilter(filters, this.source);
    this.metrics = new MappingMetrics(uuid, context.metrics, countsEvents);
    this.concurrency = new BatchConcurrency(configuration, () => this.predecessor?.running ?? 0);
    this.threads = new ThreadShare(
      target.deployed.environments.threads,
      () => this.poll(),
      () => this.trace.threadsExhausted(),
    );
  }

  get isPolling(): boolean {
    return this.stopListening !== undefined;
  }

  /** Running batches of this poller and of those it replaced. */
  get running(): number {
    const before = this.predecessor?.running ?? 0;
    if (before === 0) this.predecessor = undefined;
    return this.concurrency.running + before;
  }

  /** Replaces another poller. Its running batches count towards the concurrency limit. */
  takeOver(predecessor: Poller): void {
    predecessor.stop();
    predecessor.successor = this;
    this.predecessor = predecessor;
  }

  start(): void {
    if (this.isPolling) return;
    this.stopListening = this.sqs.whenReceivable(this.configuration.queueArn, () => this.poll());
  }

  /** Stops receiving. Received messages are still processed. */
  stop(): void {
    if (!this.isPolling) return;
    this.stopListening?.();
    this.stopListening = undefined;
    this.growth?.cancel();
  }

  /** Receives while there are messages and room for a batch. */
  private poll(): void {
    while (this.mayReceive()) {
      this.roleArn = this.target.configuration.roleArn;
      const { result, latency } = this.receiver.receive(this.open.size);
      if (latency.ms > 0) {
        this.isWaiting = true;
        // The response is delayed by latency. The mapping sends no other request until it arrives.
        afterLatency(this.context.timeline, latency, () => {
          this.isWaiting = false;
          if (this.take(result)) this.poll();
        });
      } else if (!this.take(result)) return;
    }
  }

  private mayReceive(): boolean {
    if (!this.isPolling || this.pause || this.isWaiting || !this.receiver.hasFunction()) return false;
    if (this.concurrency.hasRoom(this.context.timeline.nowMs)) return this.threads.mayReceive();
    this.growLater();
    return false;
  }

  /** Polls again when scaling allows more batches. The end of a batch polls, too. */
  private growLater(): void {
    const { timeline } = this.context;
    const growsInMs = this.concurrency.growsInMs(timeline.nowMs);
    if (growsInMs === undefined) return;
    this.growth?.cancel();
    this.growth = timeline.after(growsInMs, () => this.poll());
  }

  /** Handles the response to a receive request. @returns whether to receive again */
  private take(received: readonly Message[] | AwsError): boolean {
    if (received instanceof AwsError) {
      this.trace.receiveRejected(received);
      const { timeline } = this.context;
      this.pauseUntil(timeline.inBackground(timeline.nowMs + REFUSED_PAUSE_MS, () => this.resume()));
      return false;
    }
    this.trace.receiveAccepted();
    this.metrics.count('PolledEventCount', received.length);
    if (received.length > 0) this.collect(this.withoutLoops(this.wanted(received)));
    else this.noteIdle();
    return received.length > 0;
  }

  private noteIdle(): void {
    if (this.concurrency.running > 0 || this.open.size > 0) return;
    this.concurrency.queueEmpty();
    this.trace.idle();
  }

  /** Returns the messages that match a filter. Deletes the others without invoking the function. */
  private wanted(messages: readonly Message[]): readonly Message[] {
    if (this.configuration.filters.length === 0) return messages;
    const wanted = messages.filter(message => this.filter.passes(message));
    this.metrics.count('FilteredOutEventCount', messages.length - wanted.length);
    if (wanted.length === messages.length) return messages;
    const unwanted = messages.filter(message => !wanted.includes(message));
    this.trace.filteredOut(idsOf(unwanted));
    this.delete(unwanted, () => {});
    return wanted;
  }

  /**
   * Lambda does not invoke the function for messages that are part of a loop. They stay in flight until their receive
   * count moves them to the dead-letter queue. **Assumption LAMBDA-10:** AWS does not publish what happens to the rest
   * of their batch. Here it is processed.
   */
  private withoutLoops(messages: readonly Message[]): readonly Message[] {
    const { deployed } = this.target;
    const looping = messages.filter(message => deployed.isLoop(message.Attributes?.AWSTraceHeader));
    if (looping.length === 0) return messages;
    const requestId = this.context.random.uuid();
    this.target.stopLoop({ requestId, trigger: 'EventSourceMapping', messageIds: idsOf(looping) });
    return messages.filter(message => !looping.includes(message));
  }

  /** Adds messages to the open batch, and invokes the function when it is full or its window is over. */
  private collect(messages: readonly Message[]): void {
    const { open } = this;
    const { batchSize, maximumBatchingWindowSeconds: windowSeconds } = this.configuration;
    open.add(messages);
    if (open.size === 0) return;
    if (windowSeconds === 0 || open.size >= batchSize || open.overflows) this.flush();
    else this.window ??= this.context.timeline.after(windowSeconds * 1000, () => this.flush());
  }

  private flush(): void {
    this.window?.cancel();
    this.window = undefined;
    for (const messages of this.open.take()) this.dispatch(messages);
  }

  private dispatch(messages: readonly Message[]): void {
    const { timeline, random } = this.context;
    const batch: Batch = { requestId: random.uuid(), messages };
    this.concurrency.begin(timeline.nowMs);
    this.threads.reserve();
    this.trace.received(batch.requestId, idsOf(messages));
    timeline.after(0, () => this.threads.start(() => this.invoke(batch)));
  }

  private invoke(batch: Batch): Promise<void> | undefined {
    const unavailable = this.target.unavailable();
    if (unavailable) {
      this.notRun(batch, isThrottle(unavailable) ? 'throttled' : 'error');
      return undefined;
    }
    const { requestId, messages } = batch;
    const payload = sqsEvent(messages, this.source);
    const cause = headerOfBatch(messages.map(it => it.Attributes?.AWSTraceHeader));
    const traceHeader = this.target.deployed.traceHeader(cause);
    const invocation = { requestId, payload, traceHeader, trigger: 'EventSourceMapping', attempt: 1 } as const;
    try {
      const started = this.target.start(invocation, outcome => this.finished(batch, outcome));
      if (started) this.metrics.count('InvokedEventCount', messages.length);
      else this.notRun(batch, 'throttled');
      return started;
    } catch (error) {
      if (!(error instanceof AwsError)) {
        this.concurrency.end();
        throw error;
      }
      // The version or alias has been deleted.
      this.notRun(batch, 'error');
      return undefined;
    }
  }

  private finished({ requestId, messages }: Batch, outcome: Outcome): void {
    this.concurrency.functionRan();
    const failed = failedMessages(idsOf(messages), outcome, this.configuration.reportBatchItemFailures);
    const processed = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
    this.metrics.count('FailedInvokeEventCount', failed.size);
    this.delete(processed, deleted => {
      this.concurrency.end();
      this.metrics.count('DeletedEventCount', deleted);
      this.trace.finished(requestId, outcome.kind, deleted, [...failed]);
      this.current.poll();
    });
  }

  /** Deletes messages. Calls `next` with their number once the queue has answered. */
  private delete(messages: readonly Message[], next: (deleted: number) => void): void {
    const { result, latency } = this.queue.delete(messages);
    afterLatency(this.context.timeline, latency, () => {
      if (result.rejected) this.trace.deleteRejected(result.rejected);
      next(result.deleted);
    });
  }

  /**
   * The function did not run. The messages stay in flight until their visibility timeout is over, and the mapping slows
   * down.
   */
  private notRun({ requestId, messages }: Batch, outcome: NotRun): void {
    this.concurrency.end();
    // AWS documents that a throttled event counts in InvokedEventCount again. An event that was not run for another
    // reason counts only as failed.
    if (outcome === 'throttled') this.metrics.count('InvokedEventCount', messages.length);
    this.metrics.count('FailedInvokeEventCount', messages.length);
    this.trace.finished(requestId, outcome, 0, idsOf(messages));
    this.pauseUntil(this.context.timeline.after(this.concurrency.pauseAfterFailureMs(), () => this.resume()));
  }

  /** The latest poller of the mapping. */
  private get current(): Poller {
    return this.successor?.current ?? this;
  }

  private pauseUntil(end: Scheduled): void {
    this.pause?.cancel();
    this.pause = end;
  }

  private resume(): void {
    this.pause = undefined;
    this.current.poll();
  }
}

const idsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ MessageId = '' }) => MessageId);
