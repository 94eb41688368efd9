import type { ServiceContext } from '../kernel/service-api';
import type { DeliveryServices } from './delivery/delivery-services';
import type { Directory } from './topic/directory';
import type { Subscription } from './topic/topic-and-subscription';
import type { SnsTraceEvent } from './trace-events';

export interface SnsState {
  readonly context: ServiceContext<SnsTraceEvent>;
  readonly directory: Directory;
  readonly services: DeliveryServices;
  /** The subscriptions that this account has, to topics of any account in the Region. */
  readonly ownSubscriptions: () => readonly Subscription[];
}
