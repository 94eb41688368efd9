export { EventBridge } from './event-bridge';
export type { EventsActions } from './events-actions';
export type { EventsTraceEvent } from './happenings';
export type { EventsDependencies, ServiceEvent } from './ports';
export { eventsResourceTypes } from './resources';
