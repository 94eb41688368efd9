export type { Key, KeyState } from './key';
export { Kms } from './kms';
export type { CreateKeyInput, KmsContext, KmsTraceEvent } from './kms-state';
export { kmsResourceTypes } from './resources';
