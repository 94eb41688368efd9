import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { type Message, type MessageAttributes, NO_ATTRIBUTES } from '../publish/message';
import type { SignatureVersion } from '../topic/topic-and-subscription';
import { SIGNATURE_LENGTH, type Signer } from './signing';

const NON_CHARACTER = /[\ufffe\uffff]/;

/** ISO 8601 with milliseconds. */
const TIMESTAMP_LENGTH = 24;

/** The optional members of an envelope. They determine its length without values. */
interface Shape {
  readonly isFifo: boolean;
  readonly hasSubject: boolean;
}

/**
 * Returns the envelope text before the signature. A FIFO envelope has no signature: then the text before the
 * subscription's own part.
 */
function headOf(values: Readonly<Record<string, string | undefined>>, isSigned: boolean): string {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(values)) if (value !== undefined) lines.push(memberLine(name, value));
  return `{\n${lines.join(',\n')}${isSigned ? ',\n  "Signature" : "' : ''}`;
}

/** The length of the head without values, by FIFO and subject. */
const bareLengths = [false, true].map(isFifo => [false, true].map(hasSubject => bareLength({ isFifo, hasSubject })));

function bareLength({ isFifo, hasSubject }: Shape): number {
  const values = {
    Type: 'Notification',
    MessageId: '',
    SequenceNumber: isFifo ? '' : undefined,
    TopicArn: '',
    Subject: hasSubject ? '' : undefined,
    Message: '',
    Timestamp: '',
    SignatureVersion: isFifo ? undefined : '',
  };
  return headOf(values, !isFifo).length;
}

/**
 * The part of an envelope that is the same for all subscriptions that receive the same text of a message. Its length is
 * known before its text is built, which happens when it is first read.
 */
export class CommonPart {
  /** Undefined for FIFO topics, which do not sign. */
  readonly signature: LateSignature | undefined;
  /**
   * Whether the message contains only characters that XML, and so SQS, can carry. JSON escapes all other characters
   * except two.
   */
  readonly isPlain: boolean;
  /** The text after the unsubscribe URL. */
  private readonly end: string;
  /** Length in bytes without the subscription's own part. */
  private readonly bytes: number;
  private head: string | undefined;

  constructor(
    private readonly message: Message,
    readonly body: string,
    private readonly version: SignatureVersion,
    sign: Signer,
  ) {
    const { subject, fifo } = message;
    this.signature = fifo ? undefined : new LateSignature(message, body, version, sign);
    const attributes = attributesLine(message.attributes);
    this.end = attributes === undefined ? '\n}' : `,\n${attributes}\n}`;
    this.isPlain = !(NON_CHARACTER.test(body) || NON_CHARACTER.test(subject ?? '') || NON_CHARACTER.test(this.end));
    this.bytes = this.headBytes() + (fifo ? 0 : SIGNATURE_LENGTH) + Buffer.byteLength(this.end);
  }

  /**
   * Returns the whole envelope of a subscription.
   * @param own the subscription's own part
   */
  with(own: string): string {
    this.head ??= this.makeHead();
    return this.signature ? `${this.head}${this.signature}${own}${this.end}` : `${this.head}${own}${this.end}`;
  }

  /** Returns the length of the whole envelope in UTF-8 bytes. */
  byteLengthWith(own: string): number {
    return this.bytes + own.length;
  }

  private makeHead(): string {
    const { id, topic, subject, timestamp, fifo } = this.message;
    const values = {
      Type: 'Notification',
      MessageId: id,
      SequenceNumber: fifo?.sequenceNumber,
      TopicArn: topic.arn,
      Subject: subject,
      Message: this.body,
      Timestamp: timestamp,
      SignatureVersion: fifo ? undefined : this.version,
    };
    return headOf(values, !fifo);
  }

  private headBytes(): number {
    const { id, topic, subject, fifo } = this.message;
    const bare = bareLengths[fifo ? 1 : 0]?.[subject === undefined ? 0 : 1] ?? 0;
    const own = id.length + topic.arn.length + TIMESTAMP_LENGTH + jsonBytes(this.body) + jsonBytes(subject ?? '');
    return bare + own + (fifo ? fifo.sequenceNumber.length : this.version.length);
  }
}

interface EnvelopedAttribute {
  readonly Type: string;
  readonly Value: string;
}

function enveloped({ DataType = '', StringValue, BinaryValue }: MessageAttributeValue): EnvelopedAttribute {
  const Value = BinaryValue === undefined ? (StringValue ?? '') : Buffer.from(BinaryValue).toString('base64');
  return { Type: DataType, Value };
}

export function envelopedAttributes(attributes: MessageAttributes): Readonly<Record<string, EnvelopedAttribute>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, enveloped(attribute)]));
}

/** ASCII text that JSON does not escape. */
const AS_IT_IS = /^[ !#-[\]-~]*$/;

/** Returns the length of a text as a JSON string in UTF-8 bytes, without quotes. */
function jsonBytes(text: string): number {
  return AS_IT_IS.test(text) ? text.length : Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Returns one member in the layout of SNS envelopes: one line each. */
export function memberLine(name: string, value: string): string {
  return `  "${name}" : ${JSON.stringify(value)}`;
}

/** Returns the `MessageAttributes` member, or undefined for a message without attributes. */
function attributesLine(attributes: MessageAttributes): string | undefined {
  if (attributes === NO_ATTRIBUTES) return undefined;
  const members = Object.entries(envelopedAttributes(attributes));
  if (members.length === 0) return undefined;
  const lines = members.map(([name, value]) => `    ${JSON.stringify(name)} : ${JSON.stringify(value)}`);
  return `  "MessageAttributes" : {\n${lines.join(',\n')}\n  }`;
}

/** Returns a whole envelope of text members. Members without a value are omitted. */
export function laidOut(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [memberLine(name, value)],
  );
  return `{\n${lines.join(',\n')}\n}`;
}

/**
 * The signature of a notification, computed on first use and shared by all subscriptions that receive the same text.
 * Most simulated messages are never verified, and signing is slow.
 */
class LateSignature {
  private signature: string | undefined;

  constructor(
    private readonly message: Message,
    private readonly body: string,
    private readonly version: SignatureVersion,
    private readonly sign: Signer,
  ) {}

  /** Returns the signature in base64. */
  toString(): string {
    this.signature ??= this.make();
    return this.signature;
  }

  private make(): string {
    const { id, topic, subject, timestamp } = this.message;
    const members = { Type: 'Notification', MessageId: id, TopicArn: topic.arn, Subject: subject, Message: this.body };
    return this.sign({ ...members, Timestamp: timestamp }, this.version);
  }
}
