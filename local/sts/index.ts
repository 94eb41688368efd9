export { Sts } from './sts';
export type { StsTraceEvent } from './sts-action';
