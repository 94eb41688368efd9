import type { Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';

/** Where a VPC made elsewhere has its private subnets. */
export const SUBNETS = ['subnet-0a1b2c3d4e5f60718', 'subnet-0b1c2d3e4f5061728'];

/** A VPC that was made elsewhere, with private subnets in two zones; in another Region, where it is told one. */
export function vpcIn(stack: Stack, region?: string): IVpc {
  return Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['us-east-1a', 'us-east-1b'],
    privateSubnetIds: SUBNETS,
    privateSubnetRouteTableIds: ['rtb-1', 'rtb-2'],
    ...(region && { region }),
  });
}

/** A security group that was made elsewhere. */
export function groupIn(stack: Stack): ISecurityGroup {
  return SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-0123456789abcdef0');
}
