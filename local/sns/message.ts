import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { isoInstant } from '../kernel/clock';
import { type AttributeReading, parsedObject, readAttributes } from './filter-policy';
import type { Topic } from './topic';

export type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

/** Of a message that was published without any. */
export const NO_ATTRIBUTES: MessageAttributes = {};

/** What makes a message of a FIFO topic one. */
export interface FifoIdentity {
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly sequenceNumber: string;
}

/** What somebody published, as far as SNS keeps it. */
export interface Publication {
  readonly id: string;
  readonly topic: Topic;
  /** What everybody receives who has no text of their own. */
  readonly body: string;
  /** Texts of their own, by protocol or push platform: the other members of a `MessageStructure: json` message. */
  readonly bodies?: ReadonlyMap<string, string> | undefined;
  readonly subject?: string | undefined;
  readonly attributes: MessageAttributes;
  /** Of a publication to a standard topic: handed on to standard queues, which are fair to groups. */
  readonly groupId?: string | undefined;
  /** Of a publication to a FIFO topic. */
  readonly fifo?: FifoIdentity | undefined;
  readonly publishedAtMs: number;
  /** Of the call that published it: queues and functions receive it along with the message. */
  readonly traceHeader?: string | undefined;
}

/** A published message, with what several of its deliveries need worked out once. */
export class Message {
  readonly id: string;
  readonly topic: Topic;
  readonly subject: string | undefined;
  readonly attributes: MessageAttributes;
  readonly groupId: string | undefined;
  readonly fifo: FifoIdentity | undefined;
  readonly publishedAtMs: number;
  readonly traceHeader: string | undefined;
  private readonly body: string;
  private readonly bodies: ReadonlyMap<string, string> | undefined;
  private attributeReading: AttributeReading | undefined;
  private bodyReading: { readonly object: Readonly<Record<string, unknown>> | undefined } | undefined;

  constructor(publication: Publication) {
    this.id = publication.id;
    this.topic = publication.topic;
    this.subject = publication.subject;
    this.attributes = publication.attributes;
    this.groupId = publication.groupId;
    this.fifo = publication.fifo;
    this.publishedAtMs = publication.publishedAtMs;
    this.traceHeader = publication.traceHeader;
    this.body = publication.body;
    this.bodies = publication.bodies;
  }

  /**
   * The text a subscriber receives.
   * @param textKey see `Subscription.textKey`
   */
  bodyFor(textKey: string): string {
    return this.bodies?.get(textKey) ?? this.body;
  }

  get hasAttributes(): boolean {
    for (const _name in this.attributes) return true;
    return false;
  }

  /** When it was published, as envelopes show it. */
  get timestamp(): string {
    return isoInstant(this.publishedAtMs);
  }

  /** Its attributes as filter policies see them. */
  get filterable(): AttributeReading {
    this.attributeReading ??= readAttributes(this.attributes);
    return this.attributeReading;
  }

  /** Its default text as filter policies on the body see it: undefined when that is no JSON object. */
  get document(): Readonly<Record<string, unknown>> | undefined {
    this.bodyReading ??= { object: parsedObject(this.body) };
    return this.bodyReading.object;
  }
}
