export { awsHost, urlAt, type WireService } from './aws-host';
export { Control } from './control/control';
export type { Rewind, RewindTo } from './control/route';
export { documentService } from './document-service';
export { InMemoryHttpHandler } from './in-memory-http-handler';
export {
  CLOUDWATCH_MODEL,
  DYNAMODB_MODEL,
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
export { isObserved } from './observer';
export type { ClientRequest } from './server/client-request';
export { type Pages, type ServedAws, WireServer } from './server/server';
export { type Speed, type TimeAdvance, TimeDriver } from './server/time-driver';
export type { ServiceModel } from './service-model';
export type { WireTraceEvent } from './trace-events';
export { type Answer, awsError, type ServiceCall } from './unsimulated/answer';
export { Forwarder, type ForwardOptions } from './unsimulated/forwarder';
export type { AnswerOptions, OtherService } from './unsimulated/other-service';
export { OtherServices } from './unsimulated/other-services';
export { unsimulatedServices } from './unsimulated/unsimulated-services';
