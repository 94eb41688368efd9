import { createHash } from 'node:crypto';
import { type EndpointName, groupOf } from '../policy/fleet/endpoint';

/** The stable id of an event for an endpoint: its `webhook-id`. */
export function deliveryId(fleetName: string, eventId: string, name: EndpointName): string {
  const hash = createHash('sha256').update(`${fleetName}\n${eventId}\n${groupOf(name)}`);
  return `msg_${hash.digest('base64url').slice(0, 27)}`;
}
