import type { ServiceContext } from '../kernel/services';
import type { SchedulerHappening } from './happenings';

export type SchedulerContext = ServiceContext<SchedulerHappening>;
