import type { ServiceContext } from '../kernel/services';
import type { EventsHappening } from './happenings';

export type EventsContext = ServiceContext<EventsHappening>;
