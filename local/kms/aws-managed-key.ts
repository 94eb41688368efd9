import type { PolicyDocument } from '../kernel/access';
import type { Place } from '../kernel/place';

/** The services here that have a key of AWS's own in every account, by alias. */
const SERVICE_OF_ALIAS: Readonly<Record<string, string>> = {
  'alias/aws/secretsmanager': 'secretsmanager',
  'alias/aws/sns': 'sns',
  'alias/aws/sqs': 'sqs',
  'alias/aws/ssm': 'ssm',
};

/** The service whose AWS-managed key the alias names. */
export function serviceOfAwsManagedKey(aliasName: string): string | undefined {
  return Object.hasOwn(SERVICE_OF_ALIAS, aliasName) ? SERVICE_OF_ALIAS[aliasName] : undefined;
}

/**
 * The policy of an AWS-managed key. It lets in whoever belongs to the account and comes through its service. A service
 * that calls in its own name belongs to no account: SNS sending to a queue under `alias/aws/sqs` is refused, and
 * nothing can be granted to it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#aws-managed-cmk
 */
export function awsManagedKeyPolicy(service: string, place: Place, accountRootArn: string): PolicyDocument {
  return {
    Version: '2012-10-17',
    Id: `auto-${service}-1`,
    Statement: [
      {
        Sid: `Allow principals of the account that are authorized to use ${service}`,
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncrypt*',
          'kms:GenerateDataKey*',
          'kms:CreateGrant',
          'kms:DescribeKey',
        ],
        Resource: '*',
        Condition: {
          StringEquals: {
            'kms:CallerAccount': place.account,
            'kms:ViaService': `${service}.${place.region}.${place.urlSuffix}`,
          },
        },
      },
      {
        Sid: 'Allow direct access to key metadata to the account',
        Effect: 'Allow',
        Principal: { AWS: accountRootArn },
        Action: ['kms:Describe*', 'kms:Get*', 'kms:List*', 'kms:RevokeGrant'],
        Resource: '*',
      },
    ],
  };
}
