export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement: unknown;
}

const LOG_WRITING = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

function allow(Action: readonly string[]): PolicyDocument {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource: '*' }] };
}

/**
 * AWS managed policies that constructs attach by default, by the part after `arn:aws:iam::aws:policy/`.
 *
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
 */
export const AWS_MANAGED_POLICIES: Readonly<Record<string, PolicyDocument>> = {
  'service-role/AWSLambdaBasicExecutionRole': allow(LOG_WRITING),
  'service-role/AWSLambdaSQSQueueExecutionRole': allow([
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    ...LOG_WRITING,
  ]),
  'service-role/AWSLambdaVPCAccessExecutionRole': allow([
    ...LOG_WRITING,
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ]),
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': allow([
    ...LOG_WRITING,
    'logs:DescribeLogGroups',
    'logs:DescribeLogStreams',
    'logs:GetLogEvents',
    'logs:FilterLogEvents',
  ]),
  'service-role/AmazonSNSRole': allow([...LOG_WRITING, 'logs:PutMetricFilter', 'logs:PutRetentionPolicy']),
  AdministratorAccess: allow(['*']),
};
