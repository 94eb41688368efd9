/**
 * The services with an API of their own, by the names of their hosts. What there is one of for each is kept by these names,
 * so that the compiler says what a new service still lacks.
 */
export const AWS_SERVICES = [
  'cloudformation',
  'events',
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
