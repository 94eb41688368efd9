import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { Construct } from 'constructs';

/** @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html */
const STREAM_ACTIONS = [
  'firehose:DescribeDeliveryStream',
  'firehose:ListDeliveryStreams',
  'firehose:ListTagsForDeliveryStream',
  'firehose:PutRecord',
  'firehose:PutRecordBatch',
];

/**
 * The role SNS writes to one Firehose stream with. Its trust has no condition on the source: as for the role of
 * delivery-status logging, AWS documents none.
 */
export function addStreamRole(scope: Construct, stream: IDeliveryStream): Role {
  const role = new Role(scope, 'Role', {
    description: 'Lets SNS put messages into a Firehose stream.',
    assumedBy: new ServicePrincipal('sns.amazonaws.com'),
  });
  role.addToPolicy(new PolicyStatement({ actions: STREAM_ACTIONS, resources: [stream.deliveryStreamArn] }));
  return role;
}
