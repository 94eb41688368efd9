export type { SecretsManagerActions } from './actions/secrets-manager-action';
export { secretsManagerResourceTypes } from './resources';
export { SecretsManager } from './secrets-manager';
export type { SecretsManagerContext, SecretsManagerTraceEvent } from './secrets-state';
