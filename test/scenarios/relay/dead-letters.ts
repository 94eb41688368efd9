import type { Message } from '@aws-sdk/client-sqs';

/** A dead letter of a relay. */
export interface DeadLetter {
  /** Of SNS. */
  readonly messageId: string;
  readonly message: string;
  /** Why the relay gave it up, or `moved-by-sqs` where SQS did. */
  readonly cause: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly receiveCount: number;
}

export const MOVED_BY_SQS = 'moved-by-sqs';

/** The dead letters of a relay, by the messages they are of. */
export class DeadLetters {
  private readonly messages: DeadLetter[] = [];

  add({ Body = '', MessageAttributes = {}, Attributes = {} }: Message): void {
    const { MessageId: messageId, Message: message } = JSON.parse(Body);
    const attributes = Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
    );
    const cause = attributes['DeadLetterCause'] ?? MOVED_BY_SQS;
    const receiveCount = Number(Attributes.ApproximateReceiveCount);
    this.messages.push({ messageId, message, cause, attributes, receiveCount });
  }

  get all(): readonly DeadLetter[] {
    return this.messages;
  }

  /** The cause of each message's end. */
  get causes(): ReadonlyMap<string, string> {
    return new Map(this.messages.map(({ messageId, cause }) => [messageId, cause]));
  }
}
