import { type IResource, Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, type ITopic, type Subscription, type Topic } from 'aws-cdk-lib/aws-sns';
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

/**
 * The key a queue made below `scope` may have of its topic: none of another account or Region. SNS could put letters in, but
 * nobody there could take them out.
 */
export function keyFor(scope: Construct, { masterKey, env }: Topic): IKey | undefined {
  const { account, region } = Stack.of(scope);
  const differs = (one: string, other: string) => Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
  return differs(account, env.account) || differs(region, env.region) ? undefined : masterKey;
}

/** The Region a subscription must name: the topic's, where the consumer's is another. */
export function regionOf(topic: ITopic, consumer: IResource): string | undefined {
  const crosses = Token.compareStrings(topic.env.region, consumer.env.region) === TokenComparison.DIFFERENT;
  return crosses ? topic.env.region : undefined;
}
