import type { AddressGuards } from '../../policy/address-guard';
import { unreadableSecret } from '../../policy/fleet/endpoint';
import type { EndpointItem } from '../../policy/fleet/fleet-items';
import { formatProblem } from '../../policy/problem';
import type { FailedAttempt } from '../../policy/relay/attempt-verdict';
import { readDestination } from '../../policy/relay/destination';
import { readSigningSecret } from '../../policy/relay/signing-secret';
import { type HttpEndpoint, httpEndpoint } from '../shared/http-endpoint';
import type { Send } from '../shared/http-send';
import type { AccessTokenOf } from './access-tokens';
import type { FleetPorts, ReadSecrets } from './ports';

/** What requests to endpoints need. */
export interface EndpointPorts extends Pick<FleetPorts, 'settings' | 'nowMs'> {
  readonly readSecrets: ReadSecrets;
  readonly accessTokenOf: AccessTokenOf;
  readonly guards: AddressGuards;
  readonly send: Send;
}

/** An endpoint with its secrets decrypted, or why no request can be made. */
type EndpointReading =
  | { readonly kind: 'ready'; readonly endpoint: HttpEndpoint }
  | {
      readonly kind: 'not-ready';
      readonly verdict: FailedAttempt;
      /** Whether the fleet itself failed. */
      readonly isBroken: boolean;
    };

function notReady(reason: string, isBroken = false): EndpointReading {
  return { kind: 'not-ready', verdict: { kind: 'retry', reason }, isBroken };
}

/** Prepares the requests to an endpoint. What is wrong may be corrected while its messages wait, so nothing here gives up a message. */
export async function endpointOf(
  item: EndpointItem,
  { readSecrets, accessTokenOf, guards, send, settings, nowMs }: EndpointPorts,
): Promise<EndpointReading> {
  const destination = readDestination('url', item.url, guards, false);
  if (destination.kind === 'refused') return notReady(formatProblem(destination.problem));
  const reading = await readSecrets(item);
  if (reading.kind === 'unreadable') return notReady(unreadableSecret('signing', reading.reason), true);
  const keys = reading.secrets.map(text => readSigningSecret('the signing secret', text));
  const malformed = keys.find(it => it.kind === 'malformed');
  if (malformed) return notReady(formatProblem(malformed.problem));
  const accessToken = accessTokenOf(item);
  const issued = await accessToken?.get();
  if (issued?.kind === 'none') return notReady(issued.reason, issued.isBroken);
  const bearer = accessToken && issued && { token: issued.token, renew: () => accessToken.renew(issued.token) };
  const endpoint = httpEndpoint({
    url: destination.url,
    contentType: 'application/json',
    headers: [item.headers ?? {}],
    ...(bearer && { bearer }),
    signingKeys: keys.flatMap(it => (it.kind === 'key' ? [it.key] : [])),
    deadStatuses: settings.deadStatuses,
    secrets: reading.secrets,
    send,
    nowMs,
  });
  return { kind: 'ready', endpoint };
}
