export { Sts } from './sts';
export type { StsTraceEvent } from './trace-events';
