import { notFound } from '../errors';
import type { ConfirmationToken, Subscription, Topic } from './topic-and-subscription';

export class Directory {
  private readonly topicsByArn = new Map<string, Topic>();
  private readonly subscriptionsByArn = new Map<string, Subscription>();
  /** Includes deleted subscriptions that can still be restored. */
  private readonly subscriptionsByToken = new Map<string, Subscription>();

  /** In the order in which they were created. */
  get topics(): readonly Topic[] {
    return [...this.topicsByArn.values()];
  }

  /** In the order in which they were created. */
  get subscriptions(): readonly Subscription[] {
    return [...this.subscriptionsByArn.values()];
  }

  findTopic(arn: string | undefined): Topic | undefined {
    return arn === undefined ? undefined : this.topicsByArn.get(arn);
  }

  findSubscription(arn: string | undefined): Subscription | undefined {
    return arn === undefined ? undefined : this.subscriptionsByArn.get(arn);
  }

  findByToken(token: string): Subscription | undefined {
    return this.subscriptionsByToken.get(token);
  }

  subscription(arn: string | undefined): Subscription {
    const subscription = this.findSubscription(arn);
    if (!subscription) throw notFound('Subscription');
    return subscription;
  }

  addTopic(topic: Topic): void {
    this.topicsByArn.set(topic.arn, topic);
  }

  removeTopic(topic: Topic): void {
    this.topicsByArn.delete(topic.arn);
  }

  addSubscription(subscription: Subscription): void {
    subscription.deleted = false;
    subscription.topic.add(subscription);
    this.subscriptionsByArn.set(subscription.arn, subscription);
    this.subscriptionsByToken.set(subscription.token.text, subscription);
  }

  removeSubscription(subscription: Subscription): void {
    subscription.deleted = true;
    subscription.topic.remove(subscription);
    this.subscriptionsByArn.delete(subscription.arn);
    this.forgetToken(subscription);
  }

  /** Marks the subscriptions of a deleted queue: they do not apply to a new queue of the same name. */
  queueDeleted(queueArn: string): void {
    for (const subscription of this.subscriptionsByArn.values()) {
      const { protocol, endpoint } = subscription;
      if (protocol === 'sqs' && endpoint === queueArn) subscription.queueWasDeleted = true;
    }
  }

  /** From now on, `token` restores the deleted subscription. */
  offerBack(subscription: Subscription, token: ConfirmationToken): void {
    subscription.token = token;
    this.subscriptionsByToken.set(token.text, subscription);
  }

  forgetToken({ token }: Subscription): void {
    this.subscriptionsByToken.delete(token.text);
  }
}
