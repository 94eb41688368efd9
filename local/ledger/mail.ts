import type { Account } from './account';

/** A message in a queue, and the subscriber it was published to. */
export interface QueuedNotification {
  readonly account: Account;
  /** Whether the queue keeps it because it did not reach its subscriber. */
  readonly isDeadLetter: boolean;
}

/** The messages in queues that were published to subscribers. What others have sent to these queues is none of it. */
export class QueuedNotifications {
  private readonly newest = new Map<string, string>();
  private readonly byQueue = new Map<string, Map<string, QueuedNotification>>();

  /** A message was sent to the queue; whose it is, the sender tells next. */
  sent(queueArn: string, messageId: string): void {
    this.newest.set(queueArn, messageId);
  }

  /**
   * @param messageId its id in the queue. @default that of the newest message: SNS and Lambda send, then say so, and
   *   nothing comes between
   */
  keep(queueArn: string, mail: QueuedNotification, messageId = this.newest.get(queueArn)): void {
    if (messageId === undefined) return;
    const inQueue = this.byQueue.get(queueArn) ?? new Map<string, QueuedNotification>();
    this.byQueue.set(queueArn, inQueue.set(messageId, mail));
  }

  /** The message is no longer in the queue. */
  take(queueArn: string, messageId: string): QueuedNotification | undefined {
    const inQueue = this.byQueue.get(queueArn);
    const mail = inQueue?.get(messageId);
    inQueue?.delete(messageId);
    return mail;
  }

  /** No message is in the queue any more. */
  takeAll(queueArn: string): readonly QueuedNotification[] {
    const mail = [...(this.byQueue.get(queueArn)?.values() ?? [])];
    this.byQueue.delete(queueArn);
    return mail;
  }
}
