import type { Message } from '../message';
import { SIGNATURE_LENGTH } from '../signing/development-key';
import { LateSignature } from '../signing/late-signature';
import type { SignatureVersion } from '../topic';
import { attributesLine, jsonBytes, memberLine } from './layout';

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
