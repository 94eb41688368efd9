export { EventBridgeScheduler } from './event-bridge-scheduler';

export { schedulerResourceTypes } from './resources';

export type { SchedulerTraceEvent } from './trace-events';
