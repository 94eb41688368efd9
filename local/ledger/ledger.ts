import type { AwsHappening } from '../happenings';
import { parseArn } from '../kernel/arn';
import { Account, type SubscriberAccount } from './account';

export type { SubscriberAccount } from './account';

/** Where SNS's part is not the whole way: the queue's consumer, or the function, may still fail on the message. */
const GOES_ON_AFTER_SNS: ReadonlySet<string> = new Set(['sqs', 'lambda']);

/**
 * Keeps the books of a trace: for each subscriber of a topic, published = delivered + dead-lettered + filtered out +
 * lost + still under way.
 *
 * A message counts as delivered when the subscriber is done with it: deleted from its queue, or taken by its function
 * without an error. It assumes that a subscribed queue or function gets its messages from that one subscription.
 */
export class Ledger {
  private readonly bySubscription = new Map<string, Account>();
  private readonly byEndpoint = new Map<string, Account>();
  /** The events that carry messages and have not come to their end, by request id. */
  private readonly byRequest = new Map<string, Account>();

  /** The books of everything that has happened. */
  static of(happenings: readonly AwsHappening[]): Ledger {
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

  private enter(happening: AwsHappening): void {
    this.enterTopic(happening);
    this.enterQueue(happening);
    this.enterFunction(happening);
  }

  private enterTopic(happening: AwsHappening): void {
    switch (happening.type) {
      case 'sns.subscribed': {
        const account = new Account(happening, !happening.pending);
        this.bySubscription.set(happening.subscriptionArn, account);
        this.byEndpoint.set(happening.endpoint, account);
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
        if (!GOES_ON_AFTER_SNS.has(happening.protocol)) this.bySubscription.get(happening.subscriptionArn)?.deliver();
        return;
      case 'sns.dead-lettered':
        this.bySubscription.get(happening.subscriptionArn)?.deadLetter(nameOf(happening.deadLetterQueueArn));
        return;
      case 'sns.lost':
        this.bySubscription.get(happening.subscriptionArn)?.lose();
    }
  }

  private enterQueue(happening: AwsHappening): void {
    switch (happening.type) {
      case 'sqs.deleted':
        this.byEndpoint.get(happening.queueArn)?.deliver();
        return;
      case 'sqs.dead-lettered':
        this.byEndpoint.get(happening.queueArn)?.deadLetter(nameOf(happening.deadLetterQueueArn));
        return;
      case 'sqs.expired':
        this.byEndpoint.get(happening.queueArn)?.lose();
        return;
      case 'sqs.purged':
        this.byEndpoint.get(happening.queueArn)?.lose(happening.messages);
    }
  }

  private enterFunction(happening: AwsHappening): void {
    switch (happening.type) {
      case 'lambda.event-queued': {
        const account = this.byEndpoint.get(happening.functionArn);
        if (account && happening.messageIds.length > 0) this.byRequest.set(happening.requestId, account);
        return;
      }
      case 'lambda.finished':
        if (happening.outcome === 'success') this.endOf(happening.requestId)?.deliver();
        return;
      case 'lambda.dead-lettered':
        this.endOf(happening.requestId)?.deadLetter(nameOf(happening.targetArn));
        return;
      case 'lambda.destination-delivered':
        this.endOf(happening.requestId)?.deadLetter(nameOf(happening.destinationArn));
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

/** The name at the end of an ARN. */
function nameOf(arn: string): string {
  return parseArn(arn)?.resource ?? arn;
}
