import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Scheduled } from '../../kernel/timeline';
import type { FunctionTarget } from '../function/function-target';
import type { Outcome } from '../invocation';
import type { LambdaContext, Queues } from '../ports';
import { headerOfBatch } from '../trace-header';
import { failedMessages } from './batch-result';
import { batchVisibilitySeconds, isFifo, type MappingConfiguration } from './mapping-configuration';
import { MappingMetrics } from './mapping-metrics';
import { MessageFilter } from './message-filter';
import { batchesThatFit } from './open-batch';
import { MOST_MESSAGES, QueueClient } from './queue-client';
import { concurrentBatches, MOST_CONCURRENT_BATCHES } from './scaling';
import { sqsEvent } from './sqs-event';

/** How long a mapping waits after a queue, or the function's concurrency, turned it away. AWS publishes none: our choice. */
const REFUSED_PAUSE_MS = 20_000;
const FIRST_THROTTLED_PAUSE_MS = 1000;
const LONGEST_THROTTLED_PAUSE_MS = 60_000;

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
  private readonly queue: QueueClient;
  private readonly filter: MessageFilter;
  private readonly metrics: MappingMetrics;
  private stopListening: (() => void) | undefined;
  private running = 0;
  private waiting: Message[] = [];
  private window: Scheduled | undefined;
  private pause: Scheduled | undefined;
  private isWaiting = false;
  private growth: Scheduled | undefined;
  private throttles = 0;
  private busySinceMs: number | undefined;

  /** @throws EventPatternError for a filter that is none */
  constructor(
    private readonly uuid: string,
    readonly configuration: MappingConfiguration,
    readonly target: FunctionTarget,
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
  ) {
    const { queueArn, filters, countsEvents } = configuration;
    this.queue = new QueueClient(sqs, queueArn, () => target.configuration.roleArn);
    this.filter = new MessageFilter(filters, this.source);
    this.metrics = new MappingMetrics(uuid, context.metrics, countsEvents);
  }

  get isPolling(): boolean {
    return this.stopListening !== undefined;
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

  private get source() {
    return { queueArn: this.configuration.queueArn, region: this.context.place.region };
  }

  private get about() {
    const { queueArn } = this.configuration;
    return { mappingId: this.uuid, functionArn: this.target.deployed.arn, queueArn } as const;
  }

  /** Receives for as long as there are messages and room for a batch. */
  private poll(): void {
    while (this.isPolling && !this.pause && !this.isWaiting && this.hasRoom()) {
      const messages = this.receive();
      if (!messages) return;
      this.metrics.count('PolledEventCount', messages.length);
      if (messages.length === 0) {
        if (this.running === 0 && this.waiting.length === 0) this.busySinceMs = undefined;
        return;
      }
      this.busySinceMs ??= this.context.timeline.nowMs;
      if (this.queue.receivedAfterMs > 0) this.collectLater(messages, this.queue.receivedAfterMs);
      else this.collect(this.wanted(messages));
    }
  }

  /** The queue is slow: its answer is on its way, and the mapping asks for nothing more meanwhile. */
  private collectLater(messages: readonly Message[], latencyMs: number): void {
    this.isWaiting = true;
    this.context.timeline.after(latencyMs, () => {
      this.isWaiting = false;
      this.collect(this.wanted(messages));
      this.poll();
    });
  }

  private hasRoom(): boolean {
    const { queueArn, maximumConcurrency = MOST_CONCURRENT_BATCHES } = this.configuration;
    if (isFifo(queueArn)) return this.running < maximumConcurrency;
    const { nowMs } = this.context.timeline;
    const busyMs = nowMs - (this.busySinceMs ?? nowMs);
    const limit = concurrentBatches(busyMs, maximumConcurrency);
    if (this.running < limit) return true;
    if (concurrentBatches(busyMs + 60_000, maximumConcurrency) > limit) this.growLater(busyMs);
    return false;
  }

  /** Looks again when scaling allows more batches. A batch that ends looks, too. */
  private growLater(busyMs: number): void {
    this.growth?.cancel();
    this.growth = this.context.timeline.after(60_000 - (busyMs % 60_000), () => this.poll());
  }

  /** Undefined where the queue turned it away. */
  private receive(): readonly Message[] | undefined {
    const { batchSize, maximumBatchingWindowSeconds: windowSeconds } = this.configuration;
    const count = Math.min(MOST_MESSAGES, batchSize - this.waiting.length);
    try {
      const visibilitySeconds = windowSeconds > 0 ? this.visibilitySeconds(windowSeconds) : undefined;
      return this.queue.receive(count, visibilitySeconds);
    } catch (error) {
      this.refused('ReceiveMessage', error);
      const { timeline } = this.context;
      this.pauseUntil(timeline.inBackground(timeline.nowMs + REFUSED_PAUSE_MS, () => this.resume()));
      return undefined;
    }
  }

  private visibilitySeconds(windowSeconds: number): number | undefined {
    const { timeoutSeconds } = this.target.configuration;
    return batchVisibilitySeconds(windowSeconds, timeoutSeconds, this.queue.visibilitySeconds());
  }

  /** The messages that match a filter; the others are deleted, and nobody is invoked for them. */
  private wanted(messages: readonly Message[]): readonly Message[] {
    if (this.configuration.filters.length === 0) return messages;
    const wanted = messages.filter(message => this.filter.passes(message));
    this.metrics.count('FilteredOutEventCount', messages.length - wanted.length);
    if (wanted.length === messages.length) return messages;
    const unwanted = messages.filter(message => !wanted.includes(message));
    const messageIds = idsOf(unwanted);
    this.context.trace.record({ type: 'lambda.messages-filtered-out', ...this.about, messageIds });
    this.delete(unwanted);
    return wanted;
  }

  /** Puts messages into the batch that is being filled, and sends that off when it is full or its window is over. */
  private collect(messages: readonly Message[]): void {
    const { batchSize, maximumBatchingWindowSeconds } = this.configuration;
    this.waiting.push(...messages);
    if (this.waiting.length === 0) return;
    if (maximumBatchingWindowSeconds === 0 || this.waiting.length >= batchSize) this.flush();
    else if (batchesThatFit(this.waiting).length > 1) this.flush();
    else this.window ??= this.context.timeline.after(maximumBatchingWindowSeconds * 1000, () => this.flush());
  }

  private flush(): void {
    this.window?.cancel();
    this.window = undefined;
    const messages = this.waiting;
    this.waiting = [];
    for (const batch of batchesThatFit(this.withoutLoops(messages))) this.dispatch(batch);
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

  private dispatch(messages: readonly Message[]): void {
    const batch: Batch = { requestId: this.context.random.uuid(), messages };
    this.running += 1;
    const { requestId } = batch;
    this.context.trace.record({ type: 'lambda.batch-received', ...this.about, requestId, messageIds: idsOf(messages) });
    this.context.timeline.after(0, () => this.invoke(batch));
  }

  private invoke(batch: Batch): Promise<void> | undefined {
    const { requestId, messages } = batch;
    const payload = sqsEvent(messages, this.source);
    const cause = headerOfBatch(messages.map(it => it.Attributes?.AWSTraceHeader));
    const traceHeader = this.target.deployed.traceHeader(cause);
    const invocation = { requestId, payload, traceHeader, trigger: 'EventSourceMapping', attempt: 1 } as const;
    this.metrics.count('InvokedEventCount', messages.length);
    try {
      const started = this.target.start(invocation, outcome => this.finished(batch, outcome));
      if (!started) this.notRun(batch, 'throttled');
      return started;
    } catch (error) {
      // The version or alias is gone.
      if (!(error instanceof AwsError)) throw error;
      this.notRun(batch, 'error');
      return undefined;
    }
  }

  private finished({ requestId, messages }: Batch, outcome: Outcome): void {
    this.running -= 1;
    this.throttles = 0;
    const failed = failedMessages(idsOf(messages), outcome, this.configuration.reportBatchItemFailures);
    const processed = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
    this.metrics.count('FailedInvokeEventCount', failed.size);
    const deleted = this.delete(processed);
    this.metrics.count('DeletedEventCount', deleted);
    const finished = { type: 'lambda.batch-finished', ...this.about, requestId, outcome: outcome.kind } as const;
    this.context.trace.record({ ...finished, deleted, failedMessageIds: [...failed] });
    this.poll();
  }

  private delete(messages: readonly Message[]): number {
    try {
      return this.queue.delete(messages);
    } catch (error) {
      this.refused('DeleteMessageBatch', error);
      return 0;
    }
  }

  /** The messages stay in flight until their visibility timeout is over; the mapping slows down meanwhile. */
  private notRun({ requestId, messages }: Batch, outcome: NotRun): void {
    this.running -= 1;
    const pauseMs = Math.min(FIRST_THROTTLED_PAUSE_MS * 2 ** this.throttles, LONGEST_THROTTLED_PAUSE_MS);
    this.throttles += 1;
    this.metrics.count('FailedInvokeEventCount', messages.length);
    const finished = { type: 'lambda.batch-finished', ...this.about, requestId, outcome } as const;
    this.context.trace.record({ ...finished, deleted: 0, failedMessageIds: idsOf(messages) });
    this.pauseUntil(this.context.timeline.after(pauseMs, () => this.resume()));
  }

  private pauseUntil(end: Scheduled): void {
    this.pause?.cancel();
    this.pause = end;
  }

  private resume(): void {
    this.pause = undefined;
    this.poll();
  }

  private refused(action: 'ReceiveMessage' | 'DeleteMessageBatch', error: unknown): void {
    if (!(error instanceof AwsError)) throw error;
    const { code, message: reason } = error;
    this.context.trace.record({ type: 'lambda.queue-refused', ...this.about, action, code, reason });
  }
}

const idsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ MessageId = '' }) => MessageId);
