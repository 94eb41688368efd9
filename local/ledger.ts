import { nameInArn } from '../policy/arn';
import type { AwsTraceEvent } from './trace-events';

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

/** The books of one subscriber: how many messages were published to it, and what became of them. */
export interface SubscriberAccount {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly protocol: string;
  /** An ARN, a URL, an address. */
  readonly endpoint: string;
  readonly published: number;
  /** The subscriber is done with them. */
  readonly delivered: number;
  /** By the name of the queue that keeps them, or kept them until somebody dealt with them. */
  readonly deadLettered: Readonly<Record<string, number>>;
  /** Not wanted, by the subscription's filter policy. */
  readonly filteredOut: number;
  /** Gone, and nobody has them. */
  readonly lost: number;
  /** Waiting for a retry, or for a consumer. */
  readonly underWay: number;
}

/** An account that is being kept. */
export class Account {
  private published = 0;
  private delivered = 0;
  private filteredOut = 0;
  private lost = 0;
  private readonly deadLettered = new Map<string, number>();

  constructor(
    private readonly subscriber: Pick<SubscriberAccount, 'topicArn' | 'subscriptionArn' | 'protocol' | 'endpoint'>,
    private receiving: boolean,
  ) {}

  get topicArn(): string {
    return this.subscriber.topicArn;
  }

  get endpoint(): string {
    return this.subscriber.endpoint;
  }

  /** From now on it is sent what is published. */
  open(): void {
    this.receiving = true;
  }

  /** From now on nothing is sent to it any more. */
  close(): void {
    this.receiving = false;
  }

  publish(topicArn: string): void {
    if (this.receiving && topicArn === this.topicArn) this.published += 1;
  }

  filterOut(): void {
    this.filteredOut += 1;
  }

  deliver(): void {
    this.delivered += 1;
  }

  deadLetter(queueName: string): void {
    this.deadLettered.set(queueName, (this.deadLettered.get(queueName) ?? 0) + 1);
  }

  lose(): void {
    this.lost += 1;
  }

  /** A dead letter is no longer in the queue that kept it. */
  withdrawDeadLetter(queueName: string): void {
    const left = (this.deadLettered.get(queueName) ?? 0) - 1;
    if (left > 0) this.deadLettered.set(queueName, left);
    else this.deadLettered.delete(queueName);
  }

  statement(): SubscriberAccount {
    const { topicArn, subscriptionArn, protocol, endpoint } = this.subscriber;
    const { published, delivered, filteredOut, lost } = this;
    const deadLettered = Object.fromEntries(this.deadLettered);
    const kept = [...this.deadLettered.values()].reduce((sum, count) => sum + count, 0);
    const underWay = published - delivered - filteredOut - lost - kept;
    return {
      topicArn,
      subscriptionArn,
      protocol,
      endpoint,
      published,
      delivered,
      deadLettered,
      filteredOut,
      lost,
      underWay,
    };
  }
}

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
