export { secretsManagerResourceTypes } from './resources';
export { SecretsManager } from './secrets-manager';
export type { SecretsManagerTraceEvent } from './trace-events';
