import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { type AttributeReading, parsedObject, readAttributes } from '../../../policy/filter/filter-policy';
import { isoInstant } from '../../kernel/clock';
import type { Topic } from '../topic/topic-and-subscription';

export type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

export const NO_ATTRIBUTES: MessageAttributes = {};

/** The group, deduplication id and sequence number of a message of a FIFO topic. */
interface FifoIdentity {
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly sequenceNumber: string;
}

interface Publication {
  readonly id: string;
  readonly topic: Topic;
  /** The text for subscribers without a text of their own. */
  readonly body: string;
  /** Texts by protocol or push platform: the other members of a `MessageStructure: json` message. */
  readonly bodies?: ReadonlyMap<string, string> | undefined;
  readonly subject?: string | undefined;
  readonly attributes: MessageAttributes;
  /** Set for a standard topic. Passed on to standard queues, which use it for fair queueing. */
  readonly groupId?: string | undefined;
  /** Set for a FIFO topic. */
  readonly fifo?: FifoIdentity | undefined;
  readonly publishedAtMs: number;
  /** Trace header of the API call. Queues and functions receive it with the message. */
  readonly traceHeader?: string | undefined;
}

/** A published message. Values that several deliveries need are computed once. */
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
   * Returns the text that a subscriber receives.
   * @param textKey see `Subscription.textKey`
   */
  bodyFor(textKey: string): string {
    return this.bodies?.get(textKey) ?? this.body;
  }

  get hasAttributes(): boolean {
    for (const _name in this.attributes) return true;
    return false;
  }

  /** When it was published, in the format of envelopes. */
  get timestamp(): string {
    return isoInstant(this.publishedAtMs);
  }

  /** Its attributes, as filter policies read them. */
  get filterable(): AttributeReading {
    this.attributeReading ??= readAttributes(this.attributes);
    return this.attributeReading;
  }

  /** Its default text, as filter policies on the body read it. Undefined when the text is not a JSON object. */
  get document(): Readonly<Record<string, unknown>> | undefined {
    this.bodyReading ??= { object: parsedObject(this.body) };
    return this.bodyReading.object;
  }
}
