import { AccessRefused, type AwsError } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { invalidParameter } from '../errors';
import type { LambdaContext } from '../ports';

/** Where a function's network interfaces are to be; nowhere, where both are empty. */
export interface FunctionNetwork {
  readonly subnetIds?: readonly string[] | undefined;
  readonly securityGroupIds?: readonly string[] | undefined;
}

/** What Lambda is known to ask for before it makes the function, and there is an interface: so it asks of all of them. */
const ASKED_FIRST = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'];

/**
 * What AWS has against a function's network: that half of it is missing, or that the role may not have network interfaces.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function networkProblem(
  { subnetIds = [], securityGroupIds = [] }: FunctionNetwork,
  roleArn: string,
  { access }: Pick<LambdaContext, 'access'>,
): AwsError | undefined {
  if ((subnetIds.length === 0) !== (securityGroupIds.length === 0)) {
    return invalidParameter('SubnetIds and SecurityIds must coexist or be both empty list.');
  }
  if (subnetIds.length === 0) return undefined;
  for (const name of ASKED_FIRST) {
    const { allowed, reason } = access.decide({ caller: roleCaller(roleArn), action: `ec2:${name}`, resource: '*' });
    const text = `The provided execution role does not have permissions to call ${name} on EC2`;
    if (!allowed) return new AccessRefused('InvalidParameterValueException', text, 400, reason);
  }
  return undefined;
}
