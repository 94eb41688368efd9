import { createHmac } from 'node:crypto';
import type { NowMs } from '../../mover/aws/clock';
import { type RelayVerdict, relayVerdict, retryAfterSeconds } from '../../policy/relay/attempt-verdict';
import type { Headers } from '../../policy/relay/headers';
import type { SigningKey } from '../../policy/relay/signing-secret';
import { messageOf } from './connections';
import type { Again, HttpAnswer, NoAnswer, Send } from './http-send';
import { redaction } from './redaction';

/** The result of an attempt's requests. */
export interface Posted {
  readonly verdict: RelayVerdict;
  /** @default - no answer came */
  readonly statusCode?: number;
  /**
   * Why the answer's body is incomplete.
   * @default - the body is complete, or there is no answer
   */
  readonly cut?: string;
  /** 1; or 2 if the first request met a dead connection, or its access token was refused and there is another one. */
  readonly requests: number;
  /** The answer's body, or why no answer came. It contains no secret. */
  readonly answer: string;
  /**
   * The answer's `Retry-After`.
   * @default - the answer has none
   */
  readonly retryAfterSeconds?: number;
}

export interface HttpEndpointSettings {
  /** As `readDestination` returned it: its host may be an address, which `send` does not check. */
  readonly url: URL;
  readonly contentType: string;
  /** The user's own headers. Later ones override earlier ones; names are compared without regard to case. */
  readonly headers: readonly Headers[];
  /** An access token, and what replaces it if the endpoint refuses it. @default - none */
  readonly bearer?: Bearer;
  /** Keys of Standard Webhooks. Without any, requests are not signed. */
  readonly signingKeys: readonly SigningKey[];
  readonly deadStatuses: readonly number[];
  /** What is removed from answers. */
  readonly secrets: readonly string[];
  /** Prepares the removal, which takes time. @default - for each answer */
  readonly redactionOf?: typeof redaction;
  /** Checks every address that it connects to: see `guardedSend`. */
  readonly send: Send;
  readonly nowMs: NowMs;
}

/** The access token of a request. */
interface Bearer {
  readonly token: string;
  /** Returns another token; undefined if there is none. */
  readonly renew: () => Promise<string | undefined>;
}

export interface OutgoingMessage {
  /** The same in every attempt, so that receivers recognize duplicates. */
  readonly id: string;
  /** It is sent byte for byte. */
  readonly body: string;
  /** They override the user's own. @default - none */
  readonly headers?: Headers;
}

export interface HttpEndpoint {
  /**
   * Posts a message and judges the answer.
   * @param again asked for a second request: see `Posted.requests`
   */
  readonly post: (message: OutgoingMessage, again: Again) => Promise<Posted>;
}

const USER_AGENT = 'Dead Letter Office Relay';

/** An HTTP endpoint of a relay: `policy/relay` judges its answers. */
export function httpEndpoint(settings: HttpEndpointSettings): HttpEndpoint {
  const { url, send, bearer } = settings;
  /** With the last token. An answer may repeat those before it too. */
  const request = async (message: OutgoingMessage, again: Again, tokens: readonly string[]) => {
    const headers = requestHeaders(message, settings, tokens.at(-1));
    return postedOf(await send('POST', url, headers, message.body, again), settings, tokens);
  };
  return {
    post: async (message, again) => {
      const posted = await request(message, again, bearer ? [bearer.token] : []);
      if (!bearer || posted.statusCode !== UNAUTHORIZED || posted.requests > 1) return posted;
      const token = await bearer.renew();
      if (token === undefined || !(await again())) return posted;
      const second = await request(message, async () => false, [bearer.token, token]);
      return { ...second, requests: posted.requests + second.requests };
    },
  };
}

/** The endpoint does not accept the credentials. */
const UNAUTHORIZED = 401;

export function requestHeaders(
  { id, body, headers: own }: OutgoingMessage,
  settings: Pick<HttpEndpointSettings, 'contentType' | 'headers' | 'signingKeys' | 'nowMs'>,
  token?: string,
): Record<string, string> {
  const { contentType, headers, signingKeys, nowMs } = settings;
  const signature = signingKeys.length > 0 && signatureHeaders(signingKeys, { id, atMs: nowMs(), body });
  const authorization = token !== undefined && { Authorization: `Bearer ${token}` };
  return merged(headers, {
    'Content-Type': contentType,
    'User-Agent': USER_AGENT,
    ...authorization,
    ...own,
    ...signature,
  });
}

/** Later headers override earlier ones; names are compared without regard to case. Usually only `last` has any. */
function merged(before: readonly Headers[], last: Headers): Record<string, string> {
  const all = before.filter(headers => Object.keys(headers).length > 0);
  if (all.length === 0) return { ...last };
  const byName = new Map<string, readonly [string, string]>();
  for (const headers of [...all, last]) {
    for (const [name, value] of Object.entries(headers)) byName.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(byName.values());
}

export interface SignedMessage {
  /** The same in every attempt, so that receivers recognize duplicates. */
  readonly id: string;
  /** The time of this attempt. Receivers reject times that are minutes off. */
  readonly atMs: number;
  readonly body: string;
}

/**
 * Returns the headers of Standard Webhooks with a signature by each key. While a key is rotated, receivers may use either one.
 * @see https://www.standardwebhooks.com
 */
export function signatureHeaders(keys: readonly SigningKey[], { id, atMs, body }: SignedMessage) {
  const timestamp = String(Math.floor(atMs / 1_000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map(({ bytes }) => `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** The part of an answer that is logged. */
const SHOWN_CHARACTERS = 1_000;

function postedOf(result: HttpAnswer | NoAnswer, settings: HttpEndpointSettings, tokens: readonly string[]): Posted {
  const { deadStatuses, secrets, redactionOf = redaction, nowMs } = settings;
  const answered = result.kind === 'answered';
  const said = redactionOf([...secrets, ...tokens])(answered ? result.body : messageOf(result.cause));
  const wanted = answered ? retryAfterSeconds(result.headers['retry-after'], nowMs()) : undefined;
  return {
    verdict: relayVerdict(result, { deadStatuses }),
    answer: said.slice(0, SHOWN_CHARACTERS),
    requests: result.requests,
    ...(answered && { statusCode: result.statusCode }),
    ...(answered && result.cut !== undefined && { cut: result.cut }),
    ...(wanted !== undefined && { retryAfterSeconds: wanted }),
  };
}
