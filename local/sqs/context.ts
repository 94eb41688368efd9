import type { ServiceContext } from '../kernel/services';
import type { SqsHappening } from './happenings';

export type SqsContext = ServiceContext<SqsHappening>;
