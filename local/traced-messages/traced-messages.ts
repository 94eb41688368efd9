import type { Trace } from '../kernel/trace';
import type { AwsTraceEvent, TracedAwsEvent } from '../trace-events';

/** A message with everything that the trace says about it, about its copies in queues, and about the events it became. */
export interface TracedMessage {
  /** The first of its ids: that of the publication, of the event, or of the message in its first queue. */
  readonly id: string;
  /** 1 for the first message of the run. */
  readonly number: number;
  /** Its ids in topics, queues and functions. */
  readonly ids: readonly string[];
  /** Oldest first. */
  readonly events: readonly TracedAwsEvent[];
  /** The worst that happened to it so far. */
  readonly trouble: Trouble;
  /** Copies that a receiver sent before it deleted the original: the id of the original by that of the copy. */
  readonly copies: ReadonlyMap<string, string>;
}

/** What happened to a message, the worst last. */
export const TROUBLES = ['none', 'failed', 'dead-lettered', 'lost'] as const;
export type Trouble = (typeof TROUBLES)[number];

class OpenMessage implements TracedMessage {
  readonly ids: string[] = [];
  readonly copies = new Map<string, string>();
  events: TracedAwsEvent[] = [];
  trouble: Trouble = 'none';

  constructor(
    readonly id: string,
    readonly number: number,
  ) {}

  add(event: TracedAwsEvent): void {
    if (this.events.at(-1) === event) return;
    this.events.push(event);
    this.worsen(troubleOf(event));
  }

  worsen(trouble: Trouble): void {
    if (TROUBLES.indexOf(trouble) > TROUBLES.indexOf(this.trouble)) this.trouble = trouble;
  }
}

function troubleOf(event: AwsTraceEvent): Trouble {
  if (/\.(lost|dropped|expired|unreceived|direct-lost)$/.test(event.type)) return 'lost';
  if (/\.dead-lettered$/.test(event.type)) return 'dead-lettered';
  const isFailed =
    ('outcome' in event && !['success', 'delivered'].includes(event.outcome)) ||
    /\.(invocation-failed|throttled)$/.test(event.type);
  return isFailed ? 'failed' : 'none';
}

/** Where a resource sent a message on: SNS, Lambda and EventBridge record this right after the message was sent. */
function sentOnTo(event: AwsTraceEvent): string | undefined {
  switch (event.type) {
    case 'sns.dead-lettered':
    case 'events.dead-lettered':
    case 'scheduler.dead-lettered':
      return event.deadLetterQueueArn;
    case 'lambda.dead-lettered':
    case 'events.invoked':
    case 'scheduler.invoked':
      return event.targetArn;
    case 'lambda.destination-delivered':
      return event.destinationArn;
  }
}

/** How many characters of bodies are kept for searches and pictures. */
const MOST_BODY_CHARACTERS = 64_000_000;

/** How long a body is kept. */
const LONGEST_BODY = 20_000;

/**
 * Follows the messages of a run through its trace, from the topic or queue where they began to where they are. It costs a few
 * look-ups an event, and keeps references to the trace's own events.
 *
 * A resource that sends a message on gives it another id. SNS, Lambda and EventBridge record that they did right after they
 * sent it. A receiver that sends the same body to another queue and then deletes the original has moved it.
 */
export class TracedMessages {
  private readonly byId = new Map<string, OpenMessage>();
  private messages: OpenMessage[] = [];
  private readonly batches = new Map<string, readonly OpenMessage[]>();
  /** The newest message that arrived at a topic, queue, function or bus. */
  private readonly newest = new Map<string, string>();
  private readonly inQueue = new Map<string, Set<string>>();
  private readonly receivedAtMs = new Map<string, number>();
  /** Messages that no resource of AWS sent, by body. */
  private readonly ownSends = new Map<
    string,
    { readonly id: string; readonly queueArn: string; readonly atMs: number }
  >();
  private readonly bodies = new Map<string, string>();
  private bodyCharacters = 0;
  private events = 0;
  private created = 0;
  readonly endpoints = new Map<string, { readonly endpoint: string; readonly protocol: string }>();

  /** @param keep how many events it keeps, about. It forgets the oldest messages then */
  constructor(
    trace: Pick<Trace<AwsTraceEvent>, 'events' | 'follow' | 'followNotes'>,
    private readonly keep = 1_000_000,
  ) {
    for (const event of trace.events) this.follow(event);
    trace.follow(event => this.follow(event));
    trace.followNotes(({ kind, of, text }) => {
      if (kind === 'body') this.keepBody(of, text);
    });
  }

  /** All messages that are kept, oldest first. */
  get all(): readonly TracedMessage[] {
    return this.messages;
  }

  /** At most so many messages with a lower number, newest first. */
  before(number: number, count: number): readonly TracedMessage[] {
    let [from, end] = [0, this.messages.length];
    while (from < end) {
      const middle = (from + end) >> 1;
      if ((this.messages[middle]?.number ?? 0) < number) from = middle + 1;
      else end = middle;
    }
    return this.messages.slice(Math.max(0, end - count), end).reverse();
  }

  /** @param id any of its ids */
  find(id: string): TracedMessage | undefined {
    return this.byId.get(id);
  }

  /** The body of a message, by its id there. The start of a long one. Undefined if it was not kept. */
  body(id: string): string | undefined {
    return this.bodies.get(id);
  }

  private follow(event: TracedAwsEvent): void {
    if (event.type === 'sns.subscribed') {
      this.endpoints.set(event.subscriptionArn, { endpoint: event.endpoint, protocol: event.protocol });
    }
    const concerned = this.begun(event) ?? this.concerned(event);
    for (const message of concerned) this.add(message, event);
    this.link(event, concerned[0]);
    if (event.type.startsWith('sqs.')) this.followQueue(event);
  }

  private add(message: OpenMessage, event: TracedAwsEvent): void {
    message.add(event);
    this.events += 1;
    if (this.events > this.keep * 1.2) this.forgetOldest();
  }

  private begun(event: TracedAwsEvent): readonly OpenMessage[] | undefined {
    switch (event.type) {
      case 'sns.published':
        return this.arrived(event.topicArn, event.messageId);
      case 'sns.direct-published':
        return [this.named(event.messageId)];
      case 'sqs.sent':
        return this.arrived(event.queueArn, event.messageId);
      case 'events.received':
        return this.arrived(event.eventBusArn, event.eventId);
      case 'events.rule-triggered':
        return [this.named(event.eventId)];
      case 'scheduler.due':
        return [this.named(event.executionId)];
      case 'lambda.event-queued': {
        const cause = event.messageIds.map(id => this.byId.get(id)).find(it => it !== undefined);
        if (cause) this.name(event.requestId, cause);
        return this.arrived(event.functionArn, event.requestId);
      }
    }
  }

  private arrived(arn: string, id: string): readonly OpenMessage[] {
    this.newest.set(arn, id);
    return [this.named(id)];
  }

  private named(id: string): OpenMessage {
    const known = this.byId.get(id);
    if (known) return known;
    this.created += 1;
    const message = new OpenMessage(id, this.created);
    this.messages.push(message);
    this.name(id, message);
    return message;
  }

  private name(id: string, message: OpenMessage): void {
    this.byId.set(id, message);
    message.ids.push(id);
  }

  private concerned(event: TracedAwsEvent): readonly OpenMessage[] {
    if (event.type === 'sqs.purged' || event.type === 'sqs.queue-deleted') {
      return this.known([...(this.inQueue.get(event.queueArn) ?? [])]);
    }
    if (event.type === 'lambda.batch-received') {
      const batch = this.known(event.messageIds);
      this.batches.set(event.requestId, batch);
      return batch;
    }
    if ('requestId' in event && event.requestId !== undefined) {
      const batch = this.batches.get(event.requestId);
      if (event.type === 'lambda.batch-finished') this.batches.delete(event.requestId);
      if (batch) return batch;
    }
    return this.known(idsIn(event));
  }

  private known(ids: readonly string[]): readonly OpenMessage[] {
    return [...new Set(ids.flatMap(id => this.byId.get(id) ?? []))];
  }

  /** Finds the message that a resource sent on, under its new id. */
  private link(event: TracedAwsEvent, message: OpenMessage | undefined): void {
    if (!message) return;
    if (event.type === 'sqs.moved') {
      this.join(message, event.newMessageId);
      return;
    }
    const subscription = event.type === 'sns.delivered' && event.protocol === 'sqs' ? event.subscriptionArn : undefined;
    const arn = subscription === undefined ? sentOnTo(event) : this.endpoints.get(subscription)?.endpoint;
    const id = arn === undefined ? undefined : this.newest.get(arn);
    const sent = id === undefined ? undefined : this.byId.get(id);
    if (id !== undefined && sent?.events.some(it => it.atMs === event.atMs)) this.join(message, id);
  }

  private join(message: OpenMessage, id: string): void {
    const other = this.byId.get(id);
    if (!other) this.name(id, message);
    if (!other || other === message) return;
    for (const name of other.ids) this.name(name, message);
    for (const [copy, original] of other.copies) message.copies.set(copy, original);
    message.events = [...message.events, ...other.events].sort((one, another) => one.seq - another.seq);
    message.worsen(other.trouble);
    // The newer message is usually the last.
    const at = this.messages.lastIndexOf(other);
    if (at !== -1) this.messages.splice(at, 1);
  }

  private followQueue(event: TracedAwsEvent): void {
    switch (event.type) {
      case 'sqs.sent':
        this.messagesIn(event.queueArn).add(event.messageId);
        return;
      case 'sqs.received':
        this.receivedAtMs.set(event.messageId, event.atMs);
        return;
      case 'sqs.deleted':
        this.deleted(event.messageId, event.queueArn);
        return;
      case 'sqs.dead-lettered':
        this.messagesIn(event.deadLetterQueueArn).add(event.messageId);
        this.leaves(event.queueArn, event.messageId);
        return;
      case 'sqs.moved':
      case 'sqs.expired':
        this.leaves(event.queueArn, event.messageId);
        return;
      case 'sqs.purged':
      case 'sqs.queue-deleted':
        this.inQueue.delete(event.queueArn);
    }
  }

  private messagesIn(queueArn: string): Set<string> {
    const messages = this.inQueue.get(queueArn) ?? new Set<string>();
    this.inQueue.set(queueArn, messages);
    return messages;
  }

  private leaves(queueArn: string, messageId: string): void {
    this.messagesIn(queueArn).delete(messageId);
    this.receivedAtMs.delete(messageId);
  }

  /** A receiver that sent the same body to another queue before it deleted the message has moved it. */
  private deleted(messageId: string, queueArn: string): void {
    const body = this.bodies.get(messageId);
    const copy = body === undefined ? undefined : this.ownSends.get(body);
    const sinceMs = this.receivedAtMs.get(messageId);
    const message = this.byId.get(messageId);
    this.leaves(queueArn, messageId);
    if (!message || !copy || copy.queueArn === queueArn || sinceMs === undefined || copy.atMs < sinceMs) return;
    if (this.byId.get(copy.id)?.id !== copy.id) return;
    message.copies.set(copy.id, messageId);
    this.join(message, copy.id);
  }

  private keepBody(id: string, text: string): void {
    const kept = text.slice(0, LONGEST_BODY);
    this.bodies.set(id, kept);
    this.bodyCharacters += kept.length;
    const sent = this.byId.get(id)?.events[0];
    if (sent?.type === 'sqs.sent') this.ownSends.set(kept, { id, queueArn: sent.queueArn, atMs: sent.atMs });
    for (const [oldest, { length }] of this.bodies) {
      if (this.bodyCharacters <= MOST_BODY_CHARACTERS) break;
      this.forgetBody(oldest, length);
    }
  }

  private forgetBody(id: string, length: number): void {
    const body = this.bodies.get(id);
    if (body !== undefined && this.ownSends.get(body)?.id === id) this.ownSends.delete(body);
    this.bodies.delete(id);
    this.bodyCharacters -= length;
  }

  private forgetOldest(): void {
    let at = 0;
    for (; at < this.messages.length && this.events > this.keep; at += 1) {
      const message = this.messages[at];
      this.events -= message?.events.length ?? 0;
      for (const id of message?.ids ?? []) {
        this.byId.delete(id);
        this.receivedAtMs.delete(id);
        this.forgetBody(id, this.bodies.get(id)?.length ?? 0);
      }
    }
    this.messages = this.messages.slice(at);
  }
}

/** The ids of messages, events, executions and requests that an event names. */
function idsIn(event: object): readonly string[] {
  const named = event as Readonly<Record<string, unknown>>;
  const single = ['messageId', 'requestId', 'eventId', 'executionId'].map(name => named[name]);
  const several = named['messageIds'];
  return [...single, ...(Array.isArray(several) ? several : [])].filter((it): it is string => typeof it === 'string');
}
