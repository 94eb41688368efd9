import type { FaultyService } from '../kernel/fault';
import { SERVICE_MODELS } from './models';

/** Where the name of a service is not that of its host. */
const HOST_OF: Partial<Readonly<Record<FaultyService, string>>> = { cloudwatch: 'monitoring' };

/** The actions of a service that a fault can be about: all that its SDK client knows, and a deployed API's only one. */
export function faultyActions(service: FaultyService): Iterable<string> | undefined {
  if (service === 'execute-api') return ['Invoke'];
  const host = HOST_OF[service] ?? service;
  return SERVICE_MODELS.find(({ name }) => name === host)?.operations.keys();
}
