export { type AwsHostProps, awsHost, urlAt, type WireService, type WireTraceEvent } from './aws-host';
export { type DocumentService, documentService } from './document-service';
export { InMemoryHttpHandler } from './in-memory-http-handler';
export {
  CLOUDFORMATION_MODEL,
  CLOUDWATCH_MODEL,
  EVENTS_MODEL,
  faultyActions,
  IAM_MODEL,
  KMS_MODEL,
  LAMBDA_MODEL,
  LOGS_MODEL,
  MODELS,
  SCHEDULER_MODEL,
  SECRETS_MANAGER_MODEL,
  SERVICE_MODELS,
  SNS_MODEL,
  SQS_MODEL,
  SSM_MODEL,
  STS_MODEL,
} from './models';
export { Control, type Speed, type TimeAdvance, TimeDriver, WireServer } from './server';
export type { ServiceModel } from './service-model';
export { unsimulatedServices } from './unsimulated-services';
