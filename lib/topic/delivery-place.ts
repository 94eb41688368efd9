import { type IResource, Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, type ITopic, type Subscription } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The parent construct and the id of a delivery. */
export interface DeliveryPlace {
  readonly parent: Construct;
  readonly id: string;
}

/**
 * The place of a delivery: among the deliveries of its topic, or next to its consumer if that is in another stack.
 * Otherwise the two stacks would depend on each other.
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

export function resourceOf(subscription: Subscription): CfnSubscription {
  const resource = subscription.node.defaultChild;
  if (resource instanceof CfnSubscription) return resource;
  throw new Error(`${subscription.node.path} has no AWS::SNS::Subscription`);
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

/** Whether a topic is known to be in another account or Region than the stack of `scope`. */
export function isElsewhere(scope: Construct, { env }: ITopic): boolean {
  const { account, region } = Stack.of(scope);
  return differs(account, env.account) || differs(region, env.region);
}

/**
 * The topic's key for a queue created below `scope`; undefined in another account or Region, where SNS could send
 * messages but no consumer could decrypt them.
 */
export function keyFor(scope: Construct, topic: ITopic, key: IKey | undefined): IKey | undefined {
  return isElsewhere(scope, topic) ? undefined : key;
}

/** The Region of a consumer; that of the stack if it is not a construct of this app. */
export function consumerRegion(scope: Construct, consumer: IResource | undefined): string {
  return consumer?.env.region ?? Stack.of(scope).region;
}

/** The Region that a subscription must name: that of the topic, if the consumer is in another one. */
export function regionOf(scope: Construct, topic: ITopic, consumer: IResource | undefined): string | undefined {
  return differs(topic.env.region, consumerRegion(scope, consumer)) ? topic.env.region : undefined;
}
