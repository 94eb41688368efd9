import { nameInArn } from '../../policy/arn';
import type { AwsTraceEvent } from '../world/happenings';
import { Account, type SubscriberAccount } from './account';
import { type QueuedNotification, QueuedNotifications } from './mail';

export type { SubscriberAccount } from './account';

/**
 * Keeps the books of a trace: for each subscriber of a topic, published = delivered + dead-lettered + filtered out +
 * lost + still under way.
 *
 * A message counts as delivered when the subscriber is done with it: deleted from its queue, or taken by its function
 * without an error. A dead letter counts as one for as long as its queue keeps it, and after somebody has deleted it; one
 * that expires there, is purged or goes with its queue is lost.
 *
 * A dead letter that a message move task sends on is under way again. Copies that somebody sends on by hand are nobody's:
 * the message stays what it is. A function must be subscribed to one topic only.
 */
export class Ledger {
  private readonly bySubscription = new Map<string, Account>();
  private readonly byFunction = new Map<string, Account>();
  /** The events that carry messages and have not come to their end, by request id. */
  private readonly byRequest = new Map<string, Account>();
  private readonly mail = new QueuedNotifications();

  /** The books of everything that has happened. */
  static of(happenings: readonly AwsTraceEvent[]): Ledger {
    const ledger = new Ledger();
    for (const happening of happenings) ledger.enter(happening);
    return ledger;
  }

  /** One account for each subscriber of the topic, in the order in which they subscribed. @default every topic */
  accounts(topicArn?: string): readonly SubscriberAccount[] {
    return [...this.bySubscription.values()]
      .filter(account => topicArn === undefined || account.topicArn === topicArn)
      .map(account => account.statement());
  }

  private enter(happening: AwsTraceEvent): void {
    this.enterTopic(happening);
    this.enterQueue(happening);
    this.enterFunction(happening);
  }

  private enterTopic(happening: AwsTraceEvent): void {
    switch (happening.type) {
      case 'sns.subscribed': {
        const account = new Account(happening, !happening.pending);
        this.bySubscription.set(happening.subscriptionArn, account);
        this.byFunction.set(happening.endpoint, account);
        return;
      }
      case 'sns.confirmed':
        this.bySubscription.get(happening.subscriptionArn)?.open();
        return;
      case 'sns.unsubscribed':
        this.bySubscription.get(happening.subscriptionArn)?.close();
        return;
      case 'sns.published':
        for (const account of this.bySubscription.values()) account.publish(happening.topicArn);
        return;
      case 'sns.filtered':
        this.bySubscription.get(happening.subscriptionArn)?.filterOut();
        return;
      case 'sns.delivered':
        this.delivered(happening.protocol, this.bySubscription.get(happening.subscriptionArn));
        return;
      case 'sns.dead-lettered':
        this.deadLetter(this.bySubscription.get(happening.subscriptionArn), happening.deadLetterQueueArn);
        return;
      case 'sns.lost':
        this.bySubscription.get(happening.subscriptionArn)?.lose();
    }
  }

  private enterQueue(happening: AwsTraceEvent): void {
    switch (happening.type) {
      case 'sqs.sent':
        this.mail.sent(happening.queueArn, happening.messageId);
        return;
      case 'sqs.deleted': {
        const mail = this.mail.take(happening.queueArn, happening.messageId);
        if (!mail?.isDeadLetter) mail?.account.deliver();
        return;
      }
      case 'sqs.dead-lettered': {
        const account = this.withdraw(happening.queueArn, this.mail.take(happening.queueArn, happening.messageId));
        this.deadLetter(account, happening.deadLetterQueueArn, happening.messageId);
        return;
      }
      case 'sqs.moved': {
        const account = this.withdraw(happening.queueArn, this.mail.take(happening.queueArn, happening.messageId));
        if (account) this.mail.keep(happening.destinationArn, { account, isDeadLetter: false }, happening.newMessageId);
        return;
      }
      case 'sqs.expired':
        this.withdraw(happening.queueArn, this.mail.take(happening.queueArn, happening.messageId))?.lose();
        return;
      case 'sqs.purged':
      case 'sqs.queue-deleted':
        for (const mail of this.mail.takeAll(happening.queueArn)) this.withdraw(happening.queueArn, mail)?.lose();
    }
  }

  /** SNS has done its part: the queue's consumer, or the function, may still fail on the message. */
  private delivered(protocol: string, account: Account | undefined): void {
    if (!account || protocol === 'lambda') return;
    if (protocol === 'sqs') this.mail.keep(account.endpoint, { account, isDeadLetter: false });
    else account.deliver();
  }

  /** @param messageId its id in the queue, where it is not the message that was just sent to it */
  private deadLetter(account: Account | undefined, queueArn: string, messageId?: string): void {
    if (!account) return;
    account.deadLetter(nameInArn(queueArn));
    this.mail.keep(queueArn, { account, isDeadLetter: true }, messageId);
  }

  /** The queue has it no more, and nobody has dealt with it. Answers whose it is. */
  private withdraw(queueArn: string, mail: QueuedNotification | undefined): Account | undefined {
    if (mail?.isDeadLetter) mail.account.withdrawDeadLetter(nameInArn(queueArn));
    return mail?.account;
  }

  private enterFunction(happening: AwsTraceEvent): void {
    switch (happening.type) {
      case 'lambda.event-queued': {
        const { functionArn, qualifier } = happening;
        const account = this.byFunction.get(qualifier === undefined ? functionArn : `${functionArn}:${qualifier}`);
        if (account && happening.messageIds.length > 0) this.byRequest.set(happening.requestId, account);
        return;
      }
      case 'lambda.finished':
        if (happening.outcome === 'success') this.endOf(happening.requestId)?.deliver();
        return;
      case 'lambda.dead-lettered':
        this.deadLetter(this.endOf(happening.requestId), happening.targetArn);
        return;
      case 'lambda.destination-delivered':
        this.deadLetter(this.endOf(happening.requestId), happening.destinationArn);
        return;
      case 'lambda.lost':
        this.endOf(happening.requestId)?.lose();
    }
  }

  /** The account of an event that has now come to its end: whatever else becomes of it is a copy. */
  private endOf(requestId: string): Account | undefined {
    const account = this.byRequest.get(requestId);
    this.byRequest.delete(requestId);
    return account;
  }
}
