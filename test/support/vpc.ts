import type { Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';

/** The private subnets of an imported VPC. */
export const SUBNETS = ['subnet-0a1b2c3d4e5f60718', 'subnet-0b1c2d3e4f5061728'];

/** An imported VPC with private subnets in two zones, optionally in another Region. */
export function vpcIn(stack: Stack, region?: string): IVpc {
  return Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['us-east-1a', 'us-east-1b'],
    privateSubnetIds: SUBNETS,
    privateSubnetRouteTableIds: ['rtb-1', 'rtb-2'],
    ...(region && { region }),
  });
}

/** An imported security group. */
export function groupIn(stack: Stack): ISecurityGroup {
  return SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-0123456789abcdef0');
}
