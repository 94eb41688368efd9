import {
  booleanValue,
  isNonEmptyText,
  type JsonObject,
  type MemberRule,
  memberProblems,
  must,
  nonEmptyText,
  parseObject,
} from '../json-members';
import type { Problem } from '../problem';
import { DAY_SECONDS, MINUTE_MS } from '../time-units';
import type { Headers } from './headers';

/**
 * How to ask for an access token with OAuth 2.0 client credentials.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export interface TokenRequest {
  /** The token endpoint: `https`, or `http` within the allowed private ranges. */
  readonly tokenUrl: string;
  /** Scopes, separated by blanks. @default - those that the token endpoint grants by itself */
  readonly scope?: string;
  /** The API for which the token is, where the token endpoint asks for it. @default - none */
  readonly audience?: string;
  /**
   * Whether the client's id and secret are in the body (`client_secret_post`) instead of in the header `Authorization`
   * (`client_secret_basic`).
   * @default false
   */
  readonly credentialsInBody?: boolean;
}

/** Who asks for the token. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#appendix-A.4 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

export const scopeCheck = must(
  'must be scopes, separated by single blanks',
  value => typeof value === 'string' && SCOPE.test(value),
);

/** The rules for the members of a `TokenRequest`, except that of its URL's address. */
export const TOKEN_REQUEST: Readonly<Record<keyof TokenRequest, MemberRule>> = {
  tokenUrl: { check: nonEmptyText },
  scope: { check: scopeCheck, isOptional: true },
  audience: { check: nonEmptyText, isOptional: true },
  credentialsInBody: { check: booleanValue, isOptional: true },
};

/** The client's id and secret, or what is wrong with them. Problems show neither. */
type CredentialsReading =
  | { readonly kind: 'credentials'; readonly credentials: ClientCredentials }
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] };

const CREDENTIALS_RULE = 'must be a JSON object with client_id and client_secret';

/**
 * Reads the secret of a client: `{"client_id": "…", "client_secret": "…"}`. Other members are ignored.
 * @param property names the secret in a problem
 */
export function readClientCredentials(property: string, text: string): CredentialsReading {
  const members = parseObject(text);
  if (!members) {
    const problem = { property, rule: CREDENTIALS_RULE, value: `${text.length} characters` };
    return { kind: 'malformed', problems: [problem] };
  }
  const { client_id: clientId, client_secret: clientSecret } = members;
  if (isNonEmptyText(clientId) && isNonEmptyText(clientSecret)) {
    return { kind: 'credentials', credentials: { clientId, clientSecret } };
  }
  const needed = { client_id: { check: hiddenText }, client_secret: { check: hiddenText } };
  const known = Object.fromEntries(Object.entries(members).filter(([name]) => Object.hasOwn(needed, name)));
  return { kind: 'malformed', problems: memberProblems(needed, known, `${property}.`) };
}

/** A secret, which a problem does not show. */
export const hiddenText: MemberRule['check'] = (value, property) =>
  isNonEmptyText(value) ? [] : [{ property, rule: 'must be a string that is not empty', value: typeof value }];

/** Encodes as a form does. @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

export function tokenRequest(request: TokenRequest, { clientId, clientSecret }: ClientCredentials) {
  const { scope, audience, credentialsInBody = false } = request;
  const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  const headers: Headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
    ...(!credentialsInBody && { Authorization: `Basic ${basic}` }),
  };
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(credentialsInBody && { client_id: clientId, client_secret: clientSecret }),
  });
  return { headers, body: body.toString() };
}

interface TokenAnswer {
  readonly statusCode: number;
  readonly body: string;
  /** Why the body is incomplete. @default - it is complete */
  readonly cut?: string;
}

/** An access token, or why there is none. The reason repeats nothing that could contain a secret. */
type TokenReading =
  | { readonly kind: 'token'; readonly token: string; readonly lifetimeMs: number }
  | { readonly kind: 'none'; readonly reason: string };

/** The lifetime of a token whose answer states none. RFC 6749 recommends to state it. */
const UNSTATED_SECONDS = 300;

/** A token is asked for again at least once a day. */
const LONGEST_SECONDS = DAY_SECONDS;

/** What can follow `Bearer` in a header. @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\x21-\x7e]+$/;

/** The error codes that token endpoints answer with. @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const ERROR_CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
];

/** Reads the answer to a request for a token. @see https://www.rfc-editor.org/rfc/rfc6749#section-5 */
export function readTokenAnswer({ statusCode, body, cut }: TokenAnswer): TokenReading {
  const members = parseObject(body);
  if (statusCode < 200 || statusCode > 299) return none(`answers ${statusCode}${errorCode(members)}`);
  if (cut !== undefined) return none(`answers ${statusCode}, but with an incomplete body: ${cut}`);
  if (!members) return none(`answers ${statusCode}, but not with a JSON object`);
  const { access_token: token, token_type: type = 'Bearer', expires_in: lifetime } = members;
  if (typeof token !== 'string' || !TOKEN.test(token)) return none('answers without a valid access_token');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return none('answers with a token_type other than Bearer');
  }
  return { kind: 'token', token, lifetimeMs: lifetimeSeconds(lifetime) * 1_000 };
}

/** @param verb what the token endpoint does */
function none(verb: string): TokenReading {
  return { kind: 'none', reason: `the token endpoint ${verb}` };
}

/** The code of an error. Only known codes are repeated, because another text may repeat the client's secret. */
function errorCode(members: JsonObject | undefined): string {
  const code = ERROR_CODES.find(it => it === members?.['error']);
  return code === undefined ? '' : ` (${code})`;
}

/** Some token endpoints write the number as a text. */
function lifetimeSeconds(stated: unknown): number {
  const seconds = typeof stated === 'string' && stated !== '' ? Number(stated) : stated;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return UNSTATED_SECONDS;
  return Math.min(Math.max(0, seconds), LONGEST_SECONDS);
}

/** How long before its end a token is replaced: a minute, or a quarter of a short lifetime. */
const MARGIN_MS = MINUTE_MS;
const MARGIN_SHARE = 1 / 4;

/** How long after it was asked for a token is replaced. A request that begins before then ends before the token does. */
export function renewAfterMs(lifetimeMs: number): number {
  return lifetimeMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
}

/**
 * How old a token must be for a 401 to be its fault. A newer one is not replaced, so that an endpoint that answers every
 * request with 401 causes few requests for tokens.
 */
export const REFUSED_TOKEN_AGE_MS = MINUTE_MS;
