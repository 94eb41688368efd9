export { EventBridgeScheduler } from './event-bridge-scheduler';
export type { SchedulerHappening } from './happenings';
export type { AnyService, SchedulerNeighbours } from './ports';
export { schedulerResourceTypes } from './resources';
export type { SchedulerActions } from './scheduler-actions';
