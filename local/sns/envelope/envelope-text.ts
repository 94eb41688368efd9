import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { type Message, type MessageAttributes, NO_ATTRIBUTES } from '../message';
import type { SignatureVersion } from '../topic';
import { SIGNATURE_LENGTH, signatureOf } from './signing';

const NON_CHARACTER = /[\ufffe\uffff]/;

/** ISO 8601 to the millisecond. */
const TIMESTAMP_LENGTH = 24;

/** Which members an envelope has, and so how long it is without their values. */
interface Shape {
  readonly isFifo: boolean;
  readonly hasSubject: boolean;
}

/** What stands before the signature, or before what is the subscriber's own where nobody signs. */
function headOf(values: Readonly<Record<string, string | undefined>>, isSigned: boolean): string {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(values)) if (value !== undefined) lines.push(memberLine(name, value));
  return `{\n${lines.join(',\n')}${isSigned ? ',\n  "Signature" : "' : ''}`;
}

/** How long the head of a shape is around its values, by whether it is FIFO and has a subject. */
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
 * What the envelopes of all subscribers have in common who receive the same text of a message. It knows how long it is, and
 * is put together when somebody reads it.
 */
export class CommonPart {
  /** FIFO topics do not sign. */
  readonly signature: LateSignature | undefined;
  /** Whether it holds nothing but characters that XML, and so SQS, can carry. JSON escapes all others but two. */
  readonly isPlain: boolean;
  /** What comes after the address to unsubscribe at. */
  private readonly end: string;
  /** Without what is each subscriber's own. */
  private readonly bytes: number;
  private head: string | undefined;

  constructor(
    private readonly message: Message,
    readonly body: string,
    private readonly version: SignatureVersion,
  ) {
    const { subject, fifo } = message;
    this.signature = fifo ? undefined : new LateSignature(message, body, version);
    const attributes = attributesLine(message.attributes);
    this.end = attributes === undefined ? '\n}' : `,\n${attributes}\n}`;
    this.isPlain = !(NON_CHARACTER.test(body) || NON_CHARACTER.test(subject ?? '') || NON_CHARACTER.test(this.end));
    this.bytes = this.headBytes() + (fifo ? 0 : SIGNATURE_LENGTH) + Buffer.byteLength(this.end);
  }

  /** The whole envelope of a subscriber, given what is its own. */
  with(own: string): string {
    this.head ??= this.makeHead();
    return this.signature ? `${this.head}${this.signature}${own}${this.end}` : `${this.head}${own}${this.end}`;
  }

  /** How long that is, in UTF-8. */
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

/** A message attribute as envelopes show it. */
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

/** ASCII that JSON leaves as it is. */
const AS_IT_IS = /^[ !#-[\]-~]*$/;

/** How long a text is in JSON and UTF-8, without its quotes. */
export function jsonBytes(text: string): number {
  return AS_IT_IS.test(text) ? text.length : Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** One member as SNS lays its envelopes out: each on a line of its own. */
export function memberLine(name: string, value: string): string {
  return `  "${name}" : ${JSON.stringify(value)}`;
}

/** The member `MessageAttributes`, laid out; undefined for a message without any. */
export function attributesLine(attributes: MessageAttributes): string | undefined {
  if (attributes === NO_ATTRIBUTES) return undefined;
  const members = Object.entries(envelopedAttributes(attributes));
  if (members.length === 0) return undefined;
  const lines = members.map(([name, value]) => `    ${JSON.stringify(name)} : ${JSON.stringify(value)}`);
  return `  "MessageAttributes" : {\n${lines.join(',\n')}\n  }`;
}

/** A whole envelope, of members that are all texts; those without a value are left out. */
export function laidOut(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [memberLine(name, value)],
  );
  return `{\n${lines.join(',\n')}\n}`;
}

/** The signature of a notification, made when somebody reads it, and once for all who receive the same text. */
export class LateSignature {
  private signature: string | undefined;

  constructor(
    private readonly message: Message,
    private readonly body: string,
    readonly version: SignatureVersion,
  ) {}

  /** In base64. */
  toString(): string {
    this.signature ??= this.make();
    return this.signature;
  }

  private make(): string {
    const { id, topic, subject, timestamp } = this.message;
    const members = { Type: 'Notification', MessageId: id, TopicArn: topic.arn, Subject: subject, Message: this.body };
    return signatureOf({ ...members, Timestamp: timestamp }, this.version);
  }
}
