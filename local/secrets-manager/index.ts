export type { SecretsManagerTraceEvent } from './happenings';
export { secretsManagerResourceTypes } from './resources';
export { SecretsManager } from './secrets-manager';
export type { SecretsManagerActions } from './secrets-manager-actions';
export type { SecretsManagerContext } from './secrets-state';
