import type { ServiceContext } from '../kernel/services';
import type { DeliveryServices } from './delivery/dispatch';
import type { Directory } from './directory';
import type { SnsTraceEvent } from './happenings';

/** What the API actions work on. */
export interface SnsInternals {
  readonly context: ServiceContext<SnsTraceEvent>;
  readonly directory: Directory;
  readonly dispatch: DeliveryServices;
}
