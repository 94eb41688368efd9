import type { ServiceContext } from '../kernel/services';
import type { EventsTraceEvent } from './happenings';

export type EventsContext = ServiceContext<EventsTraceEvent>;
