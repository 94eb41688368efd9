export { Kms } from './kms';
export { kmsResourceTypes } from './resources';
export type { KmsTraceEvent } from './trace-events';
