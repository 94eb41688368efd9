import {
  DeleteTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  PublishCommand,
  type PublishCommandInput,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import type { QueueAttributeName } from '@aws-sdk/client-sqs';
import { Queue } from './queue';
import { OPEN_TO_TOPICS, type Target } from './target';

type Attributes = Readonly<Record<string, string>>;
type QueueAttributes = Partial<Record<QueueAttributeName, string>>;

/** One topic, and the calls of a client to it. */
export class Topic {
  private constructor(
    private readonly aws: Target,
    readonly arn: string,
  ) {}

  static async of(aws: Target, attributes: Attributes = {}): Promise<Topic> {
    return new Topic(aws, await aws.topic(attributes));
  }

  /** A FIFO topic that deduplicates by content. */
  static fifo(aws: Target): Promise<Topic> {
    return Topic.of(aws, { FifoTopic: 'true', ContentBasedDeduplication: 'true' });
  }

  get name(): string {
    return this.arn.slice(this.arn.lastIndexOf(':') + 1);
  }

  /** The ARN of something else in its account, by default in its Region. */
  neighbour(service: string, resource: string, elsewhere?: string): string {
    const [arn, partition, , region, account] = this.arn.split(':');
    return [arn, partition, service, elsewhere ?? region, account, resource].join(':');
  }

  /** A Region other than the topic's. */
  get otherRegion(): string {
    return this.arn.includes(':eu-west-1:') ? 'us-east-1' : 'eu-west-1';
  }

  publish(Message: string, options: Omit<PublishCommandInput, 'TopicArn' | 'Message'> = {}) {
    return this.aws.sns.send(new PublishCommand({ TopicArn: this.arn, Message, ...options }));
  }

  /** Answers the ARN of the subscription, confirmed or not. */
  async subscribe(Protocol: string, Endpoint: string, attributes: Attributes = {}): Promise<string> {
    const asked = new SubscribeCommand({
      TopicArn: this.arn,
      Protocol,
      Endpoint,
      Attributes: attributes,
      ReturnSubscriptionArn: true,
    });
    return (await this.aws.sns.send(asked)).SubscriptionArn ?? '';
  }

  /** Creates a queue that is subscribed to this topic. */
  async queue(attributes: Attributes = {}, queueAttributes: QueueAttributes = {}): Promise<Queue> {
    const queue = await openQueue(this.aws, queueAttributes);
    await this.subscribe('sqs', queue.arn, attributes);
    return queue;
  }

  remove() {
    return this.aws.sns.send(new DeleteTopicCommand({ TopicArn: this.arn }));
  }

  unsubscribe(SubscriptionArn: string) {
    return this.aws.sns.send(new UnsubscribeCommand({ SubscriptionArn }));
  }

  set(AttributeName: string, AttributeValue: string) {
    return this.aws.sns.send(new SetTopicAttributesCommand({ TopicArn: this.arn, AttributeName, AttributeValue }));
  }

  async attributes(): Promise<Partial<Attributes>> {
    return (await this.aws.sns.send(new GetTopicAttributesCommand({ TopicArn: this.arn }))).Attributes ?? {};
  }

  setOf(SubscriptionArn: string, AttributeName: string, AttributeValue: string) {
    return this.aws.sns.send(new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }));
  }

  async attributesOf(SubscriptionArn: string): Promise<Partial<Attributes>> {
    const asked = new GetSubscriptionAttributesCommand({ SubscriptionArn });
    return (await this.aws.sns.send(asked)).Attributes ?? {};
  }
}

/** A queue that topics may send to. */
export function openQueue(aws: Target, attributes: QueueAttributes = {}): Promise<Queue> {
  return Queue.of(aws, { Policy: OPEN_TO_TOPICS, ...attributes });
}

/** The attributes of a subscription whose dead letters go to a queue. */
export function redriveTo({ arn }: Queue): { readonly RedrivePolicy: string } {
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn }) };
}

/** The attributes of a subscription with a delivery policy of its own. */
export function deliveryPolicy(policy: object): { readonly DeliveryPolicy: string } {
  return { DeliveryPolicy: JSON.stringify(policy) };
}
