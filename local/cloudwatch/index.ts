export { CloudWatch } from './cloud-watch';
export type { CloudWatchHappening } from './ports';
export { cloudWatchResourceTypes } from './resources';
