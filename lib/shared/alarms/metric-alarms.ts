import { CfnResource } from 'aws-cdk-lib';
import type { CfnAlarm, IAlarm } from 'aws-cdk-lib/aws-cloudwatch';

/** The metric alarm behind `alarm`; undefined of a composite one, and of one that was made elsewhere. */
export function ownedMetricAlarm({ node: { defaultChild } }: IAlarm): CfnAlarm | undefined {
  const isOwned =
    defaultChild !== undefined &&
    CfnResource.isCfnResource(defaultChild) &&
    defaultChild.cfnResourceType === 'AWS::CloudWatch::Alarm';
  return isOwned ? (defaultChild as CfnAlarm) : undefined;
}
