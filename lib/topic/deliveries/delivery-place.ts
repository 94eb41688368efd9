import { type IResource, Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, type ITopic, type Subscription } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

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

/** A subscription's own resource. The construct has made it before anybody can ask. */
export function resourceOf(subscription: Subscription): CfnSubscription {
  const resource = subscription.node.defaultChild;
  if (resource instanceof CfnSubscription) return resource;
  throw new Error(`${subscription.node.path} has no AWS::SNS::Subscription`);
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

/** Whether a topic is known to be of another account or Region than the stack of `scope`. */
export function isElsewhere(scope: Construct, { env }: ITopic): boolean {
  const { account, region } = Stack.of(scope);
  return differs(account, env.account) || differs(region, env.region);
}

/**
 * The key a queue made below `scope` may have of its topic: none of another account or Region. SNS could put letters in, but
 * nobody there could take them out.
 */
export function keyFor(scope: Construct, topic: ITopic, key: IKey | undefined): IKey | undefined {
  return isElsewhere(scope, topic) ? undefined : key;
}

/** The Region of who is delivered to: that of the stack, where it is none of ours. */
export function consumerRegion(scope: Construct, consumer: IResource | undefined): string {
  return consumer?.env.region ?? Stack.of(scope).region;
}

/** The Region a subscription must name: the topic's, where the consumer's is another. */
export function regionOf(scope: Construct, topic: ITopic, consumer: IResource | undefined): string | undefined {
  return differs(topic.env.region, consumerRegion(scope, consumer)) ? topic.env.region : undefined;
}
