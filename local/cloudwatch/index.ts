export { CloudWatch } from './cloud-watch';
export type { CloudWatchTraceEvent } from './ports';
export { cloudWatchResourceTypes } from './resources';
