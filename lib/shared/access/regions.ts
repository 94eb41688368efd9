import { type IResource, Token, TokenComparison } from 'aws-cdk-lib';
import { type IPrincipal, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { RegionInfo } from 'aws-cdk-lib/region-info';

/** A Region as far as it is known. */
export function isOptIn(region: string): boolean {
  return !Token.isUnresolved(region) && RegionInfo.get(region).isOptInRegion;
}

/** Opt-in Regions have a principal of their own. */
function optInPrincipal(region: string): string | undefined {
  return isOptIn(region) ? `sns.${region}.amazonaws.com` : undefined;
}

/**
 * The name by which SNS comes to a queue or function: across Regions, that of whichever Region is opt-in.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function snsPrincipal(topic: ITopic, consumer: IResource): IPrincipal {
  const [from, to] = [topic.env.region, consumer.env.region];
  const crosses = Token.compareStrings(from, to) === TokenComparison.DIFFERENT;
  const optIn = crosses ? (optInPrincipal(to) ?? optInPrincipal(from)) : undefined;
  return optIn ? ServicePrincipal.fromStaticServicePrincipleName(optIn) : new ServicePrincipal('sns.amazonaws.com');
}
