import type { Message } from '../message';
import { SIGNATURE_LENGTH } from '../signing/development-key';
import { LateSignature } from '../signing/late-signature';
import type { SignatureVersion } from '../topic';
import { attributesLine, memberLine } from './layout';

const NON_CHARACTER = /[\ufffe\uffff]/;

/** What the envelopes of all subscribers have in common who receive the same text of a message. */
export class CommonPart {
  /** FIFO topics do not sign. */
  readonly signature: LateSignature | undefined;
  /** Whether it holds nothing but characters that XML, and so SQS, can carry. JSON escapes all others but two. */
  readonly isPlain: boolean;
  /** Everything before the signature. */
  private readonly head: string;
  /** What comes after the address to unsubscribe at. */
  private readonly end: string;
  /** Without what is each subscriber's own. */
  private readonly bytes: number;

  constructor(
    message: Message,
    readonly body: string,
    version: SignatureVersion,
  ) {
    const { id, topic, subject, timestamp, fifo } = message;
    const members = { Type: 'Notification', MessageId: id, TopicArn: topic.arn, Subject: subject, Message: body };
    const lines = [
      memberLine('Type', members.Type),
      memberLine('MessageId', id),
      ...(fifo ? [memberLine('SequenceNumber', fifo.sequenceNumber)] : []),
      memberLine('TopicArn', topic.arn),
      ...(subject === undefined ? [] : [memberLine('Subject', subject)]),
      memberLine('Message', body),
      memberLine('Timestamp', timestamp),
      ...(fifo ? [] : [memberLine('SignatureVersion', version)]),
    ];
    this.signature = fifo ? undefined : new LateSignature({ ...members, Timestamp: timestamp }, version);
    this.head = `{\n${lines.join(',\n')}${fifo ? '' : ',\n  "Signature" : "'}`;
    const attributes = attributesLine(message.attributes);
    this.end = attributes === undefined ? '\n}' : `,\n${attributes}\n}`;
    this.isPlain = !NON_CHARACTER.test(this.head) && !NON_CHARACTER.test(this.end);
    this.bytes = Buffer.byteLength(this.head) + (fifo ? 0 : SIGNATURE_LENGTH) + Buffer.byteLength(this.end);
  }

  /** The whole envelope of a subscriber, given what is its own. */
  with(own: string): string {
    return this.signature ? `${this.head}${this.signature}${own}${this.end}` : `${this.head}${own}${this.end}`;
  }

  /** How long that is, in UTF-8. */
  byteLengthWith(own: string): number {
    return this.bytes + own.length;
  }
}
