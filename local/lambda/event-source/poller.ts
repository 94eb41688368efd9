import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { afterLatency } from '../../kernel/caller';
import type { Scheduled } from '../../kernel/timeline';
import { isThrottle } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Outcome } from '../invocation';
import type { LambdaContext, Queues } from '../ports';
import { headerOfBatch } from '../trace-header';
import { failedMessages, MessageFilter, type MessageSource, OpenBatch, sqsEvent } from './batch';
import type { MappingConfiguration } from './mapping-configuration';
import { MappingMetrics, MappingTrace } from './mapping-telemetry';
import { QueueClient, Receiver } from './queue-client';
import { BatchConcurrency, ThreadShare } from './scaling';

/** How long a mapping waits after a queue turned it away. AWS publishes none: our choice. */
const REFUSED_PAUSE_MS = 20_000;

interface Batch {
  readonly requestId: string;
  readonly messages: readonly Message[];
}

/** A batch that never ran. */
type NotRun = 'throttled' | 'error';

/**
 * Feeds a function from a queue, as an event source mapping says. It never polls on a tick: the queue tells it when there
 * is something to receive, and the end of a batch tells it that there is room for another. Of a FIFO queue the order, and
 * one batch at a time of each group, is the queue's own doing: a group with messages in flight gives no more of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class Poller {
  private readonly source: MessageSource;
  private readonly journal: MappingTrace;
  private readonly queue: QueueClient;
  private readonly receiver: Receiver;
  private readonly filter: MessageFilter;
  private readonly metrics: MappingMetrics;
  private readonly concurrency: BatchConcurrency;
  private readonly threads: ThreadShare;
  private readonly open = new OpenBatch();
  /** The function's, for as long as there is one; what it leaves behind is still deleted as that. */
  private roleArn: string;
  private stopListening: (() => void) | undefined;
  private window: Scheduled | undefined;
  private pause: Scheduled | undefined;
  private growth: Scheduled | undefined;
  private isWaiting = false;
  /** Whom it took over from, and who has taken over. */
  private predecessor: Poller | undefined;
  private successor: Poller | undefined;

  /** @throws EventPatternError for a filter that is none */
  constructor(
    uuid: string,
    readonly configuration: MappingConfiguration,
    readonly target: FunctionTarget,
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
  ) {
    const { queueArn, filters, countsEvents } = configuration;
    this.source = { queueArn, region: context.place.region };
    this.roleArn = target.configuration.roleArn;
    this.journal = new MappingTrace(uuid, queueArn, target, context.trace);
    this.queue = new QueueClient(sqs, queueArn, () => this.roleArn);
    this.receiver = new Receiver(this.queue, configuration, target, this.journal, () => this.poll());
    this.filter = new MessageFilter(filters, this.source);
    this.metrics = new MappingMetrics(uuid, context.metrics, countsEvents);
    this.concurrency = new BatchConcurrency(configuration, () => this.predecessor?.running ?? 0);
    this.threads = new ThreadShare(
      target.deployed.fleet.threads,
      () => this.poll(),
      () => this.journal.threadsExhausted(),
    );
  }

  get isPolling(): boolean {
    return this.stopListening !== undefined;
  }

  /** Batches in the function, of this one and of those before it. */
  get running(): number {
    const before = this.predecessor?.running ?? 0;
    if (before === 0) this.predecessor = undefined;
    return this.concurrency.running + before;
  }

  /** Goes on in place of another, whose batches count towards how many there may be. */
  takeOver(predecessor: Poller): void {
    predecessor.stop();
    predecessor.successor = this;
    this.predecessor = predecessor;
  }

  start(): void {
    if (this.isPolling) return;
    this.stopListening = this.sqs.whenReceivable(this.configuration.queueArn, () => this.poll());
  }

  /** Receives nothing more. What has been received is still processed. */
  stop(): void {
    if (!this.isPolling) return;
    this.stopListening?.();
    this.stopListening = undefined;
    this.growth?.cancel();
  }

  /** Receives for as long as there are messages and room for a batch. */
  private poll(): void {
    while (this.mayReceive()) {
      this.roleArn = this.target.configuration.roleArn;
      const { result, latency } = this.receiver.receive(this.open.size);
      if (latency.ms > 0) {
        this.isWaiting = true;
        // The queue is slow: its answer is on its way, and the mapping asks for nothing more meanwhile.
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

  /** Looks again when scaling allows more batches. A batch that ends looks, too. */
  private growLater(): void {
    const { timeline } = this.context;
    const growsInMs = this.concurrency.growsInMs(timeline.nowMs);
    if (growsInMs === undefined) return;
    this.growth?.cancel();
    this.growth = timeline.after(growsInMs, () => this.poll());
  }

  /** Takes what the queue has answered. @returns whether to ask for more */
  private take(received: readonly Message[] | AwsError): boolean {
    if (received instanceof AwsError) {
      this.journal.notReceived(received);
      const { timeline } = this.context;
      this.pauseUntil(timeline.inBackground(timeline.nowMs + REFUSED_PAUSE_MS, () => this.resume()));
      return false;
    }
    this.journal.asked();
    this.metrics.count('PolledEventCount', received.length);
    if (received.length > 0) this.collect(this.withoutLoops(this.wanted(received)));
    else this.noteIdle();
    return received.length > 0;
  }

  private noteIdle(): void {
    if (this.concurrency.running > 0 || this.open.size > 0) return;
    this.concurrency.queueEmpty();
    this.journal.idle();
  }

  /** The messages that match a filter; the others are deleted, and nobody is invoked for them. */
  private wanted(messages: readonly Message[]): readonly Message[] {
    if (this.configuration.filters.length === 0) return messages;
    const wanted = messages.filter(message => this.filter.passes(message));
    this.metrics.count('FilteredOutEventCount', messages.length - wanted.length);
    if (wanted.length === messages.length) return messages;
    const unwanted = messages.filter(message => !wanted.includes(message));
    this.journal.filteredOut(idsOf(unwanted));
    this.delete(unwanted, () => {});
    return wanted;
  }

  /**
   * Lambda is not invoked for messages that come out of a loop: they stay in flight, and their receive count takes them to
   * the dead-letter queue. AWS does not say what becomes of the rest of their batch; by our choice it is processed.
   */
  private withoutLoops(messages: readonly Message[]): readonly Message[] {
    const { deployed } = this.target;
    const looping = messages.filter(message => deployed.isLoop(message.Attributes?.AWSTraceHeader));
    if (looping.length === 0) return messages;
    const requestId = this.context.random.uuid();
    this.target.stopLoop({ requestId, trigger: 'EventSourceMapping', messageIds: idsOf(looping) });
    return messages.filter(message => !looping.includes(message));
  }

  /** Puts messages into the batch that is being filled, and sends that off when it is full or its window is over. */
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
    this.threads.expect();
    this.journal.received(batch.requestId, idsOf(messages));
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
      // The version or alias is gone.
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
      this.journal.finished(requestId, outcome.kind, deleted, [...failed]);
      this.current.poll();
    });
  }

  /** Goes on, with how many were deleted, once the queue has answered. */
  private delete(messages: readonly Message[], next: (deleted: number) => void): void {
    const { result, latency } = this.queue.delete(messages);
    afterLatency(this.context.timeline, latency, () => {
      if (result.refused) this.journal.notDeleted(result.refused);
      next(result.deleted);
    });
  }

  /** The messages stay in flight until their visibility timeout is over; the mapping slows down meanwhile. */
  private notRun({ requestId, messages }: Batch, outcome: NotRun): void {
    this.concurrency.end();
    // AWS names throttling among what makes an event count twice as invoked; what else does not run counts as failed only.
    if (outcome === 'throttled') this.metrics.count('InvokedEventCount', messages.length);
    this.metrics.count('FailedInvokeEventCount', messages.length);
    this.journal.finished(requestId, outcome, 0, idsOf(messages));
    this.pauseUntil(this.context.timeline.after(this.concurrency.pauseAfterFailureMs(), () => this.resume()));
  }

  /** Who receives now. */
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
