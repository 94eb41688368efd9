import { nameInArn } from '../policy/arn';
import type { UnreceivedReason } from './sns/trace-events';
import type { AwsTraceEvent } from './trace-events';

/**
 * Accounts for every message of a trace: for each subscriber of a topic, published = delivered + dead-lettered +
 * filtered out + lost + still under way.
 *
 * A message counts as delivered when the subscriber has processed it: deleted it from its queue, or its function
 * returned without an error. A dead letter counts as dead-lettered while its queue holds it, and also after it was
 * deleted from there. It is lost when it expires there, is purged, or its queue is deleted.
 *
 * A dead letter that a message move task moves is under way again. Copies that an operator sends by hand are not
 * counted: they do not change the state of the original message. A function must be subscribed to one topic only.
 *
 * A message that was published while its topic had no confirmed subscription is in no account: `unreceived` counts it.
 */
export class Ledger {
  private readonly bySubscription = new Map<string, Account>();
  private readonly byFunction = new Map<string, Account>();
  /** Unfinished events with messages, by request id. */
  private readonly byRequest = new Map<string, Account>();
  private readonly notifications = new QueuedNotifications();
  private readonly unreceivedByTopic = new Map<string, UnreceivedMessages['reasons']>();

  static of(events: readonly AwsTraceEvent[]): Ledger {
    const ledger = new Ledger();
    for (const event of events) ledger.enter(event);
    return ledger;
  }

  /**
   * Returns for each subscriber what became of its messages, in the order of subscription.
   * @param topicArn only the subscribers of this topic. @default - those of all topics
   */
  accounts(topicArn?: string): readonly SubscriberAccount[] {
    return [...this.bySubscription.values()]
      .filter(account => topicArn === undefined || account.topicArn === topicArn)
      .map(account => account.statement());
  }

  /**
   * Returns for each topic how many messages it dropped because it had no confirmed subscription. Only topics that
   * dropped some are listed.
   * @param topicArn only this topic. @default - all topics
   */
  unreceived(topicArn?: string): readonly UnreceivedMessages[] {
    return [...this.unreceivedByTopic]
      .filter(([arn]) => topicArn === undefined || arn === topicArn)
      .map(([arn, reasons]) => ({
        topicArn: arn,
        messages: Object.values(reasons).reduce((sum, count) => sum + count, 0),
        reasons,
      }));
  }

  private enter(event: AwsTraceEvent): void {
    this.enterTopic(event);
    this.enterQueue(event);
    this.enterFunction(event);
  }

  private enterTopic(event: AwsTraceEvent): void {
    switch (event.type) {
      case 'sns.subscribed': {
        const account = new Account(event, !event.pending);
        this.bySubscription.set(event.subscriptionArn, account);
        this.byFunction.set(event.endpoint, account);
        return;
      }
      case 'sns.confirmed':
        this.bySubscription.get(event.subscriptionArn)?.open();
        return;
      case 'sns.unsubscribed':
        this.bySubscription.get(event.subscriptionArn)?.close();
        return;
      case 'sns.published':
        for (const account of this.bySubscription.values()) account.publish(event.topicArn);
        return;
      case 'sns.unreceived': {
        const reasons = this.unreceivedByTopic.get(event.topicArn) ?? NONE_UNRECEIVED;
        this.unreceivedByTopic.set(event.topicArn, { ...reasons, [event.reason]: reasons[event.reason] + 1 });
        return;
      }
      case 'sns.filtered':
        this.bySubscription.get(event.subscriptionArn)?.filterOut();
        return;
      case 'sns.delivered':
        this.delivered(event.protocol, this.bySubscription.get(event.subscriptionArn));
        return;
      case 'sns.dead-lettered':
        this.deadLetter(this.bySubscription.get(event.subscriptionArn), event.deadLetterQueueArn);
        return;
      case 'sns.lost':
        this.bySubscription.get(event.subscriptionArn)?.lose();
    }
  }

  private enterQueue(event: AwsTraceEvent): void {
    switch (event.type) {
      case 'sqs.sent':
        this.notifications.sent(event.queueArn, event.messageId);
        return;
      case 'sqs.deleted': {
        const notification = this.notifications.take(event.queueArn, event.messageId);
        if (!notification?.isDeadLetter) notification?.account.deliver();
        return;
      }
      case 'sqs.dead-lettered': {
        const account = this.withdraw(event.queueArn, this.notifications.take(event.queueArn, event.messageId));
        this.deadLetter(account, event.deadLetterQueueArn, event.messageId);
        return;
      }
      case 'sqs.moved': {
        const account = this.withdraw(event.queueArn, this.notifications.take(event.queueArn, event.messageId));
        if (account)
          this.notifications.keep(event.destinationArn, { account, isDeadLetter: false }, event.newMessageId);
        return;
      }
      case 'sqs.expired':
        this.withdraw(event.queueArn, this.notifications.take(event.queueArn, event.messageId))?.lose();
        return;
      case 'sqs.purged':
      case 'sqs.queue-deleted':
        for (const notification of this.notifications.takeAll(event.queueArn))
          this.withdraw(event.queueArn, notification)?.lose();
    }
  }

  /** Records that SNS delivered the message. The queue's consumer or the function may still fail. */
  private delivered(protocol: string, account: Account | undefined): void {
    if (!account || protocol === 'lambda') return;
    if (protocol === 'sqs') this.notifications.keep(account.endpoint, { account, isDeadLetter: false });
    else account.deliver();
  }

  /** @param messageId its id in the queue. @default that of the message just sent to the queue */
  private deadLetter(account: Account | undefined, queueArn: string, messageId?: string): void {
    if (!account) return;
    account.deadLetter(nameInArn(queueArn));
    this.notifications.keep(queueArn, { account, isDeadLetter: true }, messageId);
  }

  /** Records that a message left the queue unprocessed. Returns its account. */
  private withdraw(queueArn: string, notification: QueuedNotification | undefined): Account | undefined {
    if (notification?.isDeadLetter) notification.account.withdrawDeadLetter(nameInArn(queueArn));
    return notification?.account;
  }

  private enterFunction(event: AwsTraceEvent): void {
    switch (event.type) {
      case 'lambda.event-queued': {
        const { functionArn, qualifier } = event;
        const account = this.byFunction.get(qualifier === undefined ? functionArn : `${functionArn}:${qualifier}`);
        if (account && event.messageIds.length > 0) this.byRequest.set(event.requestId, account);
        return;
      }
      case 'lambda.finished':
        if (event.outcome === 'success') this.endOf(event.requestId)?.deliver();
        return;
      case 'lambda.dead-lettered':
        this.deadLetter(this.endOf(event.requestId), event.targetArn);
        return;
      case 'lambda.destination-delivered':
        this.deadLetter(this.endOf(event.requestId), event.destinationArn);
        return;
      case 'lambda.lost':
        this.endOf(event.requestId)?.lose();
    }
  }

  /** Returns the account of an event that is now finished. Later events with this id are copies. */
  private endOf(requestId: string): Account | undefined {
    const account = this.byRequest.get(requestId);
    this.byRequest.delete(requestId);
    return account;
  }
}

const NONE_UNRECEIVED = { unsubscribed: 0, unconfirmed: 0, 'never-subscribed': 0 };

/** The messages that were published to a topic while it had no confirmed subscription. */
export interface UnreceivedMessages {
  readonly topicArn: string;
  readonly messages: number;
  /**
   * Why the topic had no confirmed subscription: a subscription was deleted, none was confirmed yet, or there never was
   * one.
   */
  readonly reasons: Readonly<Record<UnreceivedReason, number>>;
}

/** The messages published to one subscriber, and what happened to them. */
export interface SubscriberAccount {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly protocol: string;
  /** An ARN, a URL or an address. */
  readonly endpoint: string;
  readonly published: number;
  /** Processed by the subscriber. */
  readonly delivered: number;
  /** By the name of the dead-letter queue that holds them, or held them until they were deleted. */
  readonly deadLettered: Readonly<Record<string, number>>;
  /** Rejected by the subscription's filter policy. */
  readonly filteredOut: number;
  /** Neither delivered nor in any queue. */
  readonly lost: number;
  /** Waiting for a retry, or for the consumer. */
  readonly underWay: number;
}

/** Counts what becomes of the messages of one subscriber, while the trace is read. */
class Account {
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

  /** Starts counting what is published: the subscription exists. */
  open(): void {
    this.receiving = true;
  }

  /** Stops counting what is published: the subscription was deleted. */
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
interface QueuedNotification {
  readonly account: Account;
  /** Whether it is in a dead-letter queue because it did not reach its subscriber. */
  readonly isDeadLetter: boolean;
}

/** The messages in queues that were published to subscribers. Messages from other senders are not included. */
class QueuedNotifications {
  private readonly newest = new Map<string, string>();
  private readonly byQueue = new Map<string, Map<string, QueuedNotification>>();

  /** Records a message sent to the queue. A later event tells which subscriber it belongs to. */
  sent(queueArn: string, messageId: string): void {
    this.newest.set(queueArn, messageId);
  }

  /**
   * @param messageId its id in the queue. @default that of the newest message: SNS and Lambda record their event
   *   directly after the send
   */
  keep(queueArn: string, notification: QueuedNotification, messageId = this.newest.get(queueArn)): void {
    if (messageId === undefined) return;
    const inQueue = this.byQueue.get(queueArn) ?? new Map<string, QueuedNotification>();
    this.byQueue.set(queueArn, inQueue.set(messageId, notification));
  }

  take(queueArn: string, messageId: string): QueuedNotification | undefined {
    const inQueue = this.byQueue.get(queueArn);
    const notification = inQueue?.get(messageId);
    inQueue?.delete(messageId);
    return notification;
  }

  takeAll(queueArn: string): readonly QueuedNotification[] {
    const notification = [...(this.byQueue.get(queueArn)?.values() ?? [])];
    this.byQueue.delete(queueArn);
    return notification;
  }
}
