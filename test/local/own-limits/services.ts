import { AWS_SERVICES, type AwsService } from '../../../local/kernel/aws-service';

export type Service = AwsService;

export const isService = (name: string): name is Service => AWS_SERVICES.some(service => service === name);

/** The folders of `local/` that answer for a service, besides `kernel`. */
export const FOLDERS: Readonly<Record<Service, readonly string[]>> = {
  cloudformation: ['cloudformation'],
  dynamodb: ['dynamodb'],
  events: ['events', 'event-delivery'],
  firehose: ['firehose'],
  iam: ['iam'],
  kms: ['kms'],
  lambda: ['lambda'],
  logs: ['logs'],
  monitoring: ['cloudwatch'],
  scheduler: ['scheduler', 'event-delivery'],
  secretsmanager: ['secrets-manager'],
  sns: ['sns'],
  sqs: ['sqs'],
  ssm: ['ssm'],
  sts: ['sts'],
};
