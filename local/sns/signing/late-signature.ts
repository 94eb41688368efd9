import type { Message } from '../message';
import type { SignatureVersion } from '../topic';
import { signatureOf } from './signature';

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
