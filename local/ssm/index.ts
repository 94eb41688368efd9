export type { SsmTraceEvent } from './happenings';
export { ssmResourceTypes } from './resources';
export { Ssm } from './ssm';
export type { SsmActions } from './ssm-actions';
export type { SsmContext } from './ssm-state';
