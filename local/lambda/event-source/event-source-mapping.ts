import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Scheduled } from '../../kernel/timeline';
import type { DeployedFunction } from '../deployed-function';
import type { Outcome } from '../invocation';
import type { LambdaContext, Queues } from '../ports';
import { headerOfBatch } from '../trace-header';
import { failedMessages } from './batch-result';
import { batchVisibilitySeconds, type MappingConfiguration } from './mapping-configuration';
import { batchesThatFit } from './open-batch';
import { MOST_MESSAGES, QueueClient } from './queue-client';
import { concurrentBatches } from './scaling';
import { sqsEvent } from './sqs-event';

/** How long a mapping waits after a queue, or the function's concurrency, turned it away. AWS publishes none: our choice. */
const REFUSED_PAUSE_MS = 20_000;
const FIRST_THROTTLED_PAUSE_MS = 1000;
const LONGEST_THROTTLED_PAUSE_MS = 60_000;

interface Batch {
  readonly requestId: string;
  readonly messages: readonly Message[];
}

/**
 * An event source mapping between a standard queue and a function. It never polls on a tick: the queue tells it when there
 * is something to receive, and the end of a batch tells it that there is room for another.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class EventSourceMapping {
  private readonly queue: QueueClient;
  private stopListening: (() => void) | undefined;
  private running = 0;
  private waiting: Message[] = [];
  private window: Scheduled | undefined;
  private pause: Scheduled | undefined;
  private growth: Scheduled | undefined;
  private throttles = 0;
  private busySinceMs: number | undefined;

  constructor(
    readonly uuid: string,
    readonly configuration: MappingConfiguration,
    private readonly deployed: DeployedFunction,
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
  ) {
    this.queue = new QueueClient(sqs, configuration.queueArn, deployed.configuration.roleArn);
  }

  get functionArn(): string {
    return this.deployed.arn;
  }

  get enabled(): boolean {
    return this.stopListening !== undefined;
  }

  /** Begins to receive. AWS takes up to a minute for it; this takes effect at once. */
  enable(): void {
    if (this.enabled) return;
    this.stopListening = this.sqs.whenReceivable(this.configuration.queueArn, () => this.poll());
    this.context.trace.record({ type: 'lambda.mapping-enabled', ...this.about });
  }

  /** Receives nothing more. What has been received is still processed. */
  disable(): void {
    if (!this.enabled) return;
    this.stopListening?.();
    this.stopListening = undefined;
    this.growth?.cancel();
    this.context.trace.record({ type: 'lambda.mapping-disabled', ...this.about });
  }

  private get about() {
    return { mappingId: this.uuid, functionArn: this.deployed.arn, queueArn: this.configuration.queueArn } as const;
  }

  /** Receives for as long as there are messages and room for a batch. */
  private poll(): void {
    while (this.enabled && !this.pause && this.hasRoom()) {
      const messages = this.receive();
      if (messages.length === 0) {
        if (this.running === 0 && this.waiting.length === 0) this.busySinceMs = undefined;
        return;
      }
      this.busySinceMs ??= this.context.timeline.nowMs;
      this.collect(messages);
    }
  }

  private hasRoom(): boolean {
    const { nowMs } = this.context.timeline;
    const busyMs = nowMs - (this.busySinceMs ?? nowMs);
    const { maximumConcurrency } = this.configuration;
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

  private receive(): readonly Message[] {
    const { batchSize, maximumBatchingWindowSeconds } = this.configuration;
    const count = Math.min(MOST_MESSAGES, batchSize - this.waiting.length);
    const { timeoutSeconds } = this.deployed.configuration;
    try {
      const ownSeconds = maximumBatchingWindowSeconds > 0 ? this.queue.visibilitySeconds() : 0;
      const visibilitySeconds = batchVisibilitySeconds(maximumBatchingWindowSeconds, timeoutSeconds, ownSeconds);
      return this.queue.receive(count, visibilitySeconds);
    } catch (error) {
      this.refused('ReceiveMessage', error);
      const { timeline } = this.context;
      this.pauseUntil(timeline.inBackground(timeline.nowMs + REFUSED_PAUSE_MS, () => this.resume()));
      return [];
    }
  }

  /** Puts messages into the batch that is being filled, and sends that off when it is full or its window is over. */
  private collect(messages: readonly Message[]): void {
    const { batchSize, maximumBatchingWindowSeconds } = this.configuration;
    this.waiting.push(...messages);
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
    const looping = messages.filter(message => this.deployed.isLoop(message.Attributes?.AWSTraceHeader));
    if (looping.length === 0) return messages;
    const requestId = this.context.random.uuid();
    this.deployed.stopLoop({ requestId, trigger: 'EventSourceMapping', messageIds: idsOf(looping) });
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
    const payload = sqsEvent(messages, this.configuration.queueArn, this.context.place.region);
    const traceHeader = this.deployed.traceHeader(headerOfBatch(messages.map(it => it.Attributes?.AWSTraceHeader)));
    const invocation = { requestId, payload, traceHeader, trigger: 'EventSourceMapping', attempt: 1 } as const;
    const started = this.deployed.start(invocation, outcome => this.finished(batch, outcome));
    if (!started) this.throttled(batch);
    return started;
  }

  private finished({ requestId, messages }: Batch, outcome: Outcome): void {
    this.running -= 1;
    this.throttles = 0;
    const failed = failedMessages(idsOf(messages), outcome, this.configuration.reportBatchItemFailures);
    const processed = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
    const deleted = this.delete(processed);
    const finished = { type: 'lambda.batch-finished', ...this.about, requestId, outcome: outcome.kind } as const;
    this.context.trace.record({ ...finished, deleted, failedMessageIds: [...failed] });
    this.poll();
  }

  private delete(messages: readonly Message[]): number {
    try {
      this.queue.delete(messages);
      return messages.length;
    } catch (error) {
      this.refused('DeleteMessageBatch', error);
      return 0;
    }
  }

  /** The messages stay in flight until their visibility timeout is over; the mapping slows down meanwhile. */
  private throttled({ requestId, messages }: Batch): void {
    this.running -= 1;
    const pauseMs = Math.min(FIRST_THROTTLED_PAUSE_MS * 2 ** this.throttles, LONGEST_THROTTLED_PAUSE_MS);
    this.throttles += 1;
    const finished = { type: 'lambda.batch-finished', ...this.about, requestId, outcome: 'throttled' } as const;
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
