import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/service-api';
import { ResourceTags } from '../kernel/tags';
import { queueDoesNotExist } from './errors';
import { Fifo, renameForDeadLetterQueue } from './fifo';
import { type Accepted, Message, type SentMessage } from './message';
import { MessageStore } from './message-store';
import { QueueMetrics } from './metrics';
import { type AttributeMap, type QueueSettings, queueTags, settingsOf } from './queue-attributes';
import { Gauges, NextExpiry, NextReturn } from './queue-timers';
import type { Receivers } from './receivers';
import { StandardOrder } from './standard-order';
import { QueueTrace, type SqsContext } from './trace-events';

export interface QueueIdentity {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
}

/** What a queue needs of the others: its dead-letter queue is one of them. */
export interface QueueDirectory {
  findByArn(arn: string): Queue | undefined;
}

/** One queue: its messages, and the due work that makes them visible again and lets them expire. */
export class Queue implements Resource {
  /** What only a FIFO queue has. */
  readonly fifo: Fifo | undefined;
  readonly store: MessageStore;
  readonly metrics: QueueMetrics;
  readonly tags: ResourceTags;
  readonly createdAtMs: number;
  lastModifiedMs: number;
  lastPurgedMs = Number.NEGATIVE_INFINITY;
  private readonly trace: QueueTrace;
  private readonly gauges: Gauges;
  private own: { readonly attributes: AttributeMap; readonly settings: QueueSettings };
  private readonly nextReturn: NextReturn;
  private readonly nextExpiry: NextExpiry;

  constructor(
    readonly identity: QueueIdentity,
    attributes: AttributeMap,
    readonly receivers: Receivers,
    private readonly directory: QueueDirectory,
    private readonly context: SqsContext,
  ) {
    const settings = settingsOf(attributes);
    this.tags = new ResourceTags(queueTags(identity.name));
    this.own = { attributes, settings };
    this.fifo = settings.fifo && new Fifo(settings.fifo);
    this.store = new MessageStore(this.fifo?.order ?? new StandardOrder(context.timeline), () => receivers.announce());
    this.metrics = new QueueMetrics(identity.name, context.metrics);
    this.trace = new QueueTrace(identity.arn, context.trace);
    this.gauges = new Gauges(context.timeline, this.store, this.metrics, this.receivers);
    this.nextReturn = new NextReturn(context.timeline, () => this.returnDue());
    this.nextExpiry = new NextExpiry(context.timeline, () => this.expire());
    this.createdAtMs = context.timeline.nowMs;
    this.lastModifiedMs = this.createdAtMs;
  }

  get arn(): string {
    return this.identity.arn;
  }

  get attributes(): AttributeMap {
    return this.own.attributes;
  }

  get settings(): QueueSettings {
    return this.own.settings;
  }

  get policy(): PolicyDocument | undefined {
    return this.own.settings.policy;
  }

  /** From now on, also for the messages that are here already. */
  setAttributes(attributes: AttributeMap): void {
    const { delaySeconds } = this.settings;
    this.own = { attributes, settings: settingsOf(attributes) };
    this.lastModifiedMs = this.context.timeline.nowMs;
    this.expire();
    if (this.fifo) this.applyFifoSettings(this.fifo, this.settings, delaySeconds);
  }

  /** Somebody uses the queue: whatever is due at this very instant has happened before. */
  use(): void {
    this.expire();
    this.returnDue();
    this.gauges.touch();
  }

  /**
   * Takes a letter in, unless a FIFO queue has taken one of the same deduplication id in the last five minutes.
   *
   * @returns the message the sender is told of: the new one, or that earlier one
   */
  send(sent: SentMessage, delaySeconds: number): Accepted {
    const { nowMs } = this.context.timeline;
    const earlier = this.fifo?.deduplication.earlier(sent, nowMs);
    if (earlier) {
      this.metrics.put('NumberOfDeduplicatedSentMessages', 1);
      this.trace.deduplicated(earlier.id, sent.deduplicationId ?? '');
      return earlier;
    }
    return this.accept(sent, delaySeconds);
  }

  /** Takes a letter in, whatever was sent before. A later one of the same deduplication id is a duplicate of it. */
  accept(sent: SentMessage, delaySeconds: number): Message {
    const { nowMs } = this.context.timeline;
    const message = new Message(sent);
    this.admit(message, nowMs + delaySeconds * 1000);
    this.fifo?.deduplication.note(sent, message, nowMs);
    this.metrics.put('NumberOfMessagesSent', 1);
    this.metrics.put('SentMessageSize', sent.sizeBytes, 'Bytes');
    this.trace.sent(message, delaySeconds);
    return message;
  }

  /** Whether a receive would bring a message now. */
  hasReceivable(attemptId?: string): boolean {
    return this.store.isReceivable || this.receivedByAttempt(attemptId) !== undefined;
  }

  /**
   * Up to `max` messages that may be received, hidden from now on.
   *
   * @param attemptId on FIFO queues, the `ReceiveRequestAttemptId`: a repeated one brings the same messages
   */
  receive(max: number, visibilityTimeoutSeconds: number, attemptId?: string): readonly Message[] {
    const { nowMs } = this.context.timeline;
    const visibleAtMs = nowMs + visibilityTimeoutSeconds * 1000;
    const before = this.receivedByAttempt(attemptId);
    const received = before ?? this.receiveVisible(max, visibleAtMs);
    if (before) for (const message of before) this.store.hideUntil(message, nowMs, visibleAtMs);
    if (received.length === 0) return received;
    if (attemptId !== undefined) this.fifo?.attempts.note(attemptId, received, nowMs);
    for (const message of received) this.trace.received(message, visibilityTimeoutSeconds);
    this.metrics.put('NumberOfMessagesReceived', received.length);
    this.returnDue();
    return received;
  }

  changeVisibility(message: Message, visibilityTimeoutSeconds: number): void {
    const { nowMs } = this.context.timeline;
    this.store.hideUntil(message, nowMs, nowMs + visibilityTimeoutSeconds * 1000);
    this.planReturn();
    this.trace.visibilityChanged(message, visibilityTimeoutSeconds);
  }

  delete(message: Message): void {
    this.store.remove(message);
    this.planReturn();
    this.trace.deleted(message);
  }

  /** The visible message whose turn it is leaves the queue unreceived: whoever takes it says in the trace what becomes of it. */
  release(message: Message): void {
    this.store.remove(message);
    this.planReturn();
  }

  /** Every message goes. Answers how many that were. */
  empty(): number {
    const messages = this.store.removeAll();
    this.fifo?.deduplication.clear();
    this.planReturn();
    return messages;
  }

  /** The queue is deleted: nothing of it happens any more. Answers how many messages went with it. */
  close(): number {
    const messages = this.empty();
    this.nextExpiry.stop();
    this.gauges.stop();
    this.receivers.failPolls(queueDoesNotExist());
    return messages;
  }

  /** Takes in a message that comes from a sender, or from the queue whose dead-letter queue this is. */
  private admit(message: Message, visibleAtMs: number): void {
    const { nowMs } = this.context.timeline;
    message.arrivedAtMs = nowMs;
    this.fifo?.admit(message, nowMs);
    this.store.add(message, nowMs, visibleAtMs);
    this.gauges.touch();
    this.expire();
    if (visibleAtMs > nowMs) this.planReturn();
  }

  /**
   * Hides up to `max` visible messages. A message that has been received here `maxReceiveCount` times already goes to the
   * dead-letter queue instead: the move happens here and nowhere else, so a queue nobody reads moves nothing. Each message
   * that is here now is looked at once.
   *
   * AWS's limit is how often a message is received "from a source queue". Our choice for chains and rings of dead-letter
   * queues: each counts its own receives, although `ApproximateReceiveCount` goes on from one to the next.
   */
  private receiveVisible(max: number, visibleAtMs: number): readonly Message[] {
    const { nowMs } = this.context.timeline;
    const room = Math.min(max, this.store.remainingInFlight);
    const hidden: Message[] = [];
    for (let unseen = this.store.visibleCount; unseen > 0 && hidden.length < room; unseen -= 1) {
      const next = this.store.nextVisible(hidden.at(-1));
      if (!next) break;
      if (this.moveToDeadLetterQueue(next)) continue;
      this.store.receive(next, nowMs, visibleAtMs);
      hidden.push(next);
    }
    return hidden;
  }

  /** What an earlier receive of this attempt brought, as long as nothing has become of it. */
  private receivedByAttempt(attemptId: string | undefined): readonly Message[] | undefined {
    if (attemptId === undefined) return undefined;
    const { nowMs } = this.context.timeline;
    return this.fifo?.attempts.recall(attemptId, nowMs, message => this.store.find(message.id) === message);
  }

  /** Whether `message` was due for the dead-letter queue, and is there now. */
  private moveToDeadLetterQueue(message: Message): boolean {
    const policy = this.settings.redrivePolicy;
    if (!policy || message.receivesHere < policy.maxReceiveCount) return false;
    const target = this.directory.findByArn(policy.deadLetterTargetArn);
    // AWS does not say what becomes of a message whose dead-letter queue is gone, or is the queue it is in, which AWS
    // allows. Our choice: it stays, and is received.
    if (!target || target === this) return false;
    this.store.remove(message);
    message.deadLetterQueueSourceArn = this.arn;
    message.receivesHere = 0;
    if (this.fifo) renameForDeadLetterQueue(message);
    this.trace.deadLettered(message, policy);
    target.admit(message, this.context.timeline.nowMs);
    return true;
  }

  /** On a FIFO queue a new delay holds for the messages that are there too. */
  private applyFifoSettings(fifo: Fifo, settings: QueueSettings, oldDelaySeconds: number): void {
    const { nowMs } = this.context.timeline;
    if (settings.fifo) fifo.deduplication.changeScope(settings.fifo.deduplicationScope, nowMs);
    if (settings.delaySeconds === oldDelaySeconds) return;
    this.store.changeDelay(nowMs, settings.delaySeconds * 1000);
    this.planReturn();
  }

  private returnDue(): void {
    this.store.returnDue(this.context.timeline.nowMs);
    this.planReturn();
  }

  private planReturn(): void {
    this.nextReturn.plan(this.store.nextReturnMs());
  }

  private expire(): void {
    const { nowMs } = this.context.timeline;
    const { retentionSeconds } = this.settings;
    for (let first = this.store.firstToExpire(); first; first = this.store.firstToExpire()) {
      const expiresAtMs = first.keptFromMs + retentionSeconds * 1000;
      if (expiresAtMs > nowMs) {
        this.nextExpiry.plan(expiresAtMs);
        return;
      }
      this.store.remove(first);
      this.trace.expired(first, retentionSeconds);
      this.planReturn();
    }
  }
}
