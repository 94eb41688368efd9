export { EventBridgeScheduler } from './event-bridge-scheduler';
export type { AnyService, SchedulerDependencies } from './ports';
export { schedulerResourceTypes } from './resources';
export type { SchedulerActions } from './scheduler-actions';
export type { SchedulerTraceEvent } from './trace-events';
