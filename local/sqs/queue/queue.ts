import type { PolicyDocument } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/service-api';
import { ResourceTags } from '../../kernel/tags';
import { queueDoesNotExist } from '../errors';
import { type Accepted, Message, type SentMessage } from '../message/message';
import { Fifo, renameForDeadLetterQueue } from '../message-store/fifo';
import { MessageStore } from '../message-store/message-store';
import { StandardOrder } from '../message-store/standard-order';
import { QueueTrace, type SqsContext } from '../trace-events';
import { QueueMetrics } from './metrics';
import { type AttributeMap, type QueueSettings, queueTags, settingsOf } from './queue-attributes';
import { Gauges, NextExpiry, NextReturn } from './queue-timers';
import type { Receivers } from './receivers';

export interface QueueIdentity {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
}

/** Finds queues. A queue needs it to find its dead-letter queue. */
export interface QueueDirectory {
  findByArn(arn: string): Queue | undefined;
}

interface Receiving {
  readonly max: number;
  readonly timeoutSeconds: number;
  /** On FIFO queues, the `ReceiveRequestAttemptId`: repeating it returns the same messages. */
  readonly attemptId: string | undefined;
  /** @throws AwsError for a message that the caller may not read */
  readonly admit: (message: Message) => void;
}

function isAdmitted(message: Message, admit: Receiving['admit'], isAfterOthers: boolean): boolean {
  try {
    admit(message);
    return true;
  } catch (error) {
    if (isAfterOthers && error instanceof AwsError) return false;
    throw error;
  }
}

/** One queue: its messages, and the scheduled work that makes them visible again and expires them. */
export class Queue implements Resource {
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

  /** Applies to messages already in the queue, too. */
  setAttributes(attributes: AttributeMap): void {
    const { delaySeconds } = this.settings;
    this.own = { attributes, settings: settingsOf(attributes) };
    this.lastModifiedMs = this.context.timeline.nowMs;
    this.expire();
    if (this.fifo) this.applyFifoSettings(this.fifo, this.settings, delaySeconds);
  }

  /** Called before each API call: expires and returns the messages that are due at this instant. */
  use(): void {
    this.expire();
    this.returnDue();
    this.gauges.touch();
  }

  /**
   * Accepts a message. A FIFO queue ignores a duplicate of a message that it accepted in the last five minutes.
   * @returns the new message, or the earlier message of a duplicate
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

  /**
   * Accepts a message without checking for duplicates. Later messages with its deduplication id are duplicates of it.
   */
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

  /** Whether a receive would return a message now. */
  hasReceivable(attemptId?: string): boolean {
    return this.store.isReceivable || this.receivedByAttempt(attemptId) !== undefined;
  }

  /**
   * Receives up to `max` messages, and hides them.
   * @throws AwsError of `admit` for the first message
   */
  receive({ max, timeoutSeconds, attemptId, admit }: Receiving): readonly Message[] {
    const { nowMs } = this.context.timeline;
    const visibleAtMs = nowMs + timeoutSeconds * 1000;
    const before = this.receivedByAttempt(attemptId);
    for (const message of before ?? []) admit(message);
    const received = before ?? this.receiveVisible(max, visibleAtMs, admit);
    if (before) for (const message of before) this.store.hideUntil(message, nowMs, visibleAtMs);
    if (received.length === 0) return received;
    if (attemptId !== undefined) this.fifo?.attempts.note(attemptId, received, nowMs);
    for (const message of received) this.trace.received(message, timeoutSeconds);
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

  /** Removes a visible message that was not received. The caller records in the trace what happens to it. */
  release(message: Message): void {
    this.store.remove(message);
    this.planReturn();
  }

  /** Deletes all messages. Returns how many there were. */
  empty(): number {
    const messages = this.store.removeAll();
    this.fifo?.deduplication.clear();
    this.planReturn();
    return messages;
  }

  /** Deletes the queue and stops its scheduled work. Returns the number of deleted messages. */
  close(): number {
    const messages = this.empty();
    this.nextExpiry.stop();
    this.gauges.stop();
    this.receivers.failPolls(queueDoesNotExist());
    return messages;
  }

  /** Adds a message from a sender, or from a queue whose dead-letter queue this is. */
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
   * Receives up to `max` visible messages. A message that was already received `maxReceiveCount` times in this queue is
   * moved to the dead-letter queue instead. This is the only place where that happens: a queue without receives moves
   * no message. Each message in the queue is checked once.
   * AWS limits how often a message is received "from a source queue".
   * **Assumption SQS-10:** In a chain or ring of dead-letter queues each queue counts its own receives, although
   * `ApproximateReceiveCount` continues from one to the next.
   * **Assumption SQS-24:** A message that the caller may not decrypt ends the batch, and refuses the receive if it is the
   * first.
   */
  private receiveVisible(max: number, visibleAtMs: number, admit: Receiving['admit']): readonly Message[] {
    const { nowMs } = this.context.timeline;
    const room = Math.min(max, this.store.remainingInFlight);
    const hidden: Message[] = [];
    for (let unseen = this.store.visibleCount; unseen > 0 && hidden.length < room; unseen -= 1) {
      const next = this.store.nextVisible(hidden.at(-1));
      if (!next) break;
      if (this.moveToDeadLetterQueue(next)) continue;
      if (!isAdmitted(next, admit, hidden.length > 0)) break;
      this.store.receive(next, nowMs, visibleAtMs);
      hidden.push(next);
    }
    return hidden;
  }

  /** Returns the messages of an earlier receive with this attempt id, if they are unchanged since. */
  private receivedByAttempt(attemptId: string | undefined): readonly Message[] | undefined {
    if (attemptId === undefined) return undefined;
    const { nowMs } = this.context.timeline;
    return this.fifo?.attempts.recall(attemptId, nowMs, message => this.store.find(message.id) === message);
  }

  /**
   * Moves a message to the dead-letter queue if its receives have reached `maxReceiveCount`. Returns whether it moved.
   */
  private moveToDeadLetterQueue(message: Message): boolean {
    const policy = this.settings.redrivePolicy;
    if (!policy || message.receivesHere < policy.maxReceiveCount) return false;
    const target = this.directory.findByArn(policy.deadLetterTargetArn);
    // **Assumption SQS-11:** A message stays, and is received, when its dead-letter queue does not exist or is its own
    // queue, which AWS allows.
    if (!target || target === this) return false;
    this.store.remove(message);
    message.deadLetterQueueSourceArn = this.arn;
    message.receivesHere = 0;
    if (this.fifo) renameForDeadLetterQueue(message);
    this.trace.deadLettered(message, policy);
    target.admit(message, this.context.timeline.nowMs);
    return true;
  }

  /** On a FIFO queue a new delay also applies to messages already in the queue. */
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
