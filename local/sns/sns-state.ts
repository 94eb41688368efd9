import type { ServiceContext } from '../kernel/service-api';
import type { DeliveryServices } from './delivery/delivery-services';
import type { Directory } from './topic/directory';
import type { SnsTraceEvent } from './trace-events';

/** The parts of SNS that its API actions use. */
export interface SnsState {
  readonly context: ServiceContext<SnsTraceEvent>;
  readonly directory: Directory;
  readonly services: DeliveryServices;
}
