export { EventBridge } from './event-bridge';
export type { EventsActions } from './events-actions';
export type { EventsHappening } from './happenings';
export type { EventsNeighbours, ServiceEvent } from './ports';
export { eventsResourceTypes } from './resources';
