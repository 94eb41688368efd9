export type { KmsTraceEvent } from './happenings';
export type { Key, KeyState } from './key';
export { type CreateKeyInput, Kms, type KmsContext } from './kms';
export { kmsResourceTypes } from './resources';
