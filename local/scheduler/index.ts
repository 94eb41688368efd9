export { EventBridgeScheduler } from './event-bridge-scheduler';
export type { SchedulerTraceEvent } from './happenings';
export type { AnyService, SchedulerDependencies } from './ports';
export { schedulerResourceTypes } from './resources';
export type { SchedulerActions } from './scheduler-actions';
