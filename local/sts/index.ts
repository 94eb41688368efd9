export type { StsTraceEvent } from './happenings';
export type { StsContext } from './ports';
export { Sts } from './sts';
export type { StsActions } from './sts-actions';
