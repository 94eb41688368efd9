import { type IResource, Names, Token, TokenComparison } from 'aws-cdk-lib';
import {
  CfnSubscription,
  type ITopic,
  LoggingProtocol,
  type Subscription,
  type SubscriptionOptions,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import { Construct, type IDependable } from 'constructs';
import type { Problem } from '../policy/problem';
import type { TopicDeliveryOptions } from '../topic-delivery';
import { consumerPlaceProblems, deadLetterQueueProblems } from './delivery-checks';
import { filterProblems } from './filter-policy';

/** One delivery, once all that is particular to its protocol has been settled. */
export interface Delivery {
  readonly protocol: SubscriptionProtocol;
  readonly endpoint: string;
  readonly options: TopicDeliveryOptions & Pick<SubscriptionOptions, 'rawMessageDelivery'>;
  /** The queue or function delivered to; an endpoint is none of ours. */
  readonly consumer?: IResource;
  /** Whether its dead-letter queue must be FIFO. */
  readonly fifo: boolean;
  readonly problems: readonly Problem[];
  /** Gives the topic its access; returns what the subscription must depend on. */
  readonly admit: (scope: Construct) => IDependable[];
}

/** The protocols whose deliveries SNS can log. @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html */
export const LOGGING_PROTOCOLS: Readonly<Record<string, LoggingProtocol>> = {
  [SubscriptionProtocol.SQS]: LoggingProtocol.SQS,
  [SubscriptionProtocol.LAMBDA]: LoggingProtocol.LAMBDA,
  [SubscriptionProtocol.HTTP]: LoggingProtocol.HTTP,
  [SubscriptionProtocol.HTTPS]: LoggingProtocol.HTTP,
  [SubscriptionProtocol.FIREHOSE]: LoggingProtocol.FIREHOSE,
  [SubscriptionProtocol.APPLICATION]: LoggingProtocol.APPLICATION,
};

/** Where a delivery is made, and by what id. */
export interface DeliveryPlace {
  readonly parent: Construct;
  readonly id: string;
}

/**
 * Among its topic's deliveries; beside its consumer where that is in another stack, or the two stacks would need each
 * other.
 */
export function placeOf(
  topic: ITopic & Construct,
  deliveries: Construct,
  id: string,
  consumer: IResource | undefined,
): DeliveryPlace {
  if (!consumer || consumer.stack === topic.stack || !(consumer instanceof Construct))
    return { parent: deliveries, id };
  return { parent: consumer, id: `${Names.nodeUniqueId(topic.node)}${id}` };
}

/** Everything SNS would reject of a delivery. */
export function problemsOf(topic: ITopic, { parent }: DeliveryPlace, delivery: Delivery): Problem[] {
  const { consumer, options, fifo, problems } = delivery;
  const { deadLetterQueue } = options;
  return [
    ...problems,
    ...filterProblems(options),
    ...(deadLetterQueue ? deadLetterQueueProblems(parent, deadLetterQueue, topic, fifo) : []),
    ...(consumer && !deadLetterQueue ? consumerPlaceProblems(consumer, topic) : []),
  ];
}

/** A subscription's own resource. The construct has made it before anybody can ask. */
export function resourceOf(subscription: Subscription): CfnSubscription {
  const resource = subscription.node.defaultChild;
  if (resource instanceof CfnSubscription) return resource;
  throw new Error(`${subscription.node.path} has no AWS::SNS::Subscription`);
}

/** The Region a subscription must name: the topic's, where the consumer's is another. */
export function regionOf(topic: ITopic, consumer: IResource): string | undefined {
  const crosses = Token.compareStrings(topic.env.region, consumer.env.region) === TokenComparison.DIFFERENT;
  return crosses ? topic.env.region : undefined;
}
