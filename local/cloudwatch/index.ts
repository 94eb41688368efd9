export { CloudWatch } from './cloud-watch';
export { cloudWatchResourceTypes } from './resources';
export type { CloudWatchTraceEvent } from './trace-events';
