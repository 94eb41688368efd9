export { type AwsHostProps, awsHost, type WireService } from './aws-host';
export { urlAt } from './client-address';
export { type DocumentService, documentService } from './document-service';
export { elsewhere } from './elsewhere';
export type { WireHappening } from './happenings';
export { InMemoryHttpHandler } from './in-memory-http-handler';
export * from './models';
export { Control, type Journey, type Speed, TimeDriver, WireServer } from './server';
export type { ServiceModel } from './service-model';
