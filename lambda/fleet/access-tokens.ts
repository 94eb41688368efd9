import type { NowMs } from '../../mover/aws/clock';
import type { AddressGuards } from '../../policy/address-guard';
import { groupOf, unreadableSecret } from '../../policy/fleet/endpoint';
import type { AuthorizationItem, EndpointItem } from '../../policy/fleet/fleet-items';
import { type AccessToken, accessToken, type CredentialsAnswer } from '../shared/access-token';
import type { Send } from '../shared/http-send';
import type { ReadSecrets } from './ports';

/** What `accessTokens` needs. */
interface AccessTokenPorts {
  readonly readSecrets: ReadSecrets;
  readonly guards: AddressGuards;
  /** With `TOKEN_LIMITS`. */
  readonly sendForToken: Send;
  readonly nowMs: NowMs;
}

/** Returns the access token of an endpoint; undefined if its requests carry none. */
export type AccessTokenOf = (endpoint: EndpointItem) => AccessToken | undefined;

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
