export { CloudWatch } from './cloud-watch';
export type { CloudWatchHappening } from './happenings';
export { cloudWatchResourceTypes } from './resources';
