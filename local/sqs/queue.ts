import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/doorkeeper';
import type { Scheduled } from '../kernel/timeline';
import type { SqsContext } from './context';
import { queueDoesNotExist } from './errors';
import { Gauges } from './gauges';
import { MAX_IN_FLIGHT } from './limits';
import { type Letter, Message } from './message';
import { MessageStore } from './message-store';
import { QueueMetrics } from './metrics';
import { type AttributeMap, type QueueSettings, settingsOf } from './queue-attributes';
import type { Receivers } from './receivers';

export interface QueueIdentity {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
}

/** What a queue needs of the others: its dead-letter queue is one of them. */
export interface QueueNeighbours {
  findByArn(arn: string): Queue | undefined;
}

/** One standard queue: its messages, and the due work that makes them visible again and lets them expire. */
export class Queue implements Resource {
  readonly store = new MessageStore();
  readonly metrics: QueueMetrics;
  readonly tags = new Map<string, string>();
  readonly createdAtMs: number;
  lastModifiedMs: number;
  lastPurgedMs = Number.NEGATIVE_INFINITY;
  private readonly gauges: Gauges;
  private own: { readonly attributes: AttributeMap; readonly settings: QueueSettings };
  private nextReturn: { readonly atMs: number; readonly work: Scheduled } | undefined;
  private nextExpiry: { readonly atMs: number; readonly work: Scheduled } | undefined;

  constructor(
    readonly identity: QueueIdentity,
    attributes: AttributeMap,
    readonly receivers: Receivers,
    private readonly neighbours: QueueNeighbours,
    private readonly context: SqsContext,
  ) {
    this.own = { attributes, settings: settingsOf(attributes) };
    this.metrics = new QueueMetrics(identity.name, context.metrics);
    this.gauges = new Gauges(context.timeline, this.store, this.metrics);
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
    this.own = { attributes, settings: settingsOf(attributes) };
    this.lastModifiedMs = this.context.timeline.nowMs;
    this.expire();
  }

  /** Somebody uses the queue: whatever is due at this very instant has happened before. */
  use(): void {
    this.expire();
    this.returnDue();
    this.gauges.touch();
  }

  send(letter: Letter, delaySeconds: number): void {
    this.take(new Message(letter), letter.sentAtMs + delaySeconds * 1000);
    this.metrics.put('NumberOfMessagesSent', 1);
    this.metrics.put('SentMessageSize', letter.sizeBytes, 'Bytes');
    const { id: messageId, sizeBytes: bytes } = letter;
    this.context.trace.record({ type: 'sqs.sent', queueArn: this.arn, messageId, bytes, delaySeconds });
  }

  /**
   * Up to `max` visible messages, hidden from now on. A message that has been received `maxReceiveCount` times already
   * goes to the dead-letter queue instead: the move happens here and nowhere else, so a queue nobody reads moves nothing.
   * Each message that is here now is looked at once.
   */
  receive(max: number, visibilityTimeoutSeconds: number): readonly Message[] {
    const { nowMs } = this.context.timeline;
    const room = Math.min(max, MAX_IN_FLIGHT - this.store.inFlightCount);
    const received: Message[] = [];
    for (let unseen = this.store.visibleCount; unseen > 0 && received.length < room; unseen -= 1) {
      const next = this.store.nextVisible();
      if (!next) break;
      if (this.deadLetter(next)) continue;
      this.store.receive(next, nowMs, nowMs + visibilityTimeoutSeconds * 1000);
      received.push(next);
      const { id: messageId, receiveCount } = next;
      const { arn: queueArn } = this;
      this.context.trace.record({
        type: 'sqs.received',
        queueArn,
        messageId,
        receiveCount,
        visibilityTimeoutSeconds,
      });
    }
    if (received.length > 0) this.metrics.put('NumberOfMessagesReceived', received.length);
    this.returnDue();
    return received;
  }

  changeVisibility(message: Message, visibilityTimeoutSeconds: number): void {
    const { nowMs } = this.context.timeline;
    this.store.hideUntil(message, nowMs, nowMs + visibilityTimeoutSeconds * 1000);
    if (message.place === 'visible') this.receivers.announce();
    this.planReturn();
    const { id: messageId, receiveCount } = message;
    const { arn: queueArn } = this;
    this.context.trace.record({
      type: 'sqs.visibility-changed',
      queueArn,
      messageId,
      receiveCount,
      visibilityTimeoutSeconds,
    });
  }

  delete(message: Message): void {
    const wasFull = this.store.inFlightCount >= MAX_IN_FLIGHT;
    this.store.remove(message);
    this.planReturn();
    if (wasFull && this.store.visibleCount > 0) this.receivers.announce();
    const { id: messageId, receiveCount } = message;
    this.context.trace.record({ type: 'sqs.deleted', queueArn: this.arn, messageId, receiveCount });
  }

  /** The visible message whose turn it is leaves the queue unreceived: whoever takes it says in the trace what becomes of it. */
  release(message: Message): void {
    this.store.remove(message);
    this.planReturn();
  }

  /** Every message goes. Answers how many that were. */
  empty(): number {
    const messages = this.store.size;
    for (let next = this.store.firstSent(); next; next = this.store.firstSent()) this.store.remove(next);
    this.planReturn();
    return messages;
  }

  /** The queue is deleted: nothing of it happens any more. Answers how many messages went with it. */
  close(): number {
    const messages = this.empty();
    this.nextExpiry?.work.cancel();
    this.gauges.stop();
    this.receivers.failPolls(queueDoesNotExist());
    return messages;
  }

  /** Takes in a message that comes from a sender, or from the queue whose dead-letter queue this is. */
  private take(message: Message, visibleAtMs: number): void {
    const { nowMs } = this.context.timeline;
    message.arrivedAtMs = nowMs;
    this.store.add(message, nowMs, visibleAtMs);
    this.gauges.touch();
    this.expire();
    if (visibleAtMs <= nowMs) this.receivers.announce();
    else this.planReturn();
  }

  /** Whether `message` was due for the dead-letter queue, and is there now. */
  private deadLetter(message: Message): boolean {
    const policy = this.settings.redrivePolicy;
    if (!policy || message.receiveCount < policy.maxReceiveCount) return false;
    const target = this.neighbours.findByArn(policy.deadLetterTargetArn);
    // AWS does not say what becomes of a message whose dead-letter queue is gone. Our choice: it stays, and is received.
    if (!target) return false;
    this.store.remove(message);
    message.deadLetterQueueSourceArn = this.arn;
    message.receivesHere = 0;
    this.context.trace.record({
      type: 'sqs.dead-lettered',
      queueArn: this.arn,
      messageId: message.id,
      receiveCount: message.receiveCount,
      deadLetterQueueArn: target.arn,
      maxReceiveCount: policy.maxReceiveCount,
    });
    target.take(message, this.context.timeline.nowMs);
    return true;
  }

  private returnDue(): void {
    if (this.store.returnDue(this.context.timeline.nowMs) > 0) this.receivers.announce();
    this.planReturn();
  }

  /** Keeps exactly one piece of due work, at the next instant at which a message becomes visible. */
  private planReturn(): void {
    const atMs = this.store.nextReturnMs();
    if (this.nextReturn?.atMs === atMs) return;
    this.nextReturn?.work.cancel();
    this.nextReturn = undefined;
    if (atMs === undefined) return;
    const work = this.context.timeline.at(atMs, () => {
      this.nextReturn = undefined;
      this.returnDue();
    });
    this.nextReturn = { atMs, work };
  }

  private expire(): void {
    const { nowMs } = this.context.timeline;
    const { retentionSeconds } = this.settings;
    for (let first = this.store.firstSent(); first; first = this.store.firstSent()) {
      const expiresAtMs = first.sentAtMs + retentionSeconds * 1000;
      if (expiresAtMs > nowMs) {
        this.planExpiry(expiresAtMs);
        return;
      }
      this.store.remove(first);
      const { id: messageId, receiveCount } = first;
      const { arn: queueArn } = this;
      this.context.trace.record({ type: 'sqs.expired', queueArn, messageId, receiveCount, retentionSeconds });
      this.planReturn();
    }
  }

  /** Expiry is housekeeping: an early look finds nothing due and plans the next, so deletes need not touch the plan. */
  private planExpiry(atMs: number): void {
    if (this.nextExpiry && this.nextExpiry.atMs <= atMs) return;
    this.nextExpiry?.work.cancel();
    const work = this.context.timeline.inBackground(atMs, () => {
      this.nextExpiry = undefined;
      this.expire();
    });
    this.nextExpiry = { atMs, work };
  }
}
