import type { NowMs } from '../../mover/aws/clock';
import type { AddressGuards } from '../../policy/address-guard';
import { groupOf, unreadableSecret } from '../../policy/fleet/endpoint';
import type { AuthorizationItem, EndpointItem } from '../../policy/fleet/fleet-items';
import { formatProblem } from '../../policy/problem';
import type { FailedAttempt } from '../../policy/relay/attempt-verdict';
import { readDestination } from '../../policy/relay/destination';
import { readSigningSecret } from '../../policy/relay/signing-secret';
import { type AccessToken, accessToken, type CredentialsAnswer } from '../shared/access-token';
import { type HttpEndpoint, httpEndpoint } from '../shared/http-endpoint';
import type { Send } from '../shared/http-send';
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

/** What `accessTokens` needs. */
interface AccessTokenPorts {
  readonly readSecrets: ReadSecrets;
  readonly guards: AddressGuards;
  /** With `TOKEN_LIMITS`. */
  readonly sendForToken: Send;
  readonly nowMs: NowMs;
}

/** Returns the access token of an endpoint; undefined if its requests carry none. */
type AccessTokenOf = (endpoint: EndpointItem) => AccessToken | undefined;

/** For so many endpoints a deliverer keeps tokens. */
const MOST_KEPT = 1_000;

/** Keeps the access tokens of the endpoints that were used last. One whose client has changed gets another token. */
export function accessTokens({ readSecrets, guards, sendForToken, nowMs }: AccessTokenPorts): AccessTokenOf {
  const kept = new Map<string, AccessToken>();
  const create = (endpoint: EndpointItem, { clientId, clientSecret: _, ...request }: AuthorizationItem) => {
    const credentials = async (): Promise<CredentialsAnswer> => {
      const reading = await readSecrets(endpoint);
      if (reading.kind === 'secrets' && reading.clientSecret !== undefined) {
        return { kind: 'credentials', credentials: { clientId, clientSecret: reading.clientSecret } };
      }
      const isBroken = reading.kind === 'unreadable';
      const reason = isBroken ? reading.reason : 'there is none';
      return { kind: 'none', reason: unreadableSecret('client’s', reason), isBroken };
    };
    return accessToken({ request, credentials, guards, send: sendForToken, nowMs });
  };
  return endpoint => {
    const { authorization } = endpoint;
    if (!authorization) return undefined;
    const key = JSON.stringify([groupOf(endpoint), authorization]);
    const token = kept.get(key) ?? create(endpoint, authorization);
    // A map keeps the order in which its keys were set.
    kept.delete(key);
    kept.set(key, token);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    return token;
  };
}
