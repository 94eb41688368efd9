import type { ServiceContext } from '../kernel/services';
import type { SqsTraceEvent } from './happenings';

export type SqsContext = ServiceContext<SqsTraceEvent>;
