import type { ServiceContext } from '../kernel/services';
import type { SchedulerTraceEvent } from './happenings';

export type SchedulerContext = ServiceContext<SchedulerTraceEvent>;
