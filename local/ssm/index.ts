export type { SsmActions } from './actions/ssm-action';
export { ssmResourceTypes } from './resources';
export { Ssm } from './ssm';
export type { SsmContext, SsmTraceEvent } from './ssm-state';
