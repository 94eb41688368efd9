export { Kms } from './kms';
export type { KmsTraceEvent } from './kms-state';
export { kmsResourceTypes } from './resources';
