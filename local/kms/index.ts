export type { Key, KeyState } from './key';
export { type CreateKeyInput, Kms, type KmsContext, type KmsTraceEvent } from './kms';
export { kmsResourceTypes } from './resources';
