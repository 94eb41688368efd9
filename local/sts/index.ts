export { Sts } from './sts';
export type { StsActions, StsContext, StsTraceEvent } from './sts-action';
