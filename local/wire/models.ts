import type { AwsService } from '../kernel/aws-service';
import type { FaultyService } from '../kernel/faults';
import { streamSchemas } from './dynamodb-streams';
import { ServiceModel } from './service-model';

// A client is loaded when the first request for its service arrives. Loading all of them takes longer than most runs.

export const SQS_MODEL = new ServiceModel(
  {
    name: 'sqs',
    targetPrefix: 'AmazonSQS',
    queryCompatible: true,
    query: {
      addressed: { member: 'QueueUrl', path: /^\/\d{12}\/[^/]+$/, others: ['GetQueueUrl'] },
      texts: new Map([
        ['AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist for this wsdl version.'],
      ]),
      // The first was recorded on AWS. LocalStack, whose answers are compared with recordings, has the others.
      jsonNames: new Map([
        ['InvalidParameterValue', 'InvalidParameterValueException'],
        ['MissingParameter', 'MissingRequiredParameterException'],
        ['AccessDenied', 'AccessDeniedException'],
      ]),
      jsonMembers: new Map([['Messages', 'messages']]),
    },
    xmlNamespace: 'http://queue.amazonaws.com/doc/2012-11-05/',
    urlMembers: ['QueueUrl', 'QueueUrls', 'queueUrls'],
  },
  () => require('@aws-sdk/client-sqs'),
);

export const SNS_MODEL = new ServiceModel(
  {
    name: 'sns',
    targetPrefix: 'AmazonSimpleNotificationService',
    xmlNamespace: 'http://sns.amazonaws.com/doc/2010-03-31/',
    unsignedActions: ['ConfirmSubscription', 'Unsubscribe'],
  },
  () => require('@aws-sdk/client-sns'),
);

export const CLOUDWATCH_MODEL = new ServiceModel(
  {
    name: 'monitoring',
    sdkName: 'cloudwatch',
    targetPrefix: 'GraniteServiceVersion20100801',
    queryCompatible: true,
    xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/',
  },
  () => require('@aws-sdk/client-cloudwatch'),
);

export const LOGS_MODEL = new ServiceModel(
  {
    name: 'logs',
    sdkName: 'cloudwatchlogs',
    targetPrefix: 'Logs_20140328',
    jsonVersion: '1.1',
    missingMemberCode: 'InvalidParameterException',
  },
  () => require('@aws-sdk/client-cloudwatch-logs'),
);

export const DYNAMODB_MODEL = new ServiceModel(
  {
    name: 'dynamodb',
    targetPrefix: 'DynamoDB_20120810',
    secondApi: {
      targetPrefix: 'DynamoDBStreams_20120810',
      hosts: ['streams.dynamodb', 'streams-dynamodb'],
      schemas: client => streamSchemas(client as typeof import('@aws-sdk/client-dynamodb')),
    },
  },
  () => require('@aws-sdk/client-dynamodb'),
);

export const LAMBDA_MODEL = new ServiceModel({ name: 'lambda', missingMemberCode: 'ValidationException' }, () =>
  require('@aws-sdk/client-lambda'),
);

export const EVENTS_MODEL = new ServiceModel(
  {
    name: 'events',
    sdkName: 'eventbridge',
    targetPrefix: 'AWSEvents',
    jsonVersion: '1.1',
    missingMemberCode: 'ValidationException',
  },
  () => require('@aws-sdk/client-eventbridge'),
);

const FIREHOSE_MODEL = new ServiceModel(
  {
    name: 'firehose',
    targetPrefix: 'Firehose_20150804',
    jsonVersion: '1.1',
    missingMemberCode: 'ValidationException',
  },
  () => require('@aws-sdk/client-firehose'),
);

export const SCHEDULER_MODEL = new ServiceModel({ name: 'scheduler' }, () => require('@aws-sdk/client-scheduler'));

export const KMS_MODEL = new ServiceModel(
  { name: 'kms', targetPrefix: 'TrentService', jsonVersion: '1.1', missingMemberCode: 'ValidationException' },
  () => require('@aws-sdk/client-kms'),
);

export const STS_MODEL = new ServiceModel(
  {
    name: 'sts',
    xmlNamespace: 'https://sts.amazonaws.com/doc/2011-06-15/',
    isGlobal: true,
    missingMemberCode: 'ValidationError',
  },
  () => require('@aws-sdk/client-sts'),
);

export const IAM_MODEL = new ServiceModel(
  {
    name: 'iam',
    xmlNamespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
    isGlobal: true,
    missingMemberCode: 'ValidationError',
  },
  () => require('@aws-sdk/client-iam'),
);

export const SECRETS_MANAGER_MODEL = new ServiceModel(
  {
    name: 'secretsmanager',
    targetPrefix: 'secretsmanager',
    jsonVersion: '1.1',
    missingMemberCode: 'ValidationException',
  },
  () => require('@aws-sdk/client-secrets-manager'),
);

export const SSM_MODEL = new ServiceModel(
  { name: 'ssm', targetPrefix: 'AmazonSSM', jsonVersion: '1.1', missingMemberCode: 'ValidationException' },
  () => require('@aws-sdk/client-ssm'),
);

const CLOUDFORMATION_MODEL = new ServiceModel(
  {
    name: 'cloudformation',
    xmlNamespace: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    urlMembers: 'any',
    missingMemberCode: 'ValidationError',
  },
  () => require('@aws-sdk/client-cloudformation'),
);

export const MODELS: Readonly<Record<AwsService, ServiceModel>> = {
  cloudformation: CLOUDFORMATION_MODEL,
  dynamodb: DYNAMODB_MODEL,
  events: EVENTS_MODEL,
  firehose: FIREHOSE_MODEL,
  iam: IAM_MODEL,
  kms: KMS_MODEL,
  lambda: LAMBDA_MODEL,
  logs: LOGS_MODEL,
  monitoring: CLOUDWATCH_MODEL,
  scheduler: SCHEDULER_MODEL,
  secretsmanager: SECRETS_MANAGER_MODEL,
  sns: SNS_MODEL,
  sqs: SQS_MODEL,
  ssm: SSM_MODEL,
  sts: STS_MODEL,
};

export const SERVICE_MODELS: readonly ServiceModel[] = Object.values(MODELS);

/** The actions of a service that faults can apply to: all that its SDK client knows. A deployed API has only one. */
export function faultyActions(service: FaultyService): Iterable<string> {
  if (service === 'execute-api') return ['Invoke'];
  return MODELS[service === 'cloudwatch' ? 'monitoring' : service].operations.keys();
}
