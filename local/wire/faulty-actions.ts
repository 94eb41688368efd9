import type { FaultyService } from '../kernel/fault';
import { MODELS } from './models';

/** The actions of a service that a fault can be about: all that its SDK client knows, and a deployed API's only one. */
export function faultyActions(service: FaultyService): Iterable<string> {
  if (service === 'execute-api') return ['Invoke'];
  return MODELS[service === 'cloudwatch' ? 'monitoring' : service].operations.keys();
}
