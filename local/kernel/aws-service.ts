/**
 * The services that have an API, by the names of their hosts. Tables with one entry a service use these names as keys,
 * so that the compiler names what a new service still needs.
 */
export const AWS_SERVICES = [
  'cloudformation',
  'dynamodb',
  'events',
  'firehose',
  'iam',
  'kms',
  'lambda',
  'logs',
  'monitoring',
  'scheduler',
  'secretsmanager',
  'sns',
  'sqs',
  'ssm',
  'sts',
] as const;

export type AwsService = (typeof AWS_SERVICES)[number];
