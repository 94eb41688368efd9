import { Validations } from 'aws-cdk-lib';
import { Effect, Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** In which network a function runs: none of the account's own, where there is no `vpc`. */
export type FunctionNetwork = Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups' | 'allowAllOutbound'>;

/**
 * What Lambda does to the network interfaces of a function, in the name of the function's role.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
const INTERFACE_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Lets Lambda have network interfaces in a VPC. It asks before there is one, and so of all resources. */
export function interfaceStatement(): PolicyStatement {
  return new PolicyStatement({ actions: INTERFACE_ACTIONS, resources: ['*'] });
}

/**
 * Leaves the permissions of `interfaceStatement` to Lambda alone: what the function's own code asks for is refused. It is a
 * policy of its own, for it names the function, which waits for all that stands in the role's other one.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function keepInterfacesFromCode(scope: Construct, handler: LambdaFunction, role: Role): void {
  const denied = new PolicyStatement({
    effect: Effect.DENY,
    actions: INTERFACE_ACTIONS,
    resources: ['*'],
    conditions: { ArnEquals: { 'lambda:SourceFunctionArn': handler.functionArn } },
  });
  new Policy(scope, 'NoInterfacesForCode', { roles: [role], statements: [denied] });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda asks for the permissions to manage network interfaces before there is one, and the code itself is denied them.',
  });
}
