export { ssmResourceTypes } from './resources';
export { Ssm } from './ssm';
export type { SsmTraceEvent } from './trace-events';
